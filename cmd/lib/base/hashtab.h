/*
 * hashtab.h - hash tables of 32-bit indices. The caller defines the entries
 * that they refer to, and when two are equal. Open addressing; a slot has the
 * hash in its upper half and index + 1 in its lower, so a table grows without
 * access to the entries.
 *
 *	size_t at = hashtab_start(t, hash);
 *	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE)
 *		if (equal(i))
 *			return i;
 *	hashtab_add(t, hash, new);
 */
#ifndef HASHTAB_H
#define HASHTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bigmem.h"
#include "hash.h"

#define HASHTAB_NONE UINT32_MAX

struct hashtab {
	uint64_t *slot; /* mask + 1 of them */
	size_t mask;
	size_t n;
	uint64_t key[2]; /* of hashtab_mix() */
};

/* hash_mix() with the key of the table. */
static inline uint64_t
hashtab_mix(const struct hashtab *t, uint64_t h, uint64_t word)
{
	return hash_mix(t->key, h, word);
}

static inline uint64_t *
hashtab_slots(size_t n)
{
	uint64_t *slot = malloc(n * sizeof(*slot));

	if (slot) {
		bigmem_hint(slot, n * sizeof(*slot));
		memset(slot, 0, n * sizeof(*slot));
	}
	return slot;
}

/* Make room for a total of n indices. Returns -1, unchanged, without memory. */
static inline int
hashtab_reserve(struct hashtab *t, size_t n)
{
	size_t n_slot = t->slot ? t->mask + 1 : 64;
	uint64_t *slot;

	while (n_slot / 2 < n)
		n_slot *= 2;
	if (t->slot && n_slot == t->mask + 1)
		return 0;
	slot = hashtab_slots(n_slot);
	if (!slot)
		return -1;
	for (size_t i = 0; t->slot && i <= t->mask; i++) {
		size_t at = t->slot[i] >> 32;

		if (!t->slot[i])
			continue;
		while (slot[at & (n_slot - 1)])
			at++;
		slot[at & (n_slot - 1)] = t->slot[i];
	}
	free(t->slot);
	t->slot = slot;
	t->mask = n_slot - 1;
	return 0;
}

/* Begin an empty table. Returns -1 without memory. */
static inline int
hashtab_init(struct hashtab *t)
{
	memset(t, 0, sizeof(*t));
	hash_init(t->key);
	return hashtab_reserve(t, 1);
}

static inline void
hashtab_release(struct hashtab *t)
{
	free(t->slot);
	t->slot = NULL;
}

static inline size_t
hashtab_start(const struct hashtab *t, uint32_t hash)
{
	return hash & t->mask;
}

/* The next index with that hash, or HASHTAB_NONE. */
static inline uint32_t
hashtab_next(const struct hashtab *t, uint32_t hash, size_t *at)
{
	uint64_t slot;

	while ((slot = t->slot[*at])) {
		*at = (*at + 1) & t->mask;
		if (slot >> 32 == hash)
			return (uint32_t)slot - 1;
	}
	return HASHTAB_NONE;
}

/* Add an index that is not there. Returns -1 without memory. */
static inline int
hashtab_add(struct hashtab *t, uint32_t hash, uint32_t index)
{
	size_t at;

	if (hashtab_reserve(t, t->n + 1) < 0)
		return -1;
	at = hashtab_start(t, hash);
	while (t->slot[at])
		at = (at + 1) & t->mask;
	t->slot[at] = (uint64_t)hash << 32 | (index + 1);
	t->n++;
	return 0;
}

/* Is the entry of this index, found through ctx, equal to key? */
typedef bool hashtab_same_fn(const void *ctx, uint32_t index, const void *key);

/*
 * The index of key, with a hash of it: equal keys have equal hashes. A new key
 * is added with the index next, and the caller fills its entry. t may be all 0,
 * an empty table. HASHTAB_NONE without memory.
 */
static inline uint32_t
hashtab_intern(struct hashtab *t, uint64_t hash, hashtab_same_fn *same,
	       const void *ctx, const void *key, size_t next)
{
	uint32_t h, i;
	size_t at;

	if (next >= HASHTAB_NONE || (!t->slot && hashtab_init(t) < 0))
		return HASHTAB_NONE;
	h = (uint32_t)hashtab_mix(t, 0, hash);
	at = hashtab_start(t, h);
	while ((i = hashtab_next(t, h, &at)) != HASHTAB_NONE)
		if (same(ctx, i, key))
			return i;
	return hashtab_add(t, h, (uint32_t)next) < 0 ? HASHTAB_NONE
						     : (uint32_t)next;
}

#endif
