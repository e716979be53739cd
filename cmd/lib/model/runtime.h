/*
 * runtime.h - runtimes that make code while they run (JIT compilers), and how
 * each is told to write down the names of that code, which nothing else knows.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>

struct profile;

/*
 * The first runtime that p has a mapping of: its name at *name, and the switch
 * or the variable that it needs, as a user would type it; both static. NULL: p
 * has none that is known here.
 */
const char *runtime_switch(const struct profile *p, const char **name);

/*
 * Is a mapping of this file anonymous memory, where a runtime puts its code?
 * perf(1) calls that memory by the file in which its names are.
 */
bool runtime_may_own(const char *file);

#endif
