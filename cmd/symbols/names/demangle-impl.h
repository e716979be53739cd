/* demangle-impl.h - the languages of demangle.c. */
#ifndef DEMANGLE_IMPL_H
#define DEMANGLE_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "demangle.h"

/*
 * demangle-rust.c: functions in the mangling "v0", which begins with _R: RFC
 * 2603 and "Symbol Mangling" in The rustc Book. Names look as rustc-demangle
 * prints them with {:#}: without hashes of crates and types of constants.
 *
 * libiberty is not used, because a symbol of 31 bytes can ask for 62^9
 * lifetimes, or for a type that doubles with every reference to it, without
 * printing anything: a demangler that can be stopped only at its output hangs.
 *
 * Demangle the n bytes at s into a malloc'd string for the caller. NULL if they
 * are no such symbol, if the name would exceed max bytes, if it takes too many
 * steps or too deep a recursion, or without memory.
 */
char *demangle_rust_v0(const char *s, size_t n, size_t max);

/* As demangle_name(), of one that begins with _D. */
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

/* As demangle_name(), of a name of OCaml or of a language of the set. */
char *demangle_by_language(const char *mangled, unsigned set,
			   enum demangle_mode mode);

/*
 * punycode.c: Unicode as ASCII (RFC 3492), with lower case letters only. Decode
 * len bytes into at most max characters. The delimiter stands between
 * the ASCII characters and the deltas. Returns how many characters there are;
 * 0: more than max, or wrong. Takes time quadratic in max.
 */
size_t punycode_decode(const char *text, size_t len, char delimiter,
		       uint32_t *wide, size_t max);

#endif
