/*
 * tables.h - the symbol tables of one binary: the symbol at each of many
 * addresses, and stubs of the procedure linkage table, which have no symbols.
 *
 * A symbol without a size, as in assembly, ends at the next symbol, at the end
 * of its section, or where in .eh_frame its function ends or another begins; in
 * a stripped file also at the end that returns.h finds.
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
	bool has_few;        /* own has exported symbols only */
	struct symtab split; /* of its debug file, if the own lacks most */
	struct object mini_object;
	struct symtab mini; /* of a stripped file, packed into it */
	struct plt plt;
	char *stub; /* the last name of a stub */
};

/*
 * Look up the n addresses, ascending, in the tables of main and debug. The elf
 * of debug may be NULL; both must stay open. Call tables_release() even on
 * failure. -1 without memory.
 */
int tables_open(struct tables *t, const struct object *main,
		const struct object *debug, const struct code_map *code,
		const uint64_t *addr, size_t n);
void tables_release(struct tables *t);

/*
 * The frame of address i, which is addr: a symbol or a stub, whose name is
 * valid until the next call. false: there is none. Without memory a stub has no
 * name.
 */
bool tables_frame(struct tables *t, size_t i, uint64_t addr,
		  struct symbol_frame *f);

/*
 * The symbol at address i for the outermost function there, which DWARF calls
 * name. As in llvm-symbolizer, a symbol of the file itself wins, if it has no
 * version.
 */
bool tables_outermost(const struct tables *t, size_t i, const char *name,
		      struct symbol_frame *f);

#endif
