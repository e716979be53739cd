/* pairs.c - see pairs.h. */
#include "config.h"

#include "pairs.h"

#include <stdlib.h>

int
pairs_init(struct pairs *p, uint64_t seed)
{
	*p = (struct pairs){ .seed = seed };
	return pairs_grow(p);
}

void
pairs_release(struct pairs *p)
{
	free(p->slot);
	p->slot = NULL;
}

int
pairs_grow(struct pairs *p)
{
	size_t n = p->n_slot ? p->n_slot * 2 : 1024;
	struct pair_slot *slot;

	if (p->n >= PAIRS_NONE - 1)
		return -1;
	slot = calloc(n, sizeof(*slot));
	if (!slot)
		return -1;
	for (size_t k = 0; k < p->n_slot; k++) {
		const struct pair_slot *s = &p->slot[k];
		size_t i = pairs_hash(p, s->a, s->b) & (n - 1);

		if (!s->index)
			continue;
		while (slot[i].index)
			i = (i + 1) & (n - 1);
		slot[i] = *s;
	}
	free(p->slot);
	p->slot = slot;
	p->n_slot = n;
	return 0;
}
