/*
 * demangle.h - names for people, of C++ and Rust functions. The only user of
 * libiberty.
 */
#ifndef PROF_DEMANGLE_H /* libiberty has DEMANGLE_H */
#define PROF_DEMANGLE_H

#include <stdbool.h>

#include "lib/base/status.h"

struct profile;

/* How much of a name to show; pprof's modes. */
enum demangle_mode {
	DEMANGLE_DEFAULT,   /* no parameters, no template arguments */
	DEMANGLE_TEMPLATES, /* no parameters */
	DEMANGLE_FULL,      /* all */
	DEMANGLE_NONE,      /* the mangled name */
};

/*
 * The name that the mangled name stands for, malloc'd for the caller; NULL if
 * it is not mangled, or without memory. A name that would become huge is not
 * demangled, as mangled ones can stand for more than memory holds.
 */
char *demangle_name(const char *mangled, enum demangle_mode mode);

/*
 * Give the functions of p names from their system names. Those that have
 * another one keep it, unless force is set. PROF_ENOMEM, or PROF_ENOTSUP when
 * there are mangled names, and this build can not demangle.
 */
enum prof_status demangle_profile(struct profile *p, enum demangle_mode mode,
				  bool force, struct prof_err *err) MUST_USE;

#endif
