/*
 * set.h - a hash table from things that the caller keeps in an array, and can
 * compare, to their index.
 */
#ifndef SET_H
#define SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SET_NONE UINT32_MAX

/* Zeros are an empty one. */
struct set {
	struct set_slot *slot;
	size_t n_slot; /* a power of two, or 0 */
	size_t n;
};

/* Is entry index of what ctx leads to equal to key? */
typedef bool set_same_fn(const void *ctx, uint32_t index, const void *key);

/*
 * The index of key, whose hash this is. If it is new: next, which the caller
 * then fills. SET_NONE without memory.
 */
uint32_t set_add(struct set *s, uint64_t hash, set_same_fn *same,
		 const void *ctx, const void *key, size_t next);

void set_release(struct set *s);

#endif
