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

#define SHRUNK 0.01       /* p of a donor that lost work */
#define WRAPPED 0.1       /* flat share of a wrapper, at most */
#define MAX_LOOK 10000000 /* neighbours to look at, in all */

struct donation {
	uint32_t grower, donor;
};

struct explain {
	struct gate *g;
	struct gate_links links;
	unsigned char *is_gone, *is_new;
	unsigned char *is_grower;
	struct donation *give; /* by grower */
	size_t n_give, cap_give;
	unsigned char *in;      /* rows of the current set ... */
	double *value, *square; /* ... and its sums, by run */
	uint32_t *todo;         /* rows whose callers or callees to visit */
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

/* --- donors --- */

/* Did the flat value of g shrink, so that its work may be in f? */
static bool
has_lost(const struct explain *x, uint32_t g)
{
	return growth(x->g, g, GATE_FLAT) < 0 &&
	       (x->is_gone[g] ||
		x->g->row[g].cell[GATE_FLAT]->p_faster <= SHRUNK);
}

static int
add_donor(struct explain *x, uint32_t f, uint32_t g)
{
	struct donation *grown;

	if (f == g || !has_lost(x, g))
		return 0;
	for (size_t i = x->n_give; i > 0 && x->give[i - 1].grower == f; i--) {
		x->n_look++;
		if (x->give[i - 1].donor == g)
			return 0;
	}
	grown = arena_grow(x->g->arena, x->give, &x->cap_give, x->n_give + 1,
			   sizeof(*grown));
	if (!grown)
		return -1;
	x->give = grown;
	grown[x->n_give++] = (struct donation){ f, g };
	x->is_grower[f] = 1;
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
 * Add as donors of f its callers or callees. Those of a function that is passed
 * are also those of f: of two calls, one in the other, both may be inlined.
 */
static enum prof_status
add_donors_by_calls(struct explain *x, uint32_t f, enum gate_link_kind kind,
		    const unsigned char *passed, struct prof_err *err)
{
	size_t n_todo = 0, n;

	memset(x->in, 0, x->g->n_row);
	x->todo[n_todo++] = f;
	x->in[f] = 1;
	while (n_todo) {
		const struct gate_link *l =
			gate_links_of(&x->links, x->todo[--n_todo], kind, &n);

		for (size_t i = 0; i < n; i++) {
			uint32_t g = l[i].other - 1;

			x->n_look++;
			if (!l[i].other || x->in[g])
				continue;
			x->in[g] = 1;
			if (add_donor(x, f, g) < 0)
				return prof_nomem(err);
			if (passed[g] && x->n_look <= MAX_LOOK)
				x->todo[n_todo++] = g;
		}
	}
	return PROF_OK;
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
	enum prof_status st =
		add_donors_by_calls(x, f, LINK_CALLER, x->is_new, err);

	if (st == PROF_OK)
		st = add_donors_by_calls(x, f, LINK_CALLEE, x->is_gone, err);
	for (uint32_t g = 0; st == PROF_OK && x->is_new[f] && g < x->g->n_row;
	     g++) {
		if (!x->is_gone[g] || x->n_look > MAX_LOOK || !are_kin(x, f, g))
			continue;
		if (add_donor(x, f, g) < 0)
			st = prof_nomem(err);
	}
	return st;
}

static bool
may_have_taken(const struct explain *x, uint32_t f)
{
	return regressed(x->g, f, GATE_FLAT) ||
	       (regressed(x->g, f, GATE_CUM) && x->is_new[f] &&
		gate_means(x->g, f, GATE_FLAT).after > 0);
}

/* --- a row and where its work was --- */

/*
 * Put into x->in the rows that f may have taken work from, of a cum row those
 * of all leaves below it, and all that shared work with these: growers with a
 * common donor are tested together.
 */
static void
gather(struct explain *x, uint32_t f, enum gate_kind kind)
{
	size_t n;
	const struct gate_link *l = gate_links_of(&x->links, f, LINK_LEAF, &n);
	bool again;

	memset(x->in, 0, x->g->n_row);
	x->in[f] = kind == GATE_FLAT;
	for (size_t i = 0; kind == GATE_CUM && i < n; i++)
		x->in[l[i].other - 1] = 1;
	do {
		again = false;
		for (size_t i = 0; i < x->n_give; i++) {
			unsigned char *a = &x->in[x->give[i].grower];
			unsigned char *b = &x->in[x->give[i].donor];

			again |= *a != *b;
			*a = *b = *a | *b;
		}
	} while (again);
}

/* Test the flat values of all rows in x->in; without those of a cum row, if it
 * is not NULL. */
static void
test_set(const struct explain *x, const struct gate_row *without,
	 struct gate_cell *c)
{
	const struct gate *g = x->g;

	gate_sum_flats(g, x->in, x->value, x->square);
	for (size_t i = 0; without && i < g->n_run; i++) {
		uint32_t row = (uint32_t)(without - g->row);
		double v = gate_sums(g, g->value, row, GATE_CUM)[i];
		double q = gate_sums(g, g->square, row, GATE_CUM)[i];

		x->value[i] = fmax(0, x->value[i] - v);
		x->square[i] = fmax(0, x->square[i] - q);
	}
	gate_test_set(g, x->value, x->square, c);
}

static int
cmp_lost(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double dx = growth(ctx, x, GATE_FLAT), dy = growth(ctx, y, GATE_FLAT);

	if (dx != dy)
		return dx < dy ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* How the work came to f, and from which rows: their number. */
static uint32_t
find_others(const struct explain *x, uint32_t f, enum gate_kind kind,
	    enum gate_label *label, uint32_t *other)
{
	static const enum gate_label labels[2][2] = {
		{ GATE_MOVED, GATE_INLINED }, { GATE_OUTLINED, GATE_SPLIT }
	};
	bool any_gone = false;
	uint32_t n = 0;

	for (size_t i = 0; kind == GATE_FLAT && i < x->n_give; i++)
		if (x->give[i].grower == f) {
			other[n++] = x->give[i].donor;
			any_gone |= x->is_gone[x->give[i].donor];
		}
	for (uint32_t r = 0; kind == GATE_CUM && r < x->g->n_row; r++)
		if (x->in[r] && r != f)
			other[n++] = r;
	for (uint32_t i = 0; i < n; i++)
		x->g->row[other[i]].gave = true;
	qsort_r(other, n, sizeof(*other), cmp_lost, x->g);
	if (kind == GATE_FLAT)
		*label = labels[x->is_new[f]][any_gone];
	else if (!x->is_new[f])
		*label = GATE_NEW_CALLER;
	else
		*label = gate_means(x->g, f, GATE_FLAT).after <=
					 WRAPPED * gate_means(x->g, f, GATE_CUM)
							   .after
				 ? GATE_WRAPPER
				 : GATE_SPLIT;
	return n;
}

/* Did a set grow as surely as a row has to, by a change that matters for f? */
static bool
has_slowed(const struct gate *g, const struct gate_cell *net,
	   const struct gate_cell *f)
{
	const struct gate_model *m = &g->model;
	double change = net->after - net->before;

	return change >= f->relevant && net->p_slower <= m->level &&
	       (m->df <= 0 || g->o.dist->t_upper(change / net->own_error,
						 m->df) <= m->own_level);
}

/* Explain f if its growth is work that moved within the set. */
static enum prof_status
explain_row(struct explain *x, uint32_t f, enum gate_kind kind,
	    struct prof_err *err)
{
	const struct gate *g = x->g;
	struct gate_row *row = &g->row[f];
	struct gate_why *why = &row->why[kind];
	double gain = kind == GATE_CUM ? growth(g, f, GATE_CUM) : 0, change;
	struct gate_cell net, rest = { 0 };
	uint32_t *other;
	size_t n = 0;

	gather(x, f, kind);
	for (uint32_t r = 0; r < g->n_row; r++) {
		n += x->in[r];
		if (kind == GATE_FLAT && x->in[r] && x->is_grower[r])
			gain += growth(g, r, GATE_FLAT);
	}
	test_set(x, NULL, &net);
	/*
	 * A new function whose flat value came from donors has shown that they
	 * lost it; the rest also has what other functions took from them.
	 */
	if (kind == GATE_CUM && !(x->is_new[f] && row->why[GATE_FLAT].label))
		test_set(x, row, &rest);
	change = net.after - net.before;
	if (change > gain / 2 || rest.p_faster > SHRUNK ||
	    has_slowed(g, &net, row->cell[kind]))
		return PROF_OK;
	other = arena_array(g->arena, n + 1, sizeof(*other));
	if (!other)
		return prof_nomem(err);
	*why = (struct gate_why){ .other = other,
				  .net = change,
				  .net_low = net.low,
				  .net_high = net.high,
				  .net_p = net.p_slower };
	why->n_other = find_others(x, f, kind, &why->label, other);
	return PROF_OK;
}

/* --- all of them --- */

static enum prof_status
explain_rows(struct explain *x, struct prof_err *err)
{
	struct gate *g = x->g;
	enum prof_status st = PROF_OK;

	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++)
		if (may_have_taken(x, r))
			st = find_donors(x, r, err);
	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++) {
		struct gate_row *row = &g->row[r];

		if (x->is_grower[r])
			st = explain_row(x, r, GATE_FLAT, err);
		/* Flat and cum may have the same stacks. */
		if (row->cell[GATE_FLAT] == row->cell[GATE_CUM])
			row->why[GATE_CUM] = row->why[GATE_FLAT];
		else if (st == PROF_OK && regressed(g, r, GATE_CUM))
			st = explain_row(x, r, GATE_CUM, err);
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
		x->is_gone[r] = gate_is_gone(g, r);
		x->is_new[r] = gate_is_new(g, r);
		marked[r] = x->is_gone[r] || gate_has_changed(&g->row[r]);
	}
	return gate_links_build(&x->links, g, marked, (1u << LINK_N_KIND) - 1,
				err);
}

enum prof_status
gate_explain(struct gate *g, struct prof_err *err)
{
	size_t n = g->n_row;
	struct explain x = { .g = g };
	unsigned char *flags;
	enum prof_status st;
	bool any = false;

	for (uint32_t r = 0; r < n; r++)
		any |= gate_has_changed(&g->row[r]);
	if (!any)
		return PROF_OK;
	flags = gate_zeros(g->arena, n, 5);
	x.value = gate_zeros(g->arena, 2 * g->n_run, sizeof(*x.value));
	x.todo = gate_zeros(g->arena, n, sizeof(*x.todo));
	if (!flags || !x.value || !x.todo)
		return prof_nomem(err);
	x.square = x.value + g->n_run;
	x.is_gone = flags;
	x.is_new = flags + n;
	x.is_grower = flags + 2 * n;
	x.in = flags + 3 * n;
	st = look_around(&x, flags + 4 * n, err);
	return st == PROF_OK ? explain_rows(&x, err) : st;
}
