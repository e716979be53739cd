/*
 * perfmap.h - perf maps: what a JIT compiler says it put where, in lines of a
 * start, a size and a name.
 *
 *	7f2a40001000 a0 LazyCompile:fib /srv/app.js:1
 */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "symlist.h"

/*
 * Append the functions in n bytes of text to l. Lines that are something else
 * are skipped, as is a last one that is still being written. PROF_ENOMEM.
 */
enum prof_status perfmap_read(struct symlist *l, const char *text, size_t n,
			      struct prof_err *err) MUST_USE;

#endif
