/*
 * symbolize-dwarf.h - the DWARF half of symbolize.c, and known to it alone.
 */
#ifndef SYMBOLIZE_DWARF_H
#define SYMBOLIZE_DWARF_H

#include <elfutils/libdw.h>

#include "symbolize-symtab.h"
#include "symbolize.h"

/*
 * As symbolize_run(), from the DWARF of dw alone. DWARF that speaks of places
 * other than code is ignored: it is what a linker leaves of functions that it
 * threw away. work bounds the number of things looked at.
 */
enum prof_status symbolize_dwarf(Dwarf *dw, const struct code_map *code,
				 const uint64_t *addr, size_t n, uint64_t work,
				 symbolize_fn *fn, void *ctx,
				 struct prof_err *err) MUST_USE;

#endif
