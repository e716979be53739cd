/*
 * dynload.h - load a shared library when it is first needed. To start with it
 * takes longer than most runs of a command, which do not need it.
 */
#ifndef DYNLOAD_H
#define DYNLOAD_H

#include <stddef.h>

#include "status.h"

/*
 * Load the library of this file name and fill in the struct at calls: n
 * pointers to functions, in the order of their names. The library stays loaded
 * until the process ends. PROF_ENOTSUP: it is not installed, or has no such
 * function.
 */
enum prof_status dynload(const char *soname, const char *const names[],
			 size_t n, void *calls, struct prof_err *err) MUST_USE;

#endif
