/*
 * explain.c - regressions that are only work moved from other functions: doc/
 * gate.md, "Explanation". A row is explained if functions that may have handed
 * work over lost it, and all of them together did not get slower. It keeps its
 * verdict and its place in the report, but does not fail the gate.
 *
 * The samples are not read again: the sets that are tested are sums of flat
 * rows, which share no samples, minus a cum row that lies within.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"

#define CLEAN 0.01        /* p below which a net growth is real */
#define SHRUNK 0.01       /* p of a donor that lost work */
#define WRAPPED 0.1       /* flat share of a wrapper, at most */
#define MAX_LOOK 10000000 /* pairs of neighbours to compare, in all */

struct donation {
	uint32_t grower, donor;
};

struct explain {
	struct gate *g;
	const struct gate_dist *d;
	struct gate_links links;
	unsigned char *is_gone, *is_new;
	uint32_t *part_of; /* by row: another row of its set, or itself */
	unsigned char *is_grower, *is_moved; /* is_moved: by root of a set */
	unsigned char *is_set;               /* by root: its set has growers */
	struct donation *give;               /* by grower */
	size_t n_give, cap_give;
	unsigned char *in;      /* rows of the current set */
	double *value, *square; /* its sums, by run */
	size_t n_look;
};

const char *
gate_label_name(enum gate_label l)
{
	static const char *const name[] = { "",
					    "moved from",
					    "outlined from",
					    "inlined",
					    "split or renamed",
					    "wrapper around",
					    "new caller of" };

	return name[l];
}

static double
growth(const struct gate *g, uint32_t row, enum gate_kind kind)
{
	struct gate_pair p = gate_means(g, row, kind);

	return p.after - p.before;
}

static bool
regressed(const struct gate *g, uint32_t row, enum gate_kind kind)
{
	return g->row[row].cell[kind]->verdict >= GATE_SUSPECT;
}

/* --- sets of stacks --- */

/* Sum the flat values of all rows in x->in. */
static void
sum_set(struct explain *x)
{
	gate_sum_flats(x->g, x->in, x->value, x->square);
}

static void
take_from_set(struct explain *x, uint32_t row, enum gate_kind kind)
{
	const double *v = gate_sums(x->g, x->g->value, row, kind);
	const double *q = gate_sums(x->g, x->g->square, row, kind);

	for (size_t i = 0; i < x->g->n_run; i++) {
		x->value[i] = fmax(0, x->value[i] - v[i]);
		x->square[i] = fmax(0, x->square[i] - q[i]);
	}
}

static struct gate_cell
test_set(struct explain *x)
{
	struct gate_cell c;

	gate_test_set(x->g, x->d, x->value, x->square, &c);
	return c;
}

/* Is there no growth of the set that matters? */
static bool
is_clean(const struct gate_cell *c, double want)
{
	return !(c->p_slower <= CLEAN && c->after - c->before >= want);
}

/* --- donors --- */

static uint32_t
root_of(struct explain *x, uint32_t row)
{
	while (x->part_of[row] != row)
		row = x->part_of[row] = x->part_of[x->part_of[row]];
	return row;
}

/* Did the flat value of g shrink, so that its work may be in f? */
static bool
has_lost(struct explain *x, uint32_t g)
{
	struct gate_cell c;

	if (growth(x->g, g, GATE_FLAT) >= 0)
		return false;
	if (x->is_gone[g])
		return true;
	gate_test_set(x->g, x->d, gate_sums(x->g, x->g->value, g, GATE_FLAT),
		      gate_sums(x->g, x->g->square, g, GATE_FLAT), &c);
	return c.p_faster <= SHRUNK;
}

static int
add_donor(struct explain *x, uint32_t f, uint32_t g)
{
	for (size_t i = x->n_give; i > 0 && x->give[i - 1].grower == f; i--)
		if (x->give[i - 1].donor == g)
			return 0;
	if (f == g || !has_lost(x, g))
		return 0;
	if (array_reserve(&x->give, &x->cap_give, x->n_give + 1,
			  sizeof(*x->give)) < 0)
		return -1;
	x->give[x->n_give++] = (struct donation){ f, g };
	x->is_grower[f] = 1;
	x->part_of[root_of(x, g)] = root_of(x, f);
	return 0;
}

/* Do two rows have a caller or a callee in common? */
static bool
are_kin(struct explain *x, uint32_t f, uint32_t g)
{
	for (int kind = LINK_CALLER; kind <= LINK_CALLEE; kind++) {
		size_t n, m, i = 0, k = 0;
		const struct gate_link *p =
			gate_links_of(&x->links, f, kind, &n);
		const struct gate_link *q =
			gate_links_of(&x->links, g, kind, &m);

		while (i < n && k < m) {
			x->n_look++;
			if (p[i].other == q[k].other)
				return true;
			if (p[i].other < q[k].other)
				i++;
			else
				k++;
		}
	}
	return false;
}

