/*
 * callgrind.h - call graphs as valgrind's callgrind and cachegrind write them,
 * Xdebug, too, and kcachegrind and callgrind_annotate read them:
 * https://valgrind.org/docs/manual/cl-format.html
 */
#ifndef CALLGRIND_H
#define CALLGRIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/status.h"

struct profile;

/*
 * Write all columns of p as events: self costs by function and line, and calls
 * with their inclusive costs. version is this program's. PROF_EUSAGE: negative
 * values; PROF_ENOMEM.
 */
enum prof_status callgrind_write(FILE *out, const struct profile *p,
				 const char *version,
				 struct prof_err *err) MUST_USE;

struct callgrind_options {
	bool flat; /* no stacks: each cost is a frame by itself */
};

/*
 * Read such a file: a column for each event. A call graph has no stacks. They
 * are made by following the calls from the functions that nobody calls, as far
 * as a millionth of the first event gets; a function's own cost is divided
 * among its stacks by how much of that event reaches it on each. So the costs
 * that a function and a line have by themselves are exact, while stacks and
 * inclusive costs are estimates, which a comment says. *out is the caller's.
 * PROF_EFORMAT names the line; PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status callgrind_parse(const void *data, size_t n,
				 const struct callgrind_options *how,
				 struct profile **out,
				 struct prof_err *err) MUST_USE;

#endif
