/* idmap.c - see idmap.h. */
#include "config.h"

#include "idmap.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

int
idmap_init(struct idmap *m, size_t n)
{
	memset(m, 0, sizeof(*m));
	hash_init(m->key);
	m->n_dense = n < UINT32_MAX ? n * 2 + 64 : 64;
	m->dense = malloc(m->n_dense * sizeof(*m->dense));
	if (!m->dense)
		return -1;
	memset(m->dense, 0xff, m->n_dense * sizeof(*m->dense));
	return 0;
}

void
idmap_release(struct idmap *m)
{
	free(m->dense);
	free(m->id);
	free(m->index);
	memset(m, 0, sizeof(*m));
}

/* The slot of id, or the free slot for it. */
static size_t
find_slot(const uint64_t key[2], const uint64_t *slots, size_t n_slot,
	  uint64_t id)
{
	size_t i = hash_mix(key, 0, id) & (n_slot - 1);

	while (slots[i] && slots[i] != id)
		i = (i + 1) & (n_slot - 1);
	return i;
}

static int
idmap_grow(struct idmap *m)
{
	size_t n = m->n_slot ? m->n_slot * 2 : 64;
	uint64_t *id = calloc(n, sizeof(*id));
	uint32_t *index = calloc(n, sizeof(*index));

	if (!id || !index) {
		free(id);
		free(index);
		return -1;
	}
	for (size_t i = 0; i < m->n_slot; i++) {
		if (m->id[i]) {
			size_t k = find_slot(m->key, id, n, m->id[i]);

			id[k] = m->id[i];
			index[k] = m->index[i];
		}
	}
	free(m->id);
	free(m->index);
	m->id = id;
	m->index = index;
	m->n_slot = n;
	return 0;
}

int
idmap_add_sparse(struct idmap *m, uint64_t id, uint32_t index)
{
	size_t i;

	if (m->n_used * 2 >= m->n_slot && idmap_grow(m) < 0)
		return -1;
	i = find_slot(m->key, m->id, m->n_slot, id);
	if (m->id[i])
		return 1;
	m->id[i] = id;
	m->index[i] = index;
	m->n_used++;
	return 0;
}

uint32_t
idmap_find_sparse(const struct idmap *m, uint64_t id)
{
	size_t i = find_slot(m->key, m->id, m->n_slot, id);

	return m->id[i] ? m->index[i] : IDMAP_NONE;
}