/*
 * Work moves along a call: to or from a caller or callee. Between functions
 * that do not call each other, it moves only from one that is gone to a new one
 * with a common caller or callee. A sibling that still exists is no donor: a
 * profile cannot tell such a move from a slowdown.
 */
static enum prof_status
find_donors(struct explain *x, uint32_t f, struct prof_err *err)
{
	for (int kind = LINK_CALLER; kind <= LINK_CALLEE; kind++) {
		size_t n;
		const struct gate_link *l =
			gate_links_of(&x->links, f, kind, &n);

		for (size_t i = 0; i < n; i++)
			if (l[i].other && add_donor(x, f, l[i].other - 1) < 0)
				return prof_nomem(err);
	}
	for (uint32_t g = 0; x->is_new[f] && g < x->g->n_row; g++) {
		if (!x->is_gone[g] || x->n_look > MAX_LOOK || !are_kin(x, f, g))
			continue;
		if (add_donor(x, f, g) < 0)
			return prof_nomem(err);
	}
	return PROF_OK;
}

static bool
may_have_taken(const struct explain *x, uint32_t f)
{
	return regressed(x->g, f, GATE_FLAT) ||
	       (regressed(x->g, f, GATE_CUM) && x->is_new[f] &&
		gate_means(x->g, f, GATE_FLAT).after > 0);
}

/* --- flat: sets of growers with common donors --- */

static int
cmp_lost(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double dx = growth(ctx, x, GATE_FLAT), dy = growth(ctx, y, GATE_FLAT);

	if (dx != dy)
		return dx < dy ? -1 : 1;
	return x < y ? -1 : x > y;
}

static enum prof_status
set_why(struct explain *x, uint32_t row, enum gate_kind kind,
	enum gate_label label, uint32_t *other, size_t n,
	const struct gate_cell *net, struct prof_err *err)
{
	uint32_t *copy = arena_array(x->g->arena, n + 1, sizeof(*copy));

	if (!copy)
		return prof_nomem(err);
	qsort_r(other, n, sizeof(*other), cmp_lost, x->g);
	memcpy(copy, other, n * sizeof(*other));
	x->g->row[row].why[kind] = (struct gate_why){
		.label = label,
		.n_other = (uint32_t)n,
		.other = copy,
		.net = net->after - net->before,
		.net_low = net->low,
		.net_high = net->high,
		.net_p = net->p_slower,
	};
	return PROF_OK;
}

static enum prof_status
label_grower(struct explain *x, uint32_t f, const struct gate_cell *net,
	     uint32_t *other, struct prof_err *err)
{
	static const enum gate_label labels[2][2] = {
		{ GATE_MOVED, GATE_INLINED }, { GATE_OUTLINED, GATE_SPLIT }
	};
	bool any_gone = false;
	size_t n = 0;

	for (size_t i = 0; i < x->n_give; i++)
		if (x->give[i].grower == f) {
			other[n++] = x->give[i].donor;
			any_gone |= x->is_gone[x->give[i].donor];
		}
	return set_why(x, f, GATE_FLAT, labels[x->is_new[f]][any_gone], other,
		       n, net, err);
}

/* Explain the set with this root if its growth is work that moved within it. */
static enum prof_status
explain_set(struct explain *x, uint32_t root, uint32_t *other,
	    struct prof_err *err)
{
	const struct gate *g = x->g;
	double gain = 0, want = INFINITY;
	struct gate_cell net;
	enum prof_status st = PROF_OK;

	memset(x->in, 0, g->n_row);
	for (uint32_t r = 0; r < g->n_row; r++) {
		if (root_of(x, r) != root)
			continue;
		x->in[r] = 1;
		if (x->is_grower[r])
			gain += growth(g, r, GATE_FLAT);
		if (regressed(g, r, GATE_FLAT))
			want = fmin(want, g->row[r].cell[GATE_FLAT]->relevant);
	}
	sum_set(x);
	net = test_set(x);
	if (net.after - net.before > gain / 2 || !is_clean(&net, want))
		return PROF_OK;
	x->is_moved[root] = 1;
	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++)
		if (x->in[r] && x->is_grower[r])
			st = label_grower(x, r, &net, other, err);
	return st;
}

/* --- cum: stacks with the same leaves as those of the row --- */

/* Put the leaves below f, and the rows of sets that they moved work within,
 * into x->in. */
