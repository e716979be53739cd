/* debug.h - find the split-off debug file of an object, for binary.c. */
#ifndef DEBUG_H
#define DEBUG_H

#include <stddef.h>

#include "symbols/elf/object.h"

/*
 * Look for the debug file of o, as binary_find_debug() says, and open it as
 * *debug, which stays closed if there is none. PROF_ENOMEM.
 */
enum prof_status debug_find(const struct object *o, const char *const *dir,
			    size_t n, struct object *debug,
			    struct prof_err *err) MUST_USE;

#endif
