/*
 * symtab.h - ELF symbol tables.
 */
#ifndef SYMTAB_H
#define SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "section.h"

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
 * Call fn for each symbol that is at code, as symtab_match() sees it, in the
 * order of the table. name is the file's.
 */
void symtab_each(const struct symtab *t, const struct code_map *code,
		 void (*fn)(void *ctx, uint64_t value, uint64_t size,
			    const char *name),
		 void *ctx);

/*
 * Find the symbol of each of the n addresses, ascending: the last that begins
 * at or before it, of those that begin together the longest, of those the last
 * in the table, as llvm-symbolizer has it; none if that one ends before the
 * address. -1 without memory.
 */
int symtab_match(struct symtab *t, const struct code_map *code,
		 const uint64_t *addr, size_t n);

/*
 * The address of the symbol at address i, into *start, if it is one of no size,
 * as assembly has: it was taken to reach to the end of the code.
 */
bool symtab_is_open(const struct symtab *t, size_t i, uint64_t *start);

/* Nothing is at address i after all. */
void symtab_drop(struct symtab *t, size_t i);

/*
 * The name of the symbol of address i and, if it is a local one, the last part
 * of its file's. false: there is none.
 */
bool symtab_frame(const struct symtab *t, size_t i, struct symbol_frame *f);

#endif
