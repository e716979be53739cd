/*
 * section.h - sections of an ELF file: find one by name or type; the ranges of
 * code; and the contents of a section, unpacked, and relocated in relocatable
 * files.
 */
#ifndef SECTION_H
#define SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unpack.h"

/* The section of this name or, if name is NULL, of this type; NULL if there is
 * none. */
Elf_Scn *section_find(Elf *elf, const char *name, unsigned type, GElf_Shdr *sh);

/* A range of addresses, end exclusive. */
struct code_range {
	uint64_t start, end;
};

/* For qsort(): by start, then by end. */
int code_range_compare(const void *a, const void *b);

/* The ranges of code. */
struct code_map {
	struct code_range *range; /* ascending */
	size_t n;
	size_t section; /* 0, or the only one whose symbols have addresses */
};

/* The end of the code around address a, or 0 if there is none. */
uint64_t code_end(const struct code_map *c, uint64_t a);

struct section_bytes {
	const uint8_t *data;
	size_t n;
	void *owned; /* to be freed; NULL: data is the file's */
};

/*
 * Read a section whose header is sh. is_gnu: it is named .zdebug_* and
 * compressed in the way that preceded SHF_COMPRESSED. Its unpacked size is
 * limited relative to its packed size, and taken from the budget. false: it is
 * damaged, this build does not know the compression, or there is no memory:
 * unpack_unread() then.
 */
bool section_read(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, bool is_gnu,
		  struct unpack_budget *budget, struct section_bytes *out);

/*
 * In a relocatable file every section is at address 0. section_read() leaves
 * .text at 0 and moves other sections of code here, where no address of a
 * profile is.
 */
#define SECTION_ELSEWHERE (UINT64_C(1) << 56)

#endif
