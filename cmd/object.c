/* object.c - see object.h. */
#include "config.h"

#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "lib/compress.h"
#include "symbolize-symtab.h"

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

static void
read_build_id(struct object *o)
{
	const void *id = NULL;
	ssize_t n = dwelf_elf_gnu_build_id(o->elf, &id);
	const unsigned char *byte = id;

	if (n > OBJECT_MAX_BUILD_ID)
		n = OBJECT_MAX_BUILD_ID;
	for (ssize_t i = 0; i < n; i++)
		snprintf(o->build_id + 2 * i, 3, "%02x", byte[i]);
}

/* A file that a profile names may be a pipe: do not wait for a writer. */
static enum prof_status
open_file(const char *path, int *fd, uint64_t *size, struct prof_err *err)
{
	struct stat sb;

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	if (fstat(*fd, &sb) != 0)
		prof_fail(err, PROF_EIO, "%s", strerror(errno));
	else if (!S_ISREG(sb.st_mode))
		prof_fail(err, PROF_EFORMAT, "not a regular file");
	else {
		*size = (uint64_t)sb.st_size;
		return PROF_OK;
	}
	close(*fd);
	*fd = -1;
	return PROF_EFORMAT;
}

enum prof_status
object_open(struct object *o, const char *path, struct prof_err *err)
{
	enum prof_status st;

	*o = (struct object){ .fd = -1 };
	st = open_file(path, &o->fd, &o->size, err);
	if (st != PROF_OK)
		return st;
	elf_version(EV_CURRENT);
	o->path = strdup(path);
	o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	if (!o->elf)
		close(o->fd);
	if (!o->path) {
		object_close(o);
		return prof_nomem(err);
	}
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF) {
		object_close(o);
		return prof_fail(err, PROF_EFORMAT, "not an ELF file");
	}
	read_build_id(o);
	return PROF_OK;
}

enum prof_status
object_open_image(struct object *o, const char *name, void *image, size_t n,
		  struct prof_err *err)
{
	*o = (struct object){ .fd = -1, .image = image, .size = n };
	elf_version(EV_CURRENT);
	o->path = strdup(name);
	o->elf = elf_memory(image, n);
	if (!o->path) {
		object_close(o);
		return prof_nomem(err);
	}
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF) {
		object_close(o);
		return prof_fail(err, PROF_EFORMAT, "not an ELF file");
	}
	read_build_id(o);
	return PROF_OK;
}

bool
object_has_dwarf(const struct object *o)
{
	GElf_Shdr sh;

	return (section_find(o->elf, ".debug_info", 0, &sh) ||
		section_find(o->elf, ".zdebug_info", 0, &sh)) &&
	       sh.sh_type != SHT_NOBITS;
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
	return n == 0 && crc == want;
}
