/*
 * demangle.h - readable names of C++, Rust, D, OCaml, Haskell, Nim and Ada
 * functions. The only user of libiberty.
 */
#ifndef PROF_DEMANGLE_H /* libiberty has DEMANGLE_H */
#define PROF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

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
 * The demangled name, malloc'd for the caller; NULL if it is not mangled, or
 * without memory. By default also f for f<ARGUMENTS>, which debugging
 * information calls some functions; and p.f for Go's p.f.abi0. Haskell, Nim and
 * Ada mangle to what may be a name of C: only demangle_profile() knows in what
 * file such a name is.
 */
char *demangle_name(const char *mangled, enum demangle_mode mode);

/* This process has no rights already, and can start no other: from now on it
 * demangles by itself, within its own limits. */
void demangle_confined(void);

/*
 * The names until now that took too much time or memory to demangle and stay
 * mangled, with those that were not tried after too many of them.
 */
size_t demangle_n_late(void);

/*
 * Name the functions of p by demangling their system names; those of a mapping
 * in which a name or source file is certainly of Haskell, Nim or Ada also by
 * that language. Functions with a different name keep it, unless force is set.
 * PROF_ENOMEM, or PROF_ENOTSUP if there are mangled names and this build cannot
 * demangle.
 */
enum prof_status demangle_profile(struct profile *p, enum demangle_mode mode,
				  bool force, struct prof_err *err) MUST_USE;

#endif
