/*
 * functions.h - the DWARF half of binary.c, private to it.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "binary.h"
#include "symbols/elf/object.h"
#include "symbols/elf/symtab.h"

/*
 * As binary_run(), from the DWARF of o alone. DWARF for addresses outside the
 * code is ignored: linkers leave it behind for functions that they discard. Up
 * to n_thread threads read units; the calling thread calls fn, in an order that
 * does not depend on n_thread.
 */
enum prof_status functions_run(const struct object *o,
			       const struct code_map *code,
			       const uint64_t *addr, size_t n,
			       unsigned n_thread, symbol_fn *fn, void *ctx,
			       struct prof_err *err) MUST_USE;

/*
 * Is all DWARF for the code in o and, if it needs one, the common file of dwz,
 * rather than in .dwo files?
 */
bool functions_are_whole(const struct object *o);

#endif