static void
gather_leaves(struct explain *x, uint32_t f)
{
	const struct gate *g = x->g;
	size_t n;
	const struct gate_link *l = gate_links_of(&x->links, f, LINK_LEAF, &n);

	memset(x->in, 0, g->n_row);
	for (size_t i = 0; i < n; i++)
		x->in[l[i].other - 1] = 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t root = root_of(x, l[i].other - 1);

		for (uint32_t r = 0; x->is_moved[root] && r < g->n_row; r++)
			if (root_of(x, r) == root)
				x->in[r] = 1;
	}
}

static enum prof_status
explain_cum(struct explain *x, uint32_t f, uint32_t *other,
	    struct prof_err *err)
{
	const struct gate *g = x->g;
	enum gate_label label = GATE_NEW_CALLER;
	struct gate_cell outside, all;
	size_t n = 0;

	gather_leaves(x, f);
	sum_set(x);
	all = test_set(x);
	take_from_set(x, f, GATE_CUM);
	outside = test_set(x);
	if (outside.before - outside.after < growth(g, f, GATE_CUM) / 2 ||
	    outside.p_faster > SHRUNK ||
	    !is_clean(&all, g->row[f].cell[GATE_CUM]->relevant))
		return PROF_OK;
	if (x->is_new[f])
		label = gate_means(g, f, GATE_FLAT).after <=
					WRAPPED *
						gate_means(g, f, GATE_CUM).after
				? GATE_WRAPPER
				: GATE_SPLIT;
	for (uint32_t r = 0; r < g->n_row; r++)
		if (x->in[r] && r != f)
			other[n++] = r;
	return set_why(x, f, GATE_CUM, label, other, n, &all, err);
}

/* --- all of them --- */

static enum prof_status
explain_rows(struct explain *x, uint32_t *other, struct prof_err *err)
{
	struct gate *g = x->g;
	enum prof_status st = PROF_OK;

	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++)
		if (may_have_taken(x, r))
			st = find_donors(x, r, err);
	for (uint32_t r = 0; r < g->n_row; r++)
		if (x->is_grower[r])
			x->is_set[root_of(x, r)] = 1;
	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++)
		if (x->is_set[r])
			st = explain_set(x, r, other, err);
	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++) {
		struct gate_row *row = &g->row[r];

		/* Flat and cum have the same stacks. */
		if (row->cell[GATE_FLAT] == row->cell[GATE_CUM])
			row->why[GATE_CUM] = row->why[GATE_FLAT];
		else if (regressed(g, r, GATE_CUM))
			st = explain_cum(x, r, other, err);
		row->is_moved = row->verdict >= GATE_SUSPECT;
		for (int k = 0; k < 2; k++)
			row->is_moved &=
				!regressed(g, r, k) || row->why[k].label;
	}
	return st == PROF_OK ? gate_find_causes(g, &x->links, err) : st;
}

static enum prof_status
look_around(struct explain *x, unsigned char *marked, struct prof_err *err)
{
	const struct gate *g = x->g;

	for (uint32_t r = 0; r < g->n_row; r++) {
		x->part_of[r] = r;
		x->is_gone[r] = gate_is_gone(g, r);
		x->is_new[r] = gate_is_new(g, r);
		marked[r] = x->is_gone[r] || g->row[r].verdict >= GATE_SUSPECT;
	}
	return gate_links_build(&x->links, g, marked, (1u << LINK_N_KIND) - 1,
				err);
}

enum prof_status
gate_explain(struct gate *g, const struct gate_dist *d, struct prof_err *err)
{
	struct explain x = { .g = g, .d = d };
	size_t n = g->n_row + 1;
	unsigned char *flags = calloc(n, 7);
	uint32_t *other = calloc(n, sizeof(*other));
	enum prof_status st = PROF_OK;
	bool any = false;

	for (uint32_t r = 0; r < g->n_row; r++)
		any |= g->row[r].verdict >= GATE_SUSPECT;
	x.part_of = calloc(n, sizeof(*x.part_of));
	x.value = calloc(g->n_run, sizeof(*x.value));
	x.square = calloc(g->n_run, sizeof(*x.square));
	if (!flags || !other || !x.part_of || !x.value || !x.square) {
		st = prof_nomem(err);
	} else if (any) {
		x.is_gone = flags;
		x.is_new = flags + n;
		x.is_grower = flags + 2 * n;
		x.is_moved = flags + 3 * n;
		x.in = flags + 4 * n;
		x.is_set = flags + 5 * n;
		st = look_around(&x, flags + 6 * n, err);
		if (st == PROF_OK)
			st = explain_rows(&x, other, err);
	}
	gate_links_release(&x.links);
	free(x.give);
	free(x.square);
	free(x.value);
	free(x.part_of);
	free(other);
	free(flags);
	return st;
}
