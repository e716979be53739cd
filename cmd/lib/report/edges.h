/*
 * edges.h - sums for pairs of nodes, for the walk over all stacks: millions of
 * additions in random order to a table that may not fit any cache. So the
 * edges of a stack are added together, after all their slots were asked for.
 *
 * When edges below a limit will be dropped anyway, they need not be in the
 * table: a sketch, small enough to stay in the cache, adds up all weights by
 * hash first, and an edge whose cell is below the limit cannot be above it.
 */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGES_MAX_NODE 0x7ffffffeu

/*
 * An edge: from + 1 << 32 | to, and flags: some addition to it was residual,
 * was not inlined.
 */
#define EDGES_KEY(from, to) (((uint64_t)(from) + 1) << 32 | (to))
#define EDGES_FROM(key) ((uint32_t)((key) >> 32 & 0x7fffffffu) - 1)
#define EDGES_TO(key) ((uint32_t)((key)&0x7fffffffu))
#define EDGES_RESIDUAL (UINT64_C(1) << 63)
#define EDGES_OUTLINED (UINT64_C(1) << 31)

struct edge_slot {
	uint64_t key; /* 0: free */
	int64_t weight;
	uint32_t stamp; /* of the last addition */
};

struct edges {
	struct edge_slot *slot;
	int64_t *divisor; /* of each slot, or NULL */
	size_t n_slot;    /* a power of two */
	size_t n;
	uint64_t seed;
	uint64_t *sketch; /* cells, or NULL */
	bool is_sketching;
	uint64_t limit; /* of the sketch */
};

/*
 * Begin. With limit > 0 the edges are to be added twice: the first time they
 * only fill the sketch, then, after edges_sketched(), those that may reach the
 * limit go into the table. Returns -1 without memory.
 */
int edges_init(struct edges *e, uint64_t seed, bool has_divisor, int64_t limit);
void edges_release(struct edges *e);
void edges_sketched(struct edges *e);

/*
 * Add to each of n edges, unless its last addition had the same stamp, which
 * is not 0. The keys are overwritten. Returns -1 without memory.
 */
int edges_add(struct edges *e, uint64_t *key, size_t n, uint32_t stamp,
	      int64_t weight, int64_t divisor);

#endif
