/*
 * object.h - one open ELF file, for symbols/binary/binary.c. Its contents are
 * untrusted.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <libelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/buildid.h"
#include "lib/base/status.h"
#include "unpack.h"

/*
 * Identifies a file and its state: users cannot set back ctime, the time of the
 * last change of the inode.
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
	void *image; /* its bytes, unless elf reads them from fd; malloc'd */
	uint64_t size;
	struct object_state state;
	bool may_shrink; /* elf reads it, as a mapping may lose pages */
	struct unpack_budget *budget;  /* may be NULL */
	char build_id[BUILD_ID_TEXT];  /* hex, or "" */
	char loaded_id[BUILD_ID_TEXT]; /* as a process has it */
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

/* object_open() of a formatted path, where there may be no file; false on any
 * error. unpack_unread() if there is one. */
bool object_open_at(struct object *o, struct unpack_budget *budget,
		    const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/*
 * Open as *mini the object in section .gnu_debugdata of o: the part of the
 * symbol table that distributions leave in a stripped file, packed. *mini stays
 * closed without that section. PROF_EFORMAT, PROF_ELIMIT, PROF_ENOTSUP,
 * PROF_ENOMEM.
 */
enum prof_status object_open_mini(struct object *mini,
				  const struct object *o) MUST_USE;

/* Objects that are closed, or all 0, are allowed. */
void object_close(struct object *o);

/* Does it have DWARF, rather than only the sections' headers? */
bool object_has_dwarf(const struct object *o);

/*
 * Append to out words that differ if the contents may: the state of the file,
 * or a checksum of the whole image. Returns -1 without memory.
 */
int object_add_identity(const struct object *o, struct buf *out);

/* Is crc the checksum of the file? */
bool object_has_crc(const struct object *o, uint32_t crc);

#endif
