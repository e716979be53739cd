/*
 * symbolize-dwarf.h - the DWARF half of symbolize.c, and known to it alone.
 */
#ifndef SYMBOLIZE_DWARF_H
#define SYMBOLIZE_DWARF_H

#include <elfutils/libdw.h>

#include "symbolize.h"

/* A range of addresses, end exclusive. */
struct code_range {
	uint64_t start, end;
};

/*
 * As symbolize_run(), from the DWARF of dw alone. code: n_code ascending
 * ranges that hold instructions; DWARF that speaks of other places is ignored,
 * as it is what a linker leaves of functions that it threw away. work bounds
 * the number of things looked at.
 */
enum prof_status symbolize_dwarf(Dwarf *dw, const struct code_range *code,
				 size_t n_code, const uint64_t *addr, size_t n,
				 uint64_t work, symbolize_fn *fn, void *ctx,
				 struct prof_err *err) MUST_USE;

#endif
