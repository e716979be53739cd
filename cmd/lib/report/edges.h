/*
 * edges.h - sums for pairs of nodes, for the walk over all stacks: millions of
 * additions in random order to a table that may exceed the caches. So all edges
 * of a stack are added together, after prefetching their slots.
 *
 * When edges below a limit will be dropped anyway, they need not be in the
 * table. A sketch that fits the cache first sums all weights by hash: an edge
 * whose cell is below the limit cannot reach it.
 */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGES_MAX_NODE 0x7ffffffeu

/*
 * An edge: from + 1 << 32 | to, and two flags: an addition to it was residual,
 * or was not inlined.
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
	int64_t *divisor; /* by slot, or NULL */
	size_t n_slot;    /* a power of two */
	size_t n;
	uint64_t seed;
	uint64_t *sketch; /* cells, or NULL */
	bool is_sketching;
	uint64_t limit; /* of the sketch */
};

/*
 * Begin. With limit > 0 all edges must be added twice: first they only fill the
 * sketch; then, after edges_sketched(), those that may reach the limit go into
 * the table. Returns -1 without memory.
 */
int edges_init(struct edges *e, uint64_t seed, bool has_divisor, int64_t limit);
void edges_release(struct edges *e);
void edges_sketched(struct edges *e);

/*
 * Add to each of n edges, except those whose last addition had the same stamp,
 * which is not 0. Overwrites key. Returns -1 without memory.
 */
int edges_add(struct edges *e, uint64_t *key, size_t n, uint32_t stamp,
	      int64_t weight, int64_t divisor);

#endif
