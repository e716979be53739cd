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

/* A symbol table, and the symbol at each wanted address. */
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
 * Call fn for each symbol that is in code, by the rules of symtab_match(), in
 * the order of the table. name belongs to the file.
 */
void symtab_each(const struct symtab *t, const struct code_map *code,
		 void (*fn)(void *ctx, uint64_t value, uint64_t size,
			    const char *name),
		 void *ctx);

/* The same for each variable, in the order of the table. */
void symtab_each_object(const struct symtab *t,
			void (*fn)(void *ctx, uint64_t value, uint64_t size,
				   const char *name),
			void *ctx);

/*
 * Find the symbol of each of the n addresses, ascending: the one that begins
 * last at or before it; of several, the longest; of these, the last in the
 * table, as llvm-symbolizer does. If it ends before the address, take instead
 * the last one with a size that covers it, as gdb does: symbols may be nested.
 * -1 without memory.
 */
int symtab_match(struct symtab *t, const struct code_map *code,
		 const uint64_t *addr, size_t n);

/*
 * If the symbol at address i has no size, as in assembly, set *start to its
 * address: it was taken to reach to the end of the code.
 */
bool symtab_is_open(const struct symtab *t, size_t i, uint64_t *start);

/* Forget the symbol at address i. */
void symtab_drop(struct symtab *t, size_t i);

/*
 * The name of the symbol at address i and, for a local symbol, the last part of
 * its file's name. false: there is none.
 */
bool symtab_frame(const struct symtab *t, size_t i, struct symbol_frame *f);

#endif
