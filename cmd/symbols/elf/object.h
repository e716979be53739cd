/*
 * object.h - one ELF file, open, for symbols/binary/binary.c. Its content is
 * not to be trusted.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <libelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/buildid.h"
#include "lib/base/status.h"
#include "unpack.h"

/*
 * Which file it was, and in which state: the kernel sets the time of the last
 * change of the inode, and users cannot set it back.
 */
struct object_state {
	bool is_known; /* false: the object is no file */
	dev_t dev;
	ino_t ino;
	struct timespec mtime, ctime;
};

struct object {
	char *path;  /* or its name, if it is no file */
	int fd;      /* or -1 */
	Elf *elf;    /* NULL: not open */
	void *image; /* its bytes, if they are not in fd; malloc'd */
	uint64_t size;
	struct object_state state;
	struct unpack_budget *budget; /* of what it leads to; may be NULL */
	char build_id[BUILD_ID_TEXT]; /* hex, or "" */
};

/*
 * Open the file path, which may be compressed. *o is then the caller's, for
 * object_close(). PROF_EIO, PROF_EFORMAT (not ELF, or damaged), PROF_ELIMIT,
 * PROF_ENOTSUP or PROF_ENOMEM, and *o is closed.
 */
enum prof_status object_open(struct object *o, const char *path,
			     struct unpack_budget *budget,
			     struct prof_err *err) MUST_USE;

/* The same for n malloc'd bytes at image, which *o always takes over. */
enum prof_status object_open_image(struct object *o, const char *name,
				   void *image, size_t n,
				   struct prof_err *err) MUST_USE;

/* object_open() of a path that is printed first: false is any trouble. */
bool object_open_at(struct object *o, struct unpack_budget *budget,
		    const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/*
 * Open as *mini what distributions leave of the symbol table of a stripped
 * file: an object of its own, packed into section .gnu_debugdata of o. Without
 * one *mini stays closed. PROF_EFORMAT, PROF_ELIMIT, PROF_ENOTSUP, PROF_ENOMEM.
 */
enum prof_status object_open_mini(struct object *mini, const struct object *o,
				  struct prof_err *err) MUST_USE;

/* An object that is closed, or all 0, may be closed again. */
void object_close(struct object *o);

/* Has it DWARF, rather than only the sections' headers? */
bool object_has_dwarf(const struct object *o);

/*
 * Append to out words that differ for two objects whose content may: its state,
 * or of an image a checksum of all of it. Returns -1 without memory.
 */
int object_add_identity(const struct object *o, struct buf *out);

/* Is crc the checksum of the file? */
bool object_has_crc(const struct object *o, uint32_t crc);

#endif
