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

struct buf;

struct symcache;

/* The user's cache; or NULL, and err says why it can't be used, or stays as it
 * is if an empty $PROF_CACHE disables it. */
struct symcache *symcache_open(struct prof_err *err);
void symcache_free(struct symcache *c); /* NULL is allowed */

/*
 * As binary_run(), but answers in the cache are not looked up again, and new
 * answers are added to it. c may be NULL.
 */
enum prof_status symcache_run(const struct symcache *c, struct binary *s,
			      const uint64_t *addr, size_t n, bool dwarf,
			      symbol_fn *fn, void *ctx,
			      struct prof_err *err) MUST_USE;

/*
 * The same cache for a process that may open no files (symbols/elf/broker.h):
 * it asks for entries by name, and keep is called with new ones. For
 * symcache_free(); NULL without memory.
 */
struct symcache *symcache_apart(const struct symcache *c,
				void (*keep)(void *ctx, const char *key,
					     const struct buf *entry),
				void *ctx);

/* Open the entry of that name, as such a process asks; -1: there is none. */
int symcache_entry(const struct symcache *c, const char *name);

/* Keep the n bytes of an entry that such a process made, if they are valid. */
void symcache_keep(const struct symcache *c, const char *key, const void *entry,
		   size_t n);

#endif
