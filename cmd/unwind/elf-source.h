/*
 * elf-source.h - the parts of an ELF file that unwinding needs, from a
 * descriptor or from memory. Files are read, never mapped: truncating a file
 * meanwhile causes a short read, not a SIGBUS in the recorder.
 */
#ifndef ELF_SOURCE_H
#define ELF_SOURCE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/buildid.h"
#include "lib/base/status.h"

enum { ELF_MAX_SEGMENT = 256 };

struct elf_source {
	int fd;              /* -1: data */
	const uint8_t *data; /* n bytes, the caller's */
	uint64_t n;

	/* Set by elf_source_open(). */
	Elf64_Ehdr head;
	Elf64_Phdr segment[ELF_MAX_SEGMENT];
	size_t n_segment;
	char build_id[BUILD_ID_TEXT]; /* lower-case hex, or "" */
};

/*
 * Read the header of the file in fd or, if fd is -1, of the bytes in s. The
 * caller closes fd. PROF_EIO; PROF_EFORMAT: not a 64-bit little-endian ELF
 * file, or damaged; PROF_ENOTSUP: for another machine than this one.
 */
enum prof_status elf_source_open(struct elf_source *s, int fd,
				 struct prof_err *err) MUST_USE;

/* Read exactly n bytes at offset at. */
bool elf_source_read(const struct elf_source *s, uint64_t at, void *out,
		     size_t n);

/* Append n bytes at offset at to out; false if they do not exist, or without
 * memory. */
bool elf_source_slurp(const struct elf_source *s, uint64_t at, uint64_t n,
		      struct buf *out);

/* The section of that name; false: there is none. */
bool elf_source_section(const struct elf_source *s, const char *name,
			Elf64_Shdr *out);

/* Append a section, unpacked. false: it cannot be read. */
bool elf_source_contents(const struct elf_source *s, const Elf64_Shdr *sh,
			 struct buf *out);

#endif
