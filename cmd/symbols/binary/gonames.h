/*
 * gonames.h - the table that Go's runtime prints stacks by, .gopclntab: names,
 * files, lines and inlined functions, also of stripped programs (Go's
 * runtime/symtab.go). Private to binary.c.
 */
#ifndef GONAMES_H
#define GONAMES_H

#include "symbols/elf/frame.h"
#include "symbols/elf/object.h"

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
