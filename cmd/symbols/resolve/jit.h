/*
 * jit.h - names of code that was compiled at run time, for resolve.c.
 */
#ifndef RESOLVE_JIT_H
#define RESOLVE_JIT_H

#include "impl.h"

/*
 * Name the locations in no mapping, or in anonymous memory, from perf maps and
 * jitdumps: those that the caller named, or those of the profile's processes.
 * PROF_ENOMEM.
 */
enum prof_status resolve_jit(struct resolve *r, struct prof_err *err) MUST_USE;

#endif
