/*
 * resolve.h - symbolize a profile: find the local file of each mapping, look up
 * the addresses of its locations in it, and give the locations lines.
 */
#ifndef RESOLVE_H
#define RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct binary;
struct locate;
struct mapping;
struct profile;
struct symcache;

struct resolve_options {
	const struct locate *locate;
	const char *binary; /* the file of the first mapping, or NULL */
	bool force;         /* symbolize even what has symbols */
	bool no_lines;      /* names only, from symbol tables */
	/*
	 * By mapping: a descriptor of its file, which is read instead of the
	 * one at its path; or -1. May be NULL.
	 */
	const int *held;
	bool only_held; /* name nothing else */
	bool apart;     /* read files without rights even if not root */
	bool ranges;    /* "[FILE+0xSTART]" for functions that have no symbol */
	const char *kallsyms;   /* the kernel's symbols, or NULL */
	const char *const *jit; /* perf maps and jitdumps, for all processes */
	size_t n_jit;
	unsigned n_thread;            /* to read with; 0: one */
	const struct symcache *cache; /* NULL: none */
	/*
	 * Finds files that are not on this machine: returns the path of the
	 * program with this build-id, or of its debug information, for free();
	 * NULL: not found. May itself be NULL.
	 */
	char *(*find)(void *ctx, const char *build_id, bool want_debug);
	void *find_ctx;
	/*
	 * looking is called with each mapping, failed with one that could not
	 * be symbolized and the reason. Either may be NULL: failures then go to
	 * warn.
	 */
	void (*looking)(void *ctx, uint32_t mapping);
	void (*failed)(void *ctx, uint32_t mapping, const char *why);
	void *report;
	/* Prints a warning, one line at a time. */
	void (*warn)(const char *fmt, ...)
		__attribute__((format(printf, 1, 2)));
};

/*
 * Symbolize p in place. Mappings that are already symbolized and, in others,
 * locations that have lines are skipped, unless forced. Addresses without
 * symbols and mappings that are not of files are skipped, too. Failures are
 * warnings. PROF_ENOMEM.
 */
enum prof_status resolve_profile(struct profile *p,
				 const struct resolve_options *o,
				 struct prof_err *err) MUST_USE;

/*
 * Open the object of mapping m of p, and its debug file. Uses o->locate,
 * o->find and o->no_lines. *out (binary_close()) and *path, its name (free()),
 * are the caller's. PROF_EIO and PROF_EFORMAT say why it failed; PROF_ENOMEM.
 */
enum prof_status resolve_open(struct profile *p, uint32_t m,
			      const struct resolve_options *o,
			      struct binary **out, char **path,
			      struct prof_err *err) MUST_USE;

/*
 * The base of mapping m: address in s = address - *base (loadbase.h). file is
 * its name in the profile, path that of s, inside an address in it.
 * PROF_EINVALID if m cannot be a mapping of s.
 */
enum prof_status resolve_base(const struct mapping *m, const char *file,
			      const char *path, struct binary *s,
			      uint64_t inside, uint64_t *base,
			      struct prof_err *err) MUST_USE;

#endif
