/*
 * symbolize-symtab.h - ELF symbol tables, for symbolize.c; and what the
 * section headers say about where instructions are.
 */
#ifndef SYMBOLIZE_SYMTAB_H
#define SYMBOLIZE_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/binary/binary.h"

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

/* A symbol table, and which of its symbols is at each wanted address. */
struct symtab {
	Elf *elf;
	Elf_Data *data;
	size_t n;
	size_t strings; /* section */
	struct symtab_match *match;
};

/* Open the table of type SHT_SYMTAB or SHT_DYNSYM. false: elf has none. */
bool symtab_open(Elf *elf, unsigned type, struct symtab *t);
void symtab_release(struct symtab *t);

/* The value of the symbol of this name. */
bool symtab_value(const struct symtab *t, const char *name, uint64_t *value);

/*
 * Find the symbol of each of the n addresses, ascending: the last that begins
 * at or before it, of those that begin together the longest, of those the last
 * in the table, as llvm-symbolizer has it; none if that one ends before the
 * address. -1 without memory.
 */
int symtab_match(struct symtab *t, const struct code_map *code,
		 const uint64_t *addr, size_t n);

/*
 * What the symbol of address i says: its name and, if it is a local one, the
 * last part of its file's. false: there is none.
 */
bool symtab_frame(const struct symtab *t, size_t i, struct symbolize_frame *f);

#endif
