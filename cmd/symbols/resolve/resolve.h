/*
 * resolve.h - symbols into a profile: for each mapping the local file is
 * found, the addresses of its locations are looked up in it, and the locations
 * get lines.
 */
#ifndef RESOLVE_H
#define RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct locate;
struct profile;
struct symcache;

struct resolve_options {
	const struct locate *locate;
	const char *binary;     /* the file of the first mapping, or NULL */
	bool force;             /* what has symbols is done again */
	bool no_lines;          /* names only, from symbol tables */
	const char *kallsyms;   /* the kernel's symbols, or NULL */
	const char *const *jit; /* perf maps and jitdumps, for all processes */
	size_t n_jit;
	unsigned n_thread;            /* to read with; 0: one */
	const struct symcache *cache; /* NULL: none */
	/*
	 * Finds what is not on this machine: the path of the program with this
	 * build-id, or of its debug information, for free(); NULL: there is
	 * none. May itself be NULL.
	 */
	char *(*find)(void *ctx, const char *build_id, bool want_debug);
	void *find_ctx;
	/*
	 * Called with the mapping that is worked on next, and with the reason
	 * why one could not be symbolized. Either may be NULL: failures then
	 * go to warn.
	 */
	void (*looking)(void *ctx, uint32_t mapping);
	void (*failed)(void *ctx, uint32_t mapping, const char *why);
	void *report;
	/* Prints a warning, one line at a time. */
	void (*warn)(const char *fmt, ...)
		__attribute__((format(printf, 1, 2)));
};

/*
 * Symbolize p in place. Left alone are mappings that are symbolized already
 * and, in others, locations that have lines, unless forced; addresses of which
 * nothing is known; and what is no file. What does not work is a warning.
 * PROF_ENOMEM.
 */
enum prof_status resolve_profile(struct profile *p,
				 const struct resolve_options *o,
				 struct prof_err *err) MUST_USE;

#endif
