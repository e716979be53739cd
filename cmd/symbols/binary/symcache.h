/*
 * symcache.h - a cache of the answers of earlier runs: the frames at addresses
 * of an object, in $PROF_CACHE/symbols or, without that variable, below the
 * user's cache. Each file is for one object in one state: binary_key(). Names
 * are as in the object, so the cache serves all demangling modes.
 *
 * A cache that can't be read or written counts as empty and is not an error.
 * Any number of processes may use it.
 */
#ifndef SYMCACHE_H
#define SYMCACHE_H

#include "binary.h"

struct symcache;

/* The user's cache, or NULL if there is none; an empty $PROF_CACHE disables
 * it. */
struct symcache *symcache_open(void);
void symcache_free(struct symcache *c); /* NULL is allowed */

/*
 * As binary_run(), but answers in the cache are not looked up again, and new
 * answers are added to it. c may be NULL.
 */
enum prof_status symcache_run(const struct symcache *c, struct binary *s,
			      const uint64_t *addr, size_t n, bool dwarf,
			      symbol_fn *fn, void *ctx,
			      struct prof_err *err) MUST_USE;

#endif
