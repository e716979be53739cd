/*
 * pack-cut.c - a tree that is too large for a browser loses its lightest
 * nodes: what was measured there goes to a child "[cut]" of the nearest node
 * that stays, so all widths and totals stay true.
 *
 * The weight of a node is the largest, over all types, of its share of the
 * total; amounts count without their sign, so no child outweighs its parent
 * and what stays is a tree. It is cut before it is made: the sorted stacks
 * alone tell what each node weighs, so a tree many times too large costs no
 * memory. Nodes without branches between them weigh the same and are handled
 * as one, a reach.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "lib/model/profile.h"
#include "pack.h"

#define LEAST 1e-9 /* levels are this share times powers of two */
enum { LEVELS = 31 };

/* Nodes above depth `from`, up to `to`, that stack order[opened] opened. */
struct reach {
	uint32_t from, to;
	size_t opened;
};

struct weigher {
	const struct pack *k;
	double total[32]; /* of each type */
	struct reach *open;
	double *sum; /* of each open reach, n_type of them */
	size_t n_open;
	/* The result: the number of nodes of each level; with keep, of each
	 * stack, how many of its frames have nodes of `level` or above. */
	size_t count[LEVELS + 1];
	int level;
	uint32_t *keep;
};

static double
amount(const struct profile *p, size_t sample, size_t column)
{
	return fabs((double)p->value[sample * p->n_type + column]);
}

/* The n for which a weight is at least LEAST * 2^(n - 1); 0: less than all. */
static int
level_of(const struct weigher *w, const double *sum)
{
	double most = 0;
	int n;

	for (size_t c = 0; c < w->k->p->n_type; c++)
		if (w->total[c] > 0)
			most = fmax(most, sum[c] / w->total[c]);
	if (most < LEAST)
		return 0;
	n = ilogb(most / LEAST) + 1;
	return n < LEVELS ? n : LEVELS;
}

/* What is above depth of the last open reach is complete. */
static void
close_reach(struct weigher *w, uint32_t depth)
{
	size_t n_type = w->k->p->n_type;
	struct reach *r = &w->open[w->n_open - 1];
	double *sum = w->sum + (w->n_open - 1) * n_type;
	uint32_t from = r->from > depth ? r->from : depth;
	int level = level_of(w, sum);

	if (!w->keep)
		w->count[level] += r->to - from;
	else if (level >= w->level && w->keep[r->opened] < r->to)
		w->keep[r->opened] = r->to;
	r->to = from;
	if (r->from < from)
		return;
	if (--w->n_open)
		for (size_t c = 0; c < n_type; c++)
			(sum - n_type)[c] += sum[c];
}

static void
close_reaches(struct weigher *w, uint32_t depth)
{
	while (w->n_open && w->open[w->n_open - 1].to > depth)
		close_reach(w, depth);
}

/* Go over all stacks once. */
static void
weigh(struct weigher *w)
{
	const struct flame_stacks *s = &w->k->stacks;
	size_t n_type = w->k->p->n_type;

	w->n_open = 0;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t sample = s->order[i];
		uint32_t length = flame_stack_length(s, sample);
		double *sum;

		close_reaches(w, s->shared[i]);
		if (length > s->shared[i]) {
			w->open[w->n_open++] = (struct reach){
				.from = s->shared[i], .to = length, .opened = i
			};
			sum = w->sum + (w->n_open - 1) * n_type;
			for (size_t c = 0; c < n_type; c++)
				sum[c] = 0;
		}
		if (!w->n_open)
			continue;
		sum = w->sum + (w->n_open - 1) * n_type;
		for (size_t c = 0; c < n_type; c++)
			sum[c] += amount(w->k->p, sample, c);
	}
	close_reaches(w, 0);
}

/* Each open reach but the first begins where another ends: at most one for
 * each frame of the longest stack. */
static size_t
longest(const struct flame_stacks *s)
{
	size_t n = 1;

	for (size_t i = 0; i < s->n; i++)
		if (s->start[i + 1] - s->start[i] > n)
			n = s->start[i + 1] - s->start[i];
	return n;
}

/* Which nodes stay: k->cut_at, and keep of each stack. */
static void
choose_nodes(struct weigher *w, struct pack *k, uint32_t *keep,
	     size_t max_nodes)
{
	const struct flame_stacks *s = &k->stacks;
	size_t left = 0;

	weigh(w);
	w->level = LEVELS + 1;
	while (w->level > 1 && left + w->count[w->level - 1] <= max_nodes)
		left += w->count[--w->level];
	k->cut_at = LEAST * ldexp(1, w->level - 1);
	w->keep = keep;
	weigh(w);
	/* Nodes shared with the stack before stay if they stay there. */
	for (size_t i = 0; i < s->n; i++) {
		uint32_t before = i ? keep[i - 1] : 0;

		if (keep[i] <= s->shared[i])
			keep[i] = before < s->shared[i] ? before : s->shared[i];
	}
}

static void
measure_cut(struct pack *k, const uint32_t *keep, size_t column)
{
	double all = 0, cut = 0;

	for (size_t i = 0; i < k->stacks.n; i++) {
		uint32_t sample = k->stacks.order[i];
		double v = amount(k->p, sample, column);

		all += v;
		if (keep[i] < flame_stack_length(&k->stacks, sample))
			cut += v;
	}
	k->cut_share = all > 0 ? cut / all : 0;
}

enum prof_status
pack_cut(struct pack *k, size_t column, size_t max_nodes, uint32_t frame,
	 struct prof_err *err)
{
	const struct profile *p = k->p;
	struct weigher w = { .k = k };
	size_t deepest = longest(&k->stacks);
	uint32_t *keep = calloc(k->stacks.n + 1, sizeof(*keep));
	struct flame_cut cut = { .keep = keep, .frame = frame };
	enum prof_status st;

	w.open = calloc(deepest, sizeof(*w.open));
	w.sum = calloc(deepest, (p->n_type + 1) * sizeof(*w.sum));
	for (size_t c = 0; c < p->n_type; c++)
		for (size_t i = 0; i < p->n_sample; i++)
			w.total[c] += amount(p, i, c);
	if (keep && w.open && w.sum) {
		choose_nodes(&w, k, keep, max_nodes);
		st = flame_tree_init(&k->tree, &k->stacks, &cut, err);
		measure_cut(k, keep, column);
	} else {
		st = prof_nomem(err);
	}
	free(keep);
	free(w.open);
	free(w.sum);
	return st;
}
