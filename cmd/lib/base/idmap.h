/*
 * idmap.h - map the 64-bit ids of a stream to indices. Most producers number
 * from 1, so this is an array with a hash table as fallback.
 */
#ifndef IDMAP_H
#define IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
	uint32_t *dense; /* ids below n_dense: index, or IDMAP_NONE */
	size_t n_dense;
	uint64_t *id; /* the others, so not 0: open addressing, 0 = free */
	uint32_t *index;
	size_t n_slot; /* a power of two, or 0 */
	size_t n_used;
	uint64_t key[2]; /* of hash_mix() */
};

/* A map for about n ids; 0 is always dense. Returns -1 without memory. */
int idmap_init(struct idmap *m, size_t n);
void idmap_release(struct idmap *m);

int idmap_add_sparse(struct idmap *m, uint64_t id, uint32_t index);
uint32_t idmap_find_sparse(const struct idmap *m, uint64_t id);

/*
 * Map id to index. Returns 0; 1 if the map has the id already,
 * and is unchanged; -1 without memory.
 */
static inline int
idmap_add(struct idmap *m, uint64_t id, uint32_t index)
{
	if (id >= m->n_dense)
		return idmap_add_sparse(m, id, index);
	if (m->dense[id] != IDMAP_NONE)
		return 1;
	m->dense[id] = index;
	return 0;
}

/* The index of id, or IDMAP_NONE. */
static inline uint32_t
idmap_find(const struct idmap *m, uint64_t id)
{
	if (id < m->n_dense)
		return m->dense[id];
	return m->n_used ? idmap_find_sparse(m, id) : IDMAP_NONE;
}

#endif
