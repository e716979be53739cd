/*
 * runtime.h - runtimes that compile code at run time, and the option that makes
 * each write down the names of that code.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>

struct profile;

/* What it needs: an option, or a variable, as a user would type it; and how the
 * environment alone says it. Without variable: there is none, and why. */
struct runtime {
	const char *name, *how;
	const char *variable, *value;
	const char *leaves; /* "and FILE": what it writes beside its names */
	bool is_read;       /* libsample reads its functions without that */
};

/* The first known runtime that p has a mapping of, or NULL. */
const struct runtime *runtime_of(const struct profile *p);

/* All of them, in turn: the first after NULL; NULL after the last. */
const struct runtime *runtime_next(const struct runtime *last);

/*
 * Can a mapping with this file name be anonymous memory with a runtime's code?
 * perf(1) names such memory by the file with its symbols.
 */
bool runtime_may_own(const char *file);

/*
 * The share of samples in memory where runtimes put code, from the shares by
 * mapping; the last of these, after p's mappings, is of samples without one.
 */
double runtime_share(const struct profile *p, const double *by_mapping);

#endif
