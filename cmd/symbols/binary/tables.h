/*
 * tables.h - the symbol tables of one binary: which symbol is at each of many
 * addresses, and the stubs of the procedure linkage table, which have none.
 *
 * A symbol without a size (assembly has them) reaches to the next symbol, to
 * the end of its section, or to where .eh_frame says that its function ends or
 * another one begins; in a stripped file also to the end that returns.h finds.
 */
#ifndef TABLES_H
#define TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/frame.h"
#include "symbols/elf/object.h"
#include "symbols/elf/plt.h"
#include "symbols/elf/symtab.h"

struct tables {
	struct symtab own;   /* of the file itself */
	bool has_few;        /* that one has the exported symbols only */
	struct symtab split; /* of its debug file, if the own lacks most */
	struct object mini_object;
	struct symtab mini; /* of a stripped file, packed into it */
	struct plt plt;
	char *stub; /* the last name that was made for one */
};

/*
 * Look up the n addresses, ascending, in the tables of main and of debug, whose
 * elf may be NULL. Both must stay open. *t is the caller's, for
 * tables_release(), in any case. -1 without memory.
 */
int tables_open(struct tables *t, const struct object *main,
		const struct object *debug, const struct code_map *code,
		const uint64_t *addr, size_t n);
void tables_release(struct tables *t);

/*
 * What is at address i, which is addr: a symbol or a stub, whose name is good
 * until the next call. false: nothing. Without memory a stub has no name.
 */
bool tables_frame(struct tables *t, size_t i, uint64_t addr,
		  struct symbol_frame *f);

/*
 * The symbol at address i, for the outermost function there, which DWARF calls
 * name. One of the file itself wins, as with llvm-symbolizer, if it has no
 * version.
 */
bool tables_outermost(const struct tables *t, size_t i, const char *name,
		      struct symbol_frame *f);

#endif
