/*
 * pack-cut.c - a tree that is too large for a browser loses its lightest
 * nodes: what was measured there goes to a child "[cut]" of the nearest node
 * that stays, so all widths and totals stay true.
 *
 * The weight of a node is the largest, over all types, of its share of the
 * total; amounts count without their sign, so no child outweighs its parent
 * and what stays is a tree.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "lib/model/profile.h"
#include "pack.h"

/* Shares of each node in one column, added to weight if they are larger. */
static int
weigh_column(const struct pack *k, size_t column, float *weight)
{
	const struct flame_tree *t = &k->tree;
	const struct profile *p = k->p;
	double *sum = calloc(t->n_node, sizeof(*sum));

	if (!sum)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++)
		sum[t->of[i]] += fabs((double)p->value[i * p->n_type + column]);
	for (size_t i = t->n_node; --i > 0;)
		sum[t->parent[i]] += sum[i];
	for (size_t i = 0; i < t->n_node && sum[0] > 0; i++)
		weight[i] = fmaxf(weight[i], (float)(sum[i] / sum[0]));
	free(sum);
	return 0;
}

/* The smallest of 1e-9 * 2^n that leaves at most max nodes. */
static double
threshold(const float *weight, size_t n, size_t max)
{
	for (double t = 1e-9; t < 1; t *= 2) {
		size_t left = 0;

		for (size_t i = 1; i < n; i++)
			left += weight[i] >= t;
		if (left <= max)
			return t;
	}
	return 1;
}

/* The new tree: nodes that stay, and "[cut]" where something went. */
static enum prof_status
fold(struct pack *k, const float *weight, uint32_t cut_frame,
     struct prof_err *err)
{
	struct flame_tree *t = &k->tree, new = { 0 };
	size_t n = t->n_node;
	uint32_t *to = calloc(n, sizeof(*to));   /* where samples go */
	uint32_t *cut = calloc(n, sizeof(*cut)); /* "[cut]" of a new node */

	new.parent = calloc(n, sizeof(*new.parent));
	new.frame = calloc(n, sizeof(*new.frame));
	if (!to || !cut || !new.parent || !new.frame) {
		free(to);
		free(cut);
		flame_tree_release(&new);
		return prof_nomem(err);
	}
	new.n_node = 1;
	new.frame[0] = FLAME_NONE;
	for (size_t i = 1; i < n; i++) {
		uint32_t up = to[t->parent[i]];

		/* Below "[cut]", to[] of the parent is that node already. */
		if (weight[t->parent[i]] < k->cut_at) {
			to[i] = up;
			continue;
		}
		if (weight[i] < k->cut_at && cut[up]) {
			to[i] = cut[up];
			continue;
		}
		new.parent[new.n_node] = up;
		new.frame[new.n_node] =
			weight[i] < k->cut_at ? cut_frame : t->frame[i];
		to[i] = (uint32_t) new.n_node;
		if (weight[i] < k->cut_at)
			cut[up] = to[i];
		new.n_node++;
	}
	for (size_t i = 0; i < k->p->n_sample; i++)
		t->of[i] = to[t->of[i]];
	new.of = t->of;
	t->of = NULL;
	flame_tree_release(t);
	*t = new;
	free(to);
	free(cut);
	return PROF_OK;
}

static void
measure_cut(struct pack *k, size_t column, uint32_t cut_frame)
{
	const struct profile *p = k->p;
	double all = 0, cut = 0;

	for (size_t i = 0; i < p->n_sample; i++) {
		double v = fabs((double)p->value[i * p->n_type + column]);

		all += v;
		if (k->tree.of[i] && k->tree.frame[k->tree.of[i]] == cut_frame)
			cut += v;
	}
	k->cut_share = all > 0 ? cut / all : 0;
}

enum prof_status
pack_cut(struct pack *k, size_t column, size_t max_nodes, uint32_t frame,
	 struct prof_err *err)
{
	float *weight = calloc(k->tree.n_node, sizeof(*weight));
	uint32_t *rank = calloc(k->n_frame, sizeof(*rank));
	enum prof_status st = PROF_OK;

	if (!weight || !rank)
		st = prof_nomem(err);
	for (size_t c = 0; c < k->p->n_type && st == PROF_OK; c++)
		if (weigh_column(k, c, weight) < 0)
			st = prof_nomem(err);
	if (st == PROF_OK) {
		k->cut_at = threshold(weight, k->tree.n_node, max_nodes);
		st = fold(k, weight, frame, err);
	}
	for (uint32_t i = 0; i < k->n_frame && rank; i++)
		rank[i] = i;
	if (st == PROF_OK)
		st = flame_tree_sort(&k->tree, rank, k->n_frame, k->p->n_sample,
				     err);
	if (st == PROF_OK)
		measure_cut(k, column, frame);
	free(weight);
	free(rank);
	return st;
}
