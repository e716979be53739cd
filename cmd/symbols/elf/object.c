/* object.c - see object.h. */
#include "config.h"

#include "object.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "broker.h"
#include "lib/wire/compress.h"
#include "note.h"
#include "symtab.h"
#include "unpack.h"

#define MAX_UNPACKED ((size_t)1 << 30) /* bytes of a file */
#define MAX_MINI ((size_t)1 << 28)     /* ... of a symbol table */

void
object_close(struct object *o)
{
	elf_end(o->elf);
	if (o->elf && o->fd >= 0)
		close(o->fd);
	free(o->image);
	free(o->path);
	*o = (struct object){ .fd = -1 };
}

/*
 * May the file become shorter? A linker may still write one that was written a
 * moment ago; another user may cut his own at any time, also one who is nobody,
 * as we are behind a broker. Pages of a mapping then vanish, and to touch them
 * is SIGBUS: read it instead.
 */
static bool
may_shrink(const struct stat *sb)
{
	enum { MOMENT = 10 }; /* seconds */
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return sb->st_mtim.tv_sec + MOMENT > now.tv_sec ||
	       (sb->st_uid != 0 &&
		(broker_is_used() || sb->st_uid != geteuid())) ||
	       (sb->st_mode & (S_IWGRP | S_IWOTH));
}

static enum prof_status
open_file(struct object *o, const char *path, struct prof_err *err)
{
	struct prof_err why;
	struct stat sb;

	o->fd = broker_open(path, &sb, &why);
	if (o->fd < 0) {
		if (err)
			*err = why;
		return why.status;
	}
	/* Or one of /proc, which may wait for data, as kmsg does. */
	if (sb.st_size == 0) {
		close(o->fd);
		o->fd = -1;
		errno = ENOEXEC;
		return prof_fail(err, PROF_EFORMAT, "an empty file");
	}
	o->size = (uint64_t)sb.st_size;
	o->state = (struct object_state){ true, sb.st_dev, sb.st_ino,
					  sb.st_mtim, sb.st_ctim };
	o->may_shrink = may_shrink(&sb);
	return PROF_OK;
}

/* Fill in o from its file or image. */
static enum prof_status
begin(struct object *o, const char *name, struct prof_err *err)
{
	errno = 0;
	elf_version(EV_CURRENT);
	o->path = strdup(name);
	o->elf = o->image ? elf_memory(o->image, o->size)
			  : elf_begin(o->fd,
				      o->may_shrink ? ELF_C_READ
						    : ELF_C_READ_MMAP,
				      NULL);
	if (!o->path || !o->elf || elf_kind(o->elf) != ELF_K_ELF) {
		bool nomem = errno == ENOMEM;

		if (nomem || errno == EIO)
			unpack_unread(o->budget, o->path, errno);
		if (!o->elf && o->fd >= 0)
			close(o->fd);
		object_close(o);
		errno = nomem ? ENOMEM : ENOEXEC;
		return nomem ? prof_nomem(err)
			     : prof_fail(err, PROF_EFORMAT, "not an ELF file");
	}
	note_find_build_id(o->elf, o->build_id);
	note_find_loaded_id(o->elf, o->loaded_id);
	return PROF_OK;
}

