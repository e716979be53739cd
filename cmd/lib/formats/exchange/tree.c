/* tree.c - see tree.h. */
#include "config.h"

#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/model/profile.h"
#include "named.h"

/* The node of a frame below parent, or TREE_NONE without memory. */
static uint32_t
child(struct tree *t, uint32_t parent, uint32_t frame)
{
	struct pair_slot *slot = pairs_add(&t->pairs, parent, frame);

	if (!slot)
		return TREE_NONE;
	if (slot->index <= t->n)
		return slot->index - 1;
	if (array_reserve(&t->parent, &t->cap_parent, t->n + 1,
			  sizeof(*t->parent)) < 0 ||
	    array_reserve(&t->frame, &t->cap_frame, t->n + 1,
			  sizeof(*t->frame)) < 0)
		return TREE_NONE;
	t->parent[t->n] = parent;
	t->frame[t->n] = frame;
	return (uint32_t)t->n++;
}

enum prof_status
tree_init(struct tree *t, const struct named *names, struct prof_err *err)
{
	const struct profile *p = names->p;
	uint32_t *frame = NULL;
	size_t cap = 0, n;
	bool ok;

	memset(t, 0, sizeof(*t));
	t->leaf = malloc((p->n_sample + 1) * sizeof(*t->leaf));
	ok = t->leaf && pairs_init(&t->pairs, p->strings.key[0]) == 0;
	for (size_t i = 0; ok && i < p->n_sample; i++) {
		uint32_t node = TREE_NONE;

		n = named_stack(names, i, &frame, &cap);
		ok = n != SIZE_MAX;
		for (size_t k = 0; ok && k < n; k++) {
			node = child(t, node, frame[k]);
			ok = node != TREE_NONE;
		}
		t->leaf[i] = node;
	}
	free(frame);
	return ok ? PROF_OK : prof_nomem(err);
}

void
tree_release(struct tree *t)
{
	pairs_release(&t->pairs);
	free(t->parent);
	free(t->frame);
	free(t->leaf);
}
