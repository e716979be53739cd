/* demangle-impl.h - the languages of demangle.c. */
#ifndef DEMANGLE_IMPL_H
#define DEMANGLE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "demangle.h"

#if HAVE_LIBIBERTY
#define CAN_DEMANGLE true
#else
#define CAN_DEMANGLE false
#endif

/* A name, and what becomes of it. */
struct mangled {
	const char *name;
	char *shown;        /* malloc'd for the caller; NULL: it stays */
	unsigned languages; /* enum demangle_language: of its file */
	uint32_t function;  /* the caller's */
};

/*
 * demangle-apart.c: fill in `shown` of n names. Names are untrusted, and
 * libiberty trusts them: it recurses for each character, and a name of 31 bytes
 * can ask it for 62^9 lifetimes, or for gigabytes. So it is called by a process
 * without rights, which a name that takes too much time or memory ends: that
 * name stays mangled, and another such process is started for those after it.
 */
void demangle_all(struct mangled *m, size_t n, enum demangle_mode mode);

/* Is libiberty called for it, whatever its language? Not for __start, as most
 * names of C that begin with an underscore. */
bool demangle_is_risky(const char *name);

/* As demangle_name(), in this process, of a name in a file of these languages.
 */
char *demangle_here(const char *mangled, unsigned languages,
		    enum demangle_mode mode);

/*
 * In place, in what libiberty shows: remove template arguments; empty generic
 * ones of Rust, f::<T> and Vec<T>, but keep <T as Trait>; remove D's parameters
 * and what follows the last of them (const, shared), with templates their
 * arguments.
 */
void demangle_strip_templates(char *name);
void demangle_strip_generics(char *name);
void demangle_strip_d(char *name, bool templates);

/* As demangle_here(), of one that begins with _D. */
char *demangle_d(const char *mangled, enum demangle_mode mode);

/*
 * demangle-languages.c: languages whose mangled names look like those of C.
 * Only OCaml's cannot be others.
 */
enum demangle_language {
	LANGUAGE_HASKELL = 1,
	LANGUAGE_NIM = 2,
	LANGUAGE_ADA = 4,
};

/* The set of those that a function with this name and source file proves to be
 * in its program or library. */
unsigned demangle_languages(const char *name, const char *file);

/* As demangle_here(), of a name of OCaml or of a language of the set. */
char *demangle_by_language(const char *mangled, unsigned set,
			   enum demangle_mode mode);

#endif
