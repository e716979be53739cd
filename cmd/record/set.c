/* set.c - open addressing with linear probing, at most half full. */
#include "config.h"

#include <stdlib.h>

#include "set.h"

struct set_slot {
	uint64_t hash;
	uint32_t index; /* and 1; 0: free */
};

static bool
grow(struct set *s)
{
	size_t n_slot = s->n_slot ? s->n_slot * 2 : 256;
	struct set_slot *slot = calloc(n_slot, sizeof *slot);

	if (!slot)
		return false;
	for (size_t i = 0; i < s->n_slot; i++) {
		size_t k = s->slot[i].hash & (n_slot - 1);

		if (!s->slot[i].index)
			continue;
		while (slot[k].index)
			k = (k + 1) & (n_slot - 1);
		slot[k] = s->slot[i];
	}
	free(s->slot);
	s->slot = slot;
	s->n_slot = n_slot;
	return true;
}

uint32_t
set_add(struct set *s, uint64_t hash, set_same_fn *same, const void *ctx,
	const void *key, size_t next)
{
	size_t k;

	if (next >= SET_NONE - 1 || (s->n >= s->n_slot / 2 && !grow(s)))
		return SET_NONE;
	for (k = hash & (s->n_slot - 1); s->slot[k].index;
	     k = (k + 1) & (s->n_slot - 1))
		if (s->slot[k].hash == hash &&
		    same(ctx, s->slot[k].index - 1, key))
			return s->slot[k].index - 1;
	s->slot[k].hash = hash;
	s->slot[k].index = (uint32_t)next + 1;
	s->n++;
	return (uint32_t)next;
}

void
set_release(struct set *s)
{
	free(s->slot);
	*s = (struct set){ 0 };
}
