/*
 * runtime.h - runtimes that compile code at run time, and the option that makes
 * each write down the names of that code.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>

struct profile;

/*
 * The first known runtime that p has a mapping of: its name in *name, and the
 * option or variable that it needs, as a user would type it; both static. NULL:
 * there is none.
 */
const char *runtime_switch(const struct profile *p, const char **name);

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
