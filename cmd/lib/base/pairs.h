/*
 * pairs.h - number pairs of indices in order of arrival: caller and callee,
 * node and label. Used in the walk over all stacks, so finding a known pair is
 * inline, and each slot remembers its last user.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>
#include <stdint.h>

#define PAIRS_NONE UINT32_MAX

struct pair_slot {
	uint32_t a, b;
	uint32_t index; /* + 1; 0: free */
	uint32_t stamp; /* of the last user of the pair */
};

struct pairs {
	struct pair_slot *slot;
	size_t n_slot; /* a power of two */
	size_t n;      /* pairs */
	uint64_t seed; /* of the hash: names and stacks are untrusted */
};

/* Begin an empty table. Returns -1 without memory. */
int pairs_init(struct pairs *p, uint64_t seed);
void pairs_release(struct pairs *p);

/* Double the room. Returns -1, unchanged, without memory. */
int pairs_grow(struct pairs *p);

static inline size_t
pairs_hash(const struct pairs *p, uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) ^ p->seed;

	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return (size_t)(h >> 20);
}

/*
 * The slot of (a, b). A new pair gets the next number, and stamp 0.
 * Valid until the next call. NULL without memory or past 2^32 - 2 pairs.
 */
static inline struct pair_slot *
pairs_add(struct pairs *p, uint32_t a, uint32_t b)
{
	struct pair_slot *s;
	size_t i;

	if (p->n * 2 >= p->n_slot && pairs_grow(p) < 0)
		return NULL;
	i = pairs_hash(p, a, b) & (p->n_slot - 1);
	for (;; i = (i + 1) & (p->n_slot - 1)) {
		s = &p->slot[i];
		if (s->a == a && s->b == b && s->index)
			return s;
		if (!s->index)
			break;
	}
	*s = (struct pair_slot){ a, b, (uint32_t)++p->n, 0 };
	return s;
}

#endif
