/*
 * perfmap.h - perf maps: where a JIT compiler put functions, a line each:
 * start, size and name.
 *
 *	7f2a40001000 a0 LazyCompile:fib /srv/app.js:1
 */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "symlist.h"

/*
 * Append the functions in n bytes of text to l. Other lines are skipped, as is
 * an incomplete last one. PROF_ENOMEM.
 */
enum prof_status perfmap_read(struct symlist *l, const char *text, size_t n,
			      struct prof_err *err) MUST_USE;

#endif
