/*
 * section.h - the sections of an ELF file: finding one, where the headers say
 * that instructions are, and the contents of a section: unpacked, and in a
 * relocatable file with its relocations applied.
 */
#ifndef SECTION_H
#define SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unpack.h"

/* The section of this name, or of this type if name is NULL; or NULL. */
Elf_Scn *section_find(Elf *elf, const char *name, unsigned type, GElf_Shdr *sh);

/* A range of addresses, end exclusive. */
struct code_range {
	uint64_t start, end;
};

/* Where instructions are. */
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
	void *owned; /* to be freed, or NULL: it is the file's */
};

/*
 * Read a section whose header is sh. is_gnu: it is called .zdebug_*, and
 * compressed as was done before ELF said how. What it claims to unpack to is
 * bounded by the bytes that it has, and spent of the budget. false: it is
 * damaged or of a kind that this build can't read, or there is no memory.
 */
bool section_read(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, bool is_gnu,
		  struct unpack_budget *budget, struct section_bytes *out);

/*
 * In a relocatable file every section is at address 0. section_read() gives
 * those of code places of their own: .text at 0, and others where no address of
 * a profile is.
 */
#define SECTION_ELSEWHERE (UINT64_C(1) << 56)

#endif
