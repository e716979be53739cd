/*
 * callgrind.h - call graphs for kcachegrind and callgrind_annotate:
 * https://valgrind.org/docs/manual/cl-format.html. Such files are not read:
 * they have calls but no stacks, which could only be guessed.
 */
#ifndef CALLGRIND_H
#define CALLGRIND_H

#include <stdio.h>

#include "lib/base/status.h"

struct profile;

/*
 * Write all columns of p as events: self costs by function and line, and calls
 * with their inclusive costs. PROF_EUSAGE: negative values; PROF_ENOMEM.
 */
enum prof_status callgrind_write(FILE *out, const struct profile *p,
				 struct prof_err *err) MUST_USE;

#endif
