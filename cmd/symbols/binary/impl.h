/* impl.h - parts of binary.c, private to it. */
#ifndef BINARY_IMPL_H
#define BINARY_IMPL_H

#include <stddef.h>

#include "binary.h"
#include "symbols/elf/frame.h"
#include "symbols/elf/object.h"
#include "symbols/elf/symtab.h"

/*
 * functions.c, the DWARF half: as binary_run(), from the DWARF of o and of sup,
 * the common file of dwz, whose elf may be NULL.
 * DWARF for addresses outside the code is ignored: linkers leave it behind for
 * functions that they discard. Up to n_thread threads read units; the calling
 * thread calls fn, in an order that does not depend on n_thread.
 */
enum prof_status functions_run(const struct object *o, const struct object *sup,
			       const struct code_map *code,
			       const uint64_t *addr, size_t n,
			       unsigned n_thread, symbol_fn *fn, void *ctx,
			       struct prof_err *err) MUST_USE;

/* Is all DWARF for the code in o, and the common file of dwz, rather than in
 * .dwo files? */
bool functions_are_whole(const struct object *o);

/*
 * Look for the debug file of o, as binary_find_debug() says, and open it as
 * *debug, which stays closed if there is none. PROF_ENOMEM.
 */
enum prof_status debug_find(const struct object *o, const char *const *dir,
			    size_t n, struct object *debug,
			    struct prof_err *err) MUST_USE;

/* The same for the common file of dwz that o needs, if it does. */
enum prof_status debug_find_sup(const struct object *o, const char *const *dir,
				size_t n, struct object *sup,
				struct prof_err *err) MUST_USE;

/*
 * gonames.c: the table that Go's runtime prints stacks by, .gopclntab: names,
 * files, lines and inlined functions, also of stripped programs (Go's
 * runtime/symtab.go).
 */

/*
 * Call fn for each of the n addresses, ascending, that is in a Go function and
 * not yet done. Go 1.18 and later, 64 bits; other tables are ignored. Where the
 * inlined functions cannot be found, as in position-independent programs, a
 * function has no file and line inside of them. PROF_ENOMEM; PROF_EFORMAT:
 * damage cost some answers.
 */
enum prof_status gonames_run(const struct object *o, const uint64_t *addr,
			     size_t n, const bool *done, symbol_fn *fn,
			     void *ctx, struct prof_err *err) MUST_USE;

#endif
