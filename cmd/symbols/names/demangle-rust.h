/*
 * demangle-rust.h - names of Rust functions in the mangling "v0", which begins
 * with _R: RFC 2603 and "Symbol Mangling" in The rustc Book. Names look as
 * rustc-demangle prints them with {:#}: without hashes of crates and without
 * types of constants.
 *
 * libiberty is not used, because a symbol of 31 bytes can ask for 62^9
 * lifetimes, or for a type that doubles with every reference to it, without
 * printing anything: a demangler that can be stopped only at its output hangs.
 */
#ifndef DEMANGLE_RUST_H
#define DEMANGLE_RUST_H

#include <stddef.h>

/*
 * Demangle the n bytes at s into a malloc'd string for the caller. NULL if they
 * are no such symbol, if the name would exceed max bytes, if it takes too many
 * steps or too deep a recursion, or without memory.
 */
char *demangle_rust_v0(const char *s, size_t n, size_t max);

#endif
