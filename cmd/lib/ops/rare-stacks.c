/* rare-stacks.c - see rare-stacks.h. All stacks are paths of one tree, root
 * first. */
#include "config.h"

#include "rare-stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/hashtab.h"

#define ROOT UINT32_MAX /* the parent of stacks of one frame */

/* A stack: that of its parent, plus one location. */
struct node {
	uint32_t parent;
	uint32_t location;
	bool is_folded; /* its stacks now end at the parent */
	int64_t count;  /* of the samples that end here */
};

struct tree {
	struct node *node; /* parents before children */
	size_t n, cap;
	struct hashtab index;
	uint32_t *leaf; /* by sample; ROOT if it has no stack */
};

static bool
is_node(const void *tree, uint32_t i, const void *key)
{
	const struct node *a = &((const struct tree *)tree)->node[i], *b = key;

	return a->parent == b->parent && a->location == b->location;
}

/* The node of a location called from parent: ROOT without memory. */
static uint32_t
tree_child(struct tree *t, uint32_t parent, uint32_t location)
{
	struct node key = { .parent = parent, .location = location };
	uint32_t i;

	if (array_reserve(&t->node, &t->cap, t->n + 1, sizeof(*t->node)) < 0)
		return ROOT;
	i = hashtab_intern(&t->index, (uint64_t)parent << 32 | location,
			   is_node, t, &key, t->n);
	if (i == t->n)
		t->node[t->n++] = key;
	return i;
}

/* a + b, both >= 0, clamped. */
static int64_t
saturated_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The column that counts samples, or n_type. */
static size_t
count_column(const struct profile *p)
{
	size_t c = 0;

	while (c < p->n_type &&
	       strcmp(profile_str(p, p->type[c].unit), "count"))
		c++;
	return c;
}

static int64_t
count_of(const struct profile *p, size_t sample, size_t column)
{
	int64_t v = column < p->n_type ? profile_value(p, sample)[column] : 1;

	return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
}

static int
plant(struct tree *t, const struct profile *p, struct rare_stacks_notes *notes)
{
	size_t column = count_column(p);

	t->leaf = calloc(p->n_sample + 1, sizeof(*t->leaf));
	if (!t->leaf)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		int64_t count = count_of(p, i, column);
		uint32_t at = ROOT;

		for (uint32_t k = s->n_stack; k-- > 0;) {
			at = tree_child(t, at, stack[k]);
			if (at == ROOT)
				return -1;
		}
		t->leaf[i] = at;
		notes->total = saturated_add(notes->total, count);
		if (at != ROOT)
			t->node[at].count =
				saturated_add(t->node[at].count, count);
	}
	return 0;
}

static void
fold(struct tree *t, int64_t min)
{
	for (size_t i = t->n; i-- > 0;) {
		struct node *n = &t->node[i];

		if (n->parent == ROOT || n->count >= min)
			continue;
		n->is_folded = true;
		t->node[n->parent].count =
			saturated_add(t->node[n->parent].count, n->count);
	}
}

enum prof_status
rare_stacks_fold(struct profile *p, int64_t min,
		 struct rare_stacks_notes *notes, struct prof_err *err)
{
	struct tree t = { 0 };
	enum prof_status st = PROF_OK;
	size_t column = count_column(p);

	*notes = (struct rare_stacks_notes){ .n_sample = p->n_sample };
	if (plant(&t, p, notes) < 0) {
		st = prof_nomem(err);
		goto out;
	}
	fold(&t, min);
	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample *s = &p->sample[i];
		uint32_t at = t.leaf[i], n = 0;

		for (; at != ROOT && t.node[at].is_folded; n++)
			at = t.node[at].parent;
		s->stack += n;
		s->n_stack -= n;
		if (n) {
			notes->n_folded++;
			notes->n_counted = saturated_add(
				notes->n_counted, count_of(p, i, column));
		}
	}
out:
	free(t.node);
	free(t.leaf);
	hashtab_release(&t.index);
	return st;
}
