/*
 * pprof-hint.h - options of pprof that one of the other commands has: one
 * program there is many here, so its users look for them in the wrong one.
 */
#ifndef PPROF_HINT_H
#define PPROF_HINT_H

#include <stddef.h>

/*
 * What to run for the option name of n bytes, without its dashes; '_' in it is
 * '-'. NULL: pprof has no such option, or nothing here has.
 */
const char *pprof_hint(const char *name, size_t n);

#endif
