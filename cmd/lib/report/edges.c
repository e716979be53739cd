/* edges.c - see edges.h. */
#include "config.h"

#include "edges.h"

#include <stdlib.h>

#include "lib/base/bigmem.h"
#include "lib/model/units.h"

#define N_CELL 65536  /* half a megabyte: a share of a second-level cache */
#define IN_CACHE 8192 /* slots that stay in the cache without prefetching */

static const uint64_t flags = EDGES_RESIDUAL | EDGES_OUTLINED;

static inline size_t
hash_key(const struct edges *e, uint64_t key)
{
	uint64_t h = (key & ~flags) ^ e->seed;

	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return (size_t)(h >> 16);
}

static int
edges_grow(struct edges *e, bool has_divisor)
{
	size_t n = e->n_slot ? e->n_slot * 2 : 1024;
	struct edge_slot *slot = calloc(n, sizeof(*slot));
	int64_t *divisor = has_divisor ? calloc(n, sizeof(*divisor)) : NULL;

	if (!slot || (has_divisor && !divisor)) {
		free(slot);
		free(divisor);
		return -1;
	}
	bigmem_hint(slot, n * sizeof(*slot));
	for (size_t k = 0; k < e->n_slot; k++) {
		size_t i = hash_key(e, e->slot[k].key) & (n - 1);

		if (!e->slot[k].key)
			continue;
		while (slot[i].key)
			i = (i + 1) & (n - 1);
		slot[i] = e->slot[k];
		if (divisor)
			divisor[i] = e->divisor[k];
	}
	free(e->slot);
	free(e->divisor);
	e->slot = slot;
	e->divisor = divisor;
	e->n_slot = n;
	return 0;
}

int
edges_init(struct edges *e, uint64_t seed, bool has_divisor, int64_t limit)
{
	e->seed = seed;
	if (limit > 0) {
		e->sketch = calloc(N_CELL, sizeof(*e->sketch));
		e->limit = (uint64_t)limit;
		e->is_sketching = true;
		if (!e->sketch)
			return -1;
	}
	return edges_grow(e, has_divisor);
}

void
edges_release(struct edges *e)
{
	free(e->slot);
	free(e->divisor);
	free(e->sketch);
}

void
edges_sketched(struct edges *e)
{
	e->is_sketching = false;
}

static void
add_to_sketch(struct edges *e, const uint64_t *key, size_t n, int64_t weight)
{
	uint64_t w = (uint64_t)units_abs(weight);

	for (size_t k = 0; k < n; k++) {
		uint64_t *cell = &e->sketch[hash_key(e, key[k]) & (N_CELL - 1)];

		if (__builtin_add_overflow(*cell, w, cell))
			*cell = UINT64_MAX;
	}
}

static void
add_to_slot(struct edges *e, uint64_t key, uint32_t stamp, int64_t weight,
	    int64_t divisor)
{
	size_t i = hash_key(e, key) & (e->n_slot - 1);
	struct edge_slot *s = &e->slot[i];

	while (s->key && (s->key ^ key) & ~flags) {
		i = (i + 1) & (e->n_slot - 1);
		s = &e->slot[i];
	}
	if (s->stamp == stamp)
		return;
	e->n += !s->key;
	s->stamp = stamp;
	s->key |= key;
	s->weight = units_add(s->weight, weight);
	if (e->divisor)
		e->divisor[i] = units_add(e->divisor[i], divisor);
}

/* Keep the keys whose cell reaches the limit. Returns their number. */
static size_t
keep_heavy(const struct edges *e, uint64_t *key, size_t n)
{
	size_t kept = 0;

	for (size_t k = 0; k < n; k++) {
		key[kept] = key[k];
		kept += e->sketch[hash_key(e, key[k]) & (N_CELL - 1)] >=
			e->limit;
	}
	return kept;
}

int
edges_add(struct edges *e, uint64_t *key, size_t n, uint32_t stamp,
	  int64_t weight, int64_t divisor)
{
	if (e->is_sketching) {
		add_to_sketch(e, key, n, weight);
		return 0;
	}
	while ((e->n + n) * 3 > e->n_slot * 2)
		if (edges_grow(e, e->divisor != NULL) < 0)
			return -1;
	if (e->sketch)
		n = keep_heavy(e, key, n);
	else if (e->n_slot > IN_CACHE)
		for (size_t k = 0; k < n; k++)
			__builtin_prefetch(
				&e->slot[hash_key(e, key[k]) & (e->n_slot - 1)],
				1);
	for (size_t k = 0; k < n; k++)
		add_to_slot(e, key[k], stamp, weight, divisor);
	return 0;
}
