/*
 * flame.c - the tree of stacks; see flame.h. Nodes are found by (parent,
 * frame) in one hash table. Ordering them is three linear passes: a counting
 * sort by rank, a second one by parent, which is stable, and a walk that hands
 * out the new indices. No step recurses, as stacks may be very deep.
 */
#include "config.h"

#include "flame.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/hashtab.h"
#include "lib/model/profile.h"

struct join {
	struct flame_tree *t;
	const struct flame_source *src;
	struct hashtab nodes;
	size_t cap_parent, cap_frame;
	uint32_t at; /* the node that the walk has come to */
};

static enum prof_status
add_node(struct join *j, uint32_t frame, struct prof_err *err)
{
	struct flame_tree *t = j->t;

	if (t->n_node >= FLAME_NONE - 1)
		return prof_fail(err, PROF_ELIMIT, "more than 2^32 tree nodes");
	if (array_reserve(&t->parent, &j->cap_parent, t->n_node + 1,
			  sizeof(*t->parent)) < 0 ||
	    array_reserve(&t->frame, &j->cap_frame, t->n_node + 1,
			  sizeof(*t->frame)) < 0)
		return prof_nomem(err);
	t->parent[t->n_node] = j->at;
	t->frame[t->n_node] = frame;
	t->n_node++;
	return PROF_OK;
}

/* Go from j->at to its child of this frame, which is made if it is new. */
static enum prof_status
descend(struct join *j, uint32_t frame, struct prof_err *err)
{
	struct flame_tree *t = j->t;
	enum prof_status st;
	uint32_t hash, node;
	size_t at;

	if (j->src->rename)
		frame = j->src->rename[frame];
	if (frame == FLAME_NONE ||
	    (j->src->joins_equal && t->frame[j->at] == frame))
		return PROF_OK;
	hash = (uint32_t)hashtab_mix(&j->nodes, 0,
				     (uint64_t)j->at << 32 | frame);
	at = hashtab_start(&j->nodes, hash);
	while ((node = hashtab_next(&j->nodes, hash, &at)) != HASHTAB_NONE)
		if (t->parent[node] == j->at && t->frame[node] == frame) {
			j->at = node;
			return PROF_OK;
		}
	st = add_node(j, frame, err);
	if (st != PROF_OK)
		return st;
	if (hashtab_add(&j->nodes, hash, (uint32_t)t->n_node - 1) < 0)
		return prof_nomem(err);
	j->at = (uint32_t)t->n_node - 1;
	return PROF_OK;
}

/* Go through the frames of one location, in the direction of the tree. */
static enum prof_status
descend_location(struct join *j, uint32_t l, struct prof_err *err)
{
	const uint32_t *first = j->src->first;
	uint32_t n = first[l + 1] - first[l];
	enum prof_status st = PROF_OK;

	for (uint32_t i = 0; i < n && st == PROF_OK; i++) {
		uint32_t at = j->src->is_reversed ? i : n - 1 - i;

		st = descend(j, j->src->frame[first[l] + at], err);
	}
	return st;
}

static enum prof_status
join_samples(struct join *j, struct prof_err *err)
{
	const struct profile *p = j->src->p;
	enum prof_status st = add_node(j, FLAME_NONE, err);

	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);

		j->at = 0;
		for (uint32_t k = 0; k < s->n_stack && st == PROF_OK; k++) {
			uint32_t at =
				j->src->is_reversed ? k : s->n_stack - 1 - k;

			st = descend_location(j, stack[at], err);
		}
		j->t->of[i] = j->at;
	}
	return st;
}

enum prof_status
flame_tree_init(struct flame_tree *t, const struct flame_source *src,
		struct prof_err *err)
{
	struct join j = { .t = t, .src = src };
	enum prof_status st;

	*t = (struct flame_tree){ 0 };
	t->of = calloc(src->p->n_sample + 1, sizeof(*t->of));
	if (!t->of || hashtab_init(&j.nodes) < 0)
		return prof_nomem(err);
	st = join_samples(&j, err);
	hashtab_release(&j.nodes);
	return st;
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
	/* Each start moved to the next one's place. */
	memmove(start + 1, start, n_key * sizeof(*start));
	start[0] = 0;
}

/*
 * Preorder: the new index of each node. Children of node i are
 * child[first[i]] to child[first[i + 1] - 1]. next has room for a counter and
 * a path of nodes.
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
	/* The root sorts before all: it is child 0 of itself. */
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