/* Append the bytes of the file to out. */
static enum prof_status
read_file(const struct object *o, struct buf *out, struct prof_err *err)
{
	ssize_t n;

	if (o->size > MAX_UNPACKED)
		return prof_fail(err, PROF_ELIMIT,
				 "a compressed file of more "
				 "than a gigabyte");
	if (buf_reserve(out, o->size) < 0)
		return prof_nomem(err);
	n = pread(o->fd, out->data, o->size, 0);
	if (n < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	out->n = (size_t)n;
	return PROF_OK;
}

/* Unpack a compressed file into an image: kernel modules are stored so. */
static enum prof_status
unpack_file(struct object *o, struct prof_err *err)
{
	struct buf packed = { 0 }, out = { 0 };
	enum prof_status st = read_file(o, &packed, err);

	if (st == PROF_OK)
		st = unpack(packed.data, packed.n, MAX_UNPACKED, o->budget,
			    &out, err);
	buf_release(&packed);
	if (st != PROF_OK) {
		buf_release(&out);
		return st;
	}
	o->image = out.data;
	o->size = out.n;
	return PROF_OK;
}

/* Is the file there, but of no use to this user? */
static bool
is_useless(int error)
{
	return error == EACCES || error == EPERM || error == ELOOP ||
	       error == ENOEXEC || error == EFBIG;
}

/* Was there no file to read, or none that is an object's? */
static bool
is_absent(int error)
{
	return error == 0 || error == ENOENT || error == ENOTDIR ||
	       error == ENAMETOOLONG || is_useless(error);
}

enum prof_status
object_open(struct object *o, const char *path, struct unpack_budget *budget,
	    struct prof_err *err)
{
	unsigned char magic[UNPACK_MAGIC];
	enum prof_status st;
	ssize_t n;

	*o = (struct object){ .fd = -1, .budget = budget };
	errno = 0;
	st = open_file(o, path, err);
	if (st != PROF_OK) {
		/* A search would go on, as if there was no such file. */
		if (!is_absent(errno))
			unpack_unread(budget, path, errno);
		return st;
	}
	n = pread(o->fd, magic, sizeof(magic), 0);
	if (n < 0) {
		unpack_unread(budget, path, errno);
		st = prof_fail(err, PROF_EIO, "%s", strerror(errno));
		close(o->fd);
		o->fd = -1;
		return st;
	}
	if (n > 0 && unpack_is(magic, (size_t)n)) {
		st = unpack_file(o, err);
		close(o->fd);
		o->fd = -1;
		if (st != PROF_OK) {
			object_close(o);
			return st;
		}
	}
	return begin(o, path, err);
}

bool
object_open_at(struct object *o, struct unpack_budget *budget, const char *fmt,
	       va_list ap)
{
	char path[PATH_MAX];
	int n = vsnprintf(path, sizeof(path), fmt, ap);

	if (n <= 0 || (size_t)n >= sizeof(path))
		return false;
	if (object_open(o, path, budget, NULL) == PROF_OK)
		return true;
	if (is_useless(errno))
		unpack_unread(budget, path, errno);
	return false;
}

enum prof_status
object_open_image(struct object *o, const char *name, void *image, size_t n,
		  struct prof_err *err)
{
	*o = (struct object){ .fd = -1, .image = image, .size = n };
	return begin(o, name, err);
}

enum prof_status
object_open_mini(struct object *mini, const struct object *o)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(o->elf, ".gnu_debugdata", 0, &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	struct buf out = { 0 };
	enum prof_status st;

	*mini = (struct object){ .fd = -1 };
	if (!data || !data->d_buf || !unpack_is(data->d_buf, data->d_size))
		return PROF_OK;
	st = unpack(data->d_buf, data->d_size, MAX_MINI, o->budget, &out, NULL);
	if (st == PROF_OK)
		return object_open_image(mini, o->path, out.data, out.n, NULL);
	buf_release(&out);
	return st;
}

bool
object_has_dwarf(const struct object *o)
{
	GElf_Shdr sh;

	return (section_find(o->elf, ".debug_info", 0, &sh) ||
		section_find(o->elf, ".zdebug_info", 0, &sh)) &&
	       sh.sh_type != SHT_NOBITS;
}

int
object_add_identity(const struct object *o, struct buf *out)
{
	const struct object_state *s = &o->state;
	char text[BUILD_ID_TEXT + 199];
	int n;

	if (s->is_known)
		n = snprintf(text, sizeof(text),
			     " %s %" PRIu64 " %ju %ju %jd.%09ld %jd.%09ld",
			     o->build_id, o->size, (uintmax_t)s->dev,
			     (uintmax_t)s->ino, (intmax_t)s->mtime.tv_sec,
			     s->mtime.tv_nsec, (intmax_t)s->ctime.tv_sec,
			     s->ctime.tv_nsec);
	else
		n = snprintf(text, sizeof(text), " %s %" PRIu64 " %08" PRIx32,
			     o->build_id, o->size,
			     gzip_crc32(0, o->image, o->size));
	return buf_add(out, text, (size_t)n);
}

bool
object_has_crc(const struct object *o, uint32_t want)
{
	unsigned char block[65536];
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(o->fd, block, sizeof(block), at)) > 0) {
		crc = gzip_crc32(crc, block, (size_t)n);
		at += n;
	}
	if (n < 0)
		unpack_unread(o->budget, o->path, errno);
	return n == 0 && crc == want;
}
