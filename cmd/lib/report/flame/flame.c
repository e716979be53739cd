/*
 * flame.c - the tree of stacks; see flame.h. Sorted stacks give their tree in
 * preorder: each opens a node for every frame that it does not share with the
 * preceding stack. Only the path from the root to the last node must be kept.
 *
 * Reordering the children takes three linear passes: a counting sort by rank, a
 * second, stable one by parent, and a walk that assigns the new indices. No
 * step recurses, as stacks may be very deep.
 */
#include "config.h"

#include "flame.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"

struct join {
	struct flame_tree *t;
	const struct flame_stacks *s;
	const struct flame_cut *cut;
	uint32_t *path; /* the open nodes; path[0] is the root */
	uint32_t *fold; /* by open node: its cut, or 0 */
	uint32_t depth; /* of the last one */
};

static uint32_t
kept(const struct join *j, size_t i)
{
	return j->cut ? j->cut->keep[i]
		      : flame_stack_length(j->s, j->s->order[i]);
}

/* An upper bound of the number of nodes, and the depth. */
static size_t
count_nodes(const struct join *j, uint32_t *deepest)
{
	size_t n = 1;

	*deepest = 0;
	for (size_t i = 0; i < j->s->n; i++) {
		uint32_t length = flame_stack_length(j->s, j->s->order[i]);
		uint32_t keep = kept(j, i);

		if (keep > j->s->shared[i])
			n += keep - j->s->shared[i];
		n += keep < length;
		if (keep > *deepest)
			*deepest = keep;
	}
	return n;
}

static uint32_t
add_node(struct join *j, uint32_t frame)
{
	struct flame_tree *t = j->t;
	uint32_t node = (uint32_t)t->n_node++;

	t->parent[node] = j->path[j->depth];
	t->frame[node] = frame;
	t->end[node] = node + 1;
	return node;
}

/* Close nodes down to depth, and set the ends of their subtrees. */
static void
close_nodes(struct join *j, uint32_t depth)
{
	for (; j->depth > depth; j->depth--)
		j->t->end[j->path[j->depth]] = (uint32_t)j->t->n_node;
}

static void
add_stack(struct join *j, size_t i)
{
	uint32_t sample = j->s->order[i], keep = kept(j, i);
	const uint32_t *frame = j->s->frame + j->s->start[sample];
	uint32_t shared = j->s->shared[i];

	close_nodes(j, shared < keep ? shared : keep);
	while (j->depth < keep) {
		uint32_t node = add_node(j, frame[j->depth]);

		j->path[++j->depth] = node;
		j->fold[j->depth] = 0;
	}
	j->t->of[sample] = j->path[keep];
	if (keep == flame_stack_length(j->s, sample))
		return;
	if (!j->fold[keep])
		j->fold[keep] = add_node(j, j->cut->frame);
	j->t->of[sample] = j->fold[keep];
}

enum prof_status
flame_tree_init(struct flame_tree *t, const struct flame_stacks *s,
		const struct flame_cut *cut, struct prof_err *err)
{
	struct join j = { .t = t, .s = s, .cut = cut };
	uint32_t deepest;
	size_t n = count_nodes(&j, &deepest);

	*t = (struct flame_tree){ 0 };
	if (n >= FLAME_NONE)
		return prof_fail(err, PROF_ELIMIT, "more than 2^32 tree nodes");
	t->parent = calloc(n, sizeof(*t->parent));
	t->frame = calloc(n, sizeof(*t->frame));
	t->end = calloc(n, sizeof(*t->end));
	t->of = calloc(s->n + 1, sizeof(*t->of));
	j.path = calloc((size_t)deepest + 1, sizeof(*j.path));
	j.fold = calloc((size_t)deepest + 1, sizeof(*j.fold));
	if (t->parent && t->frame && t->end && t->of && j.path && j.fold) {
		t->n_node = 1;
		t->frame[0] = FLAME_NONE;
		for (size_t i = 0; i < s->n; i++)
			add_stack(&j, i);
		close_nodes(&j, 0);
		t->end[0] = (uint32_t)t->n_node;
	}
	free(j.path);
	free(j.fold);
	return t->n_node ? PROF_OK : prof_nomem(err);
}

void
flame_tree_release(struct flame_tree *t)
{
	free(t->parent);
	free(t->frame);
	free(t->end);
	free(t->of);
	*t = (struct flame_tree){ 0 };
}

/* --- another order --- */

/*
 * Counting sort: list the n indices of `order` (NULL: 0 to n - 1) by key, of
 * which there are n_key; stable. start gets n_key + 1 entries.
 */
static void
counting_sort(const uint32_t *order, size_t n, const uint32_t *key,
	      size_t n_key, uint32_t *start, uint32_t *out)
{
	memset(start, 0, (n_key + 1) * sizeof(*start));
	for (size_t i = 0; i < n; i++)
		start[key[i] + 1]++;
	for (size_t k = 0; k < n_key; k++)
		start[k + 1] += start[k];
	for (size_t i = 0; i < n; i++) {
		uint32_t node = order ? order[i] : (uint32_t)i;

		out[start[key[node]]++] = node;
	}
	/* Each start is now the start of the next. */
	memmove(start + 1, start, n_key * sizeof(*start));
	start[0] = 0;
}

/*
 * Compute the new index of each node, in preorder. Children of node i are
 * child[first[i]] to child[first[i + 1] - 1]. next has room for a counter and a
 * path of nodes.
 */
static void
number_nodes(const struct flame_tree *t, const uint32_t *first,
	     const uint32_t *child, uint32_t *next, uint32_t *new_index,
	     uint32_t *end)
{
	uint32_t at = 0, n = 0;

	memcpy(next, first, t->n_node * sizeof(*next));
	new_index[0] = n++;
	for (;;) {
		if (next[at] < first[at + 1]) {
			at = child[next[at]++];
			new_index[at] = n++;
			continue;
		}
		end[new_index[at]] = n;
		if (at == 0)
			return;
		at = t->parent[at];
	}
}

enum prof_status
flame_tree_sort(struct flame_tree *t, const uint32_t *rank, size_t n_frame,
		size_t n_sample, struct prof_err *err)
{
	size_t n = t->n_node, n_start = (n > n_frame ? n : n_frame) + 2;
	uint32_t *key = calloc(n, sizeof(*key));
	uint32_t *order = calloc(n, sizeof(*order));
	uint32_t *child = calloc(n, sizeof(*child));
	uint32_t *start = calloc(n_start, sizeof(*start));
	uint32_t *end = calloc(n, sizeof(*end));
	enum prof_status st = PROF_OK;

	if (!key || !order || !child || !start || !end) {
		st = prof_nomem(err);
		free(end);
		goto out;
	}
	/* The root sorts first: it is child 0 of itself. */
	for (size_t i = 1; i < n; i++)
		key[i] = rank[t->frame[i]] + 1;
	counting_sort(NULL, n, key, n_frame + 1, start, order);
	counting_sort(order, n, t->parent, n, start, child);
	start[0] = 1;
	number_nodes(t, start, child, key, order, end);

	/* order is now the new index of each node; child and key are free. */
	for (size_t i = 0; i < n; i++) {
		child[order[i]] = t->frame[i];
		key[order[i]] = order[t->parent[i]];
	}
	memcpy(t->frame, child, n * sizeof(*child));
	memcpy(t->parent, key, n * sizeof(*key));
	for (size_t i = 0; i < n_sample; i++)
		t->of[i] = order[t->of[i]];
	free(t->end);
	t->end = end;
out:
	free(key);
	free(order);
	free(child);
	free(start);
	return st;
}
