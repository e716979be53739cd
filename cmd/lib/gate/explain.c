/*
 * explain.c - what became of a function that regressed. Work that only
 * moved is no regression: where a function took over what another one did that
 * is gone now (renamed, inlined, outlined, merged), the other's samples are
 * added to it on both sides, and it is tested again. What still regressed gets
 * its causes.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "impl.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/model/profile.h"

#define GONE 0.1                     /* of what it was, at most: it is gone */
#define MAX_EDGES ((size_t)24 << 20) /* bytes of what is known of calls */
#define MAX_VISIT 100000000          /* edges looked at for moves */

struct explain {
	struct gate *g;
	const struct gate_dist *d;
	struct gate_edges edges;
	uint32_t *from;    /* of a row: the one whose work it took, or NONE */
	double *used_flat; /* of a row: part of its flat found elsewhere */
	bool *is_parent;   /* of row + 1: where work can have come from */
	uint32_t *parent;  /* ... which are so, n_parent */
	size_t n_parent;
	uint32_t *source; /* edges: n_source, by collect() */
	size_t n_source, cap_source;
	size_t n_visit; /* edges that were looked at for that */
	double *count;  /* scratch, n_run */
	double *value;
};

static double
change(const struct gate_cell *c)
{
	return c->after - c->before;
}

/* Did a row go from a to b as good as vanish? */
static bool
is_gone(double a, double b)
{
	return a > 0 && b <= GONE * a;
}

static bool
row_is_gone(const struct gate_row *r)
{
	return is_gone(r->cell[GATE_CUM].before, r->cell[GATE_CUM].after);
}

static bool
row_is_new(const struct gate_row *r)
{
	return is_gone(r->cell[GATE_CUM].after, r->cell[GATE_CUM].before);
}

/* --- work that moved --- */

static void
mark_parent(struct explain *x, uint32_t caller)
{
	if (!x->is_parent[caller])
		x->parent[x->n_parent++] = caller;
	x->is_parent[caller] = true;
}

/* Callers of row, and those from which callers took work over. */
static void
mark_parents(struct explain *x, uint32_t row)
{
	const struct gate_edges *e = &x->edges;
	const uint32_t *at;
	size_t n = gate_index_of(&e->callers, row, &at);

	while (x->n_parent)
		x->is_parent[x->parent[--x->n_parent]] = false;
	for (size_t k = 0; k < n; k++) {
		uint32_t caller = e->edge[at[k]].caller;

		mark_parent(x, caller);
		if (caller != EDGE_ROOT && x->from[caller - 1] != PROF_NONE)
			mark_parent(x, x->from[caller - 1] + 1);
	}
}

static enum prof_status
add_sources(struct explain *x, uint32_t caller, uint32_t row,
	    struct prof_err *err)
{
	const struct gate_edges *e = &x->edges;
	const uint32_t *at;
	size_t n = gate_index_of(&e->losses, caller, &at);

	x->n_visit += n;
	for (size_t k = 0; k < n; k++) {
		const struct gate_edge *d = &e->edge[at[k]];

		if (d->callee == row || d->used >= 1)
			continue;
		if (array_reserve(&x->source, &x->cap_source, x->n_source + 1,
				  sizeof(*x->source)) < 0)
			return prof_nomem(err);
		x->source[x->n_source++] = at[k];
	}
	return PROF_OK;
}

/*
 * Along which edges can work have gone to row? Those whose callee is gone, and
 * was called from where row is called, or for flat by row itself.
 */
static enum prof_status
find_sources(struct explain *x, uint32_t row, enum gate_kind kind,
	     struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	x->n_source = 0;
	for (size_t i = 0; st == PROF_OK && i < x->n_parent; i++)
		st = add_sources(x, x->parent[i], row, err);
	if (st == PROF_OK && kind == GATE_FLAT && !x->is_parent[row + 1])
		st = add_sources(x, row + 1, row, err);
	return st;
}

/* What there is to take over, in all, and who has most of it. */
struct offer {
	double lost;
	double largest;
	uint32_t from;
};

static void
offer_add(struct offer *o, uint32_t from, double lost)
{
	o->lost += lost;
	if (lost > o->largest) {
		o->largest = lost;
		o->from = from;
	}
}

/* Add the samples of edge k, or their flat part, to the scratch of x. */
static void
take_edge(struct explain *x, size_t k, enum gate_kind kind, struct offer *o)
{
	const struct gate_edge *e = &x->edges.edge[k];
	double keep = 1 - e->used, lost = 0;
	size_t n_run = x->g->n_run;

	for (size_t i = 0; i < n_run; i++) {
		const struct gate_run *r = &x->g->run[i];
		double count = x->edges.count[k * n_run + i] * keep;
		double value = x->edges.value[k * n_run + i] * keep;

		if (kind == GATE_FLAT) {
			double all = gate_run_count(r, GATE_CUM, e->callee);
			double own = gate_run_count(r, GATE_FLAT, e->callee);
			double part = all > 0 ? fmin(1, own / all) : 0;

			count *= part;
			value *= part;
		}
		x->count[i] += count;
		x->value[i] += value;
		value /= x->g->exposure[r->side];
		lost += r->side == GATE_BASE ? value : -value;
	}
	offer_add(o, e->callee, lost);
}

/* A new function may be a piece of one of its callers. */
static void
take_flat(struct explain *x, uint32_t caller, struct offer *o)
{
	const struct gate_cell *c = &x->g->row[caller].cell[GATE_FLAT];
	double keep = 1 - x->used_flat[caller];

	/* Of one that is gone, is_source() knows. */
	if (change(c) >= 0 || keep <= 0 || row_is_gone(&x->g->row[caller]))
		return;
	for (size_t i = 0; i < x->g->n_run; i++) {
		const struct gate_run *r = &x->g->run[i];

		x->count[i] += gate_run_count(r, GATE_FLAT, caller) * keep;
		x->value[i] += gate_run_value(r, GATE_FLAT, caller) * keep;
	}
	offer_add(o, caller, -change(c) * keep);
}

static void
collect(struct explain *x, uint32_t row, enum gate_kind kind, struct offer *o)
{
	const struct gate *g = x->g;

	*o = (struct offer){ .from = PROF_NONE };
	for (size_t i = 0; i < g->n_run; i++) {
		x->count[i] = gate_run_count(&g->run[i], kind, row);
		x->value[i] = gate_run_value(&g->run[i], kind, row);
	}
	for (size_t k = 0; k < x->n_source; k++)
		take_edge(x, x->source[k], kind, o);
	if (!row_is_new(&g->row[row]))
		return;
	for (uint32_t r = 0; r < g->n_row; r++)
		if (x->is_parent[r + 1] && r != row)
			take_flat(x, r, o);
}

/* What row has taken is not there for others. */
static enum prof_status
consume(struct explain *x, uint32_t row, enum gate_kind kind, double part,
	struct prof_err *err)
{
	struct gate *g = x->g;
	bool is_new = row_is_new(&g->row[row]);
	enum prof_status st = find_sources(x, row, kind, err);

	if (st != PROF_OK)
		return st;
	for (size_t k = 0; k < x->n_source; k++) {
		struct gate_edge *e = &x->edges.edge[x->source[k]];
		struct gate_row *old = &g->row[e->callee];

		e->used += (1 - e->used) * part;
		for (int i = 0; i < 2; i++)
			if (old->cell[i].verdict == GATE_IMPROVED) {
				old->cell[i].verdict = GATE_MOVED;
				old->other = g->row[row].name;
			}
	}
	for (size_t r = 0; is_new && r < g->n_row; r++) {
		struct gate_cell *c = &g->row[r].cell[GATE_FLAT];

		if (!x->is_parent[r + 1] || r == row || change(c) >= 0)
			continue;
		x->used_flat[r] += (1 - x->used_flat[r]) * part;
		if (c->verdict == GATE_IMPROVED) {
			c->verdict = GATE_MOVED;
			g->row[r].other = g->row[row].name;
		}
	}
	return PROF_OK;
}

/*
 * Test the cell again, together with what it took over; *part: how much of what
 * there was that is.
 */
static enum prof_status
retest(struct explain *x, uint32_t row, enum gate_kind kind, double *part,
       struct prof_err *err)
{
	struct gate_cell *c = &x->g->row[row].cell[kind], again = *c;
	enum prof_status st = find_sources(x, row, kind, err);
	struct offer o;

	if (st != PROF_OK)
		return st;
	collect(x, row, kind, &o);
	if (o.lost <= 0 || o.from == PROF_NONE)
		return PROF_OK;
	gate_test_cell(x->g, x->d, x->count, x->value, &again);
	gate_test_verdict(x->g, x->d, &again);
	again.moved = change(c) - change(&again);
	again.before = c->before;
	again.after = c->after;
	again.n_before = c->n_before;
	again.n_after = c->n_after;
	if (again.verdict != GATE_REGRESSED)
		again.verdict = GATE_MOVED;
	x->from[row] = o.from;
	x->g->row[row].other = x->g->row[o.from].name;
	*c = again;
	*part = fmin(1, change(c) / o.lost);
	return PROF_OK;
}

/* The callee of row that lost most. */
static uint32_t
lost_callee(const struct explain *x, uint32_t row)
{
	double most = 0;
	uint32_t callee = PROF_NONE;
	const uint32_t *at;
	size_t n = gate_index_of(&x->edges.callees, row + 1, &at);

	for (size_t k = 0; k < n; k++) {
		const struct gate_edge *e = &x->edges.edge[at[k]];

		if (e->value[0] - e->value[1] > most) {
			most = e->value[0] - e->value[1];
			callee = e->callee;
		}
	}
	return callee;
}

static enum prof_status
explain_move(struct explain *x, uint32_t row, struct prof_err *err)
{
	struct gate_row *r = &x->g->row[row];
	struct gate_cell *flat = &r->cell[GATE_FLAT];
	const struct gate_cell *cum = &r->cell[GATE_CUM];
	enum prof_status st = PROF_OK;
	double part[2] = { 0 };
	uint32_t callee;

	mark_parents(x, row);
	for (int kind = 0; st == PROF_OK && kind < 2; kind++)
		if (r->cell[kind].verdict == GATE_REGRESSED)
			st = retest(x, row, (enum gate_kind)kind, &part[kind],
				    err);
	for (int kind = 0; st == PROF_OK && kind < 2; kind++)
		if (part[kind] > 0)
			st = consume(x, row, (enum gate_kind)kind, part[kind],
				     err);
	/* Slower itself, but not with what it calls: callees did it before. */
	if (st != PROF_OK || flat->verdict != GATE_REGRESSED ||
	    change(cum) >= (change(flat) - flat->moved) / 2)
		return st;
	callee = lost_callee(x, row);
	if (callee == PROF_NONE)
		return PROF_OK;
	flat->verdict = GATE_MOVED;
	flat->moved = change(flat) - change(cum);
	r->other = x->g->row[callee].name;
	return PROF_OK;
}

/* --- the whole --- */

/* The largest first, of one of the two sides. */
static int
cmp_rows(const struct gate *g, uint32_t a, uint32_t b, enum gate_side side)
{
	const struct gate_cell *x = &g->row[a].cell[GATE_CUM];
	const struct gate_cell *y = &g->row[b].cell[GATE_CUM];
	double dx = side == GATE_NEW ? x->after : x->before;
	double dy = side == GATE_NEW ? y->after : y->before;

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strtab_cmp(&g->names, g->row[a].name, g->row[b].name);
}

static int
cmp_after(const void *a, const void *b, void *ctx)
{
	return cmp_rows(ctx, *(const uint32_t *)a, *(const uint32_t *)b,
			GATE_NEW);
}

static int
cmp_before(const void *a, const void *b, void *ctx)
{
	return cmp_rows(ctx, *(const uint32_t *)a, *(const uint32_t *)b,
			GATE_BASE);
}

/* The rows in todo, callers before what they call. */
static enum prof_status
explain_rows(struct explain *x, const uint32_t *todo, size_t n,
	     struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	/* When everything changed, in a huge profile, the largest must do. */
	for (size_t i = 0; st == PROF_OK && i < n && x->n_visit < MAX_VISIT;
	     i++)
		st = explain_move(x, todo[i], err);
	if (st != PROF_OK)
		return st;
	for (size_t i = 0; i < n; i++)
		gate_settle_row(&x->g->row[todo[i]]);
	return gate_find_causes(&x->edges, todo, n, err);
}

/* Build the edges around the rows of todo and gone, and look at those left. */
static enum prof_status
explain_all(struct explain *x, uint32_t *todo, size_t n_todo, uint32_t *gone,
	    size_t n_gone, struct prof_err *err)
{
	struct gate *g = x->g;
	enum prof_status st;

	qsort_r(todo, n_todo, sizeof(*todo), cmp_after, g);
	qsort_r(gone, n_gone, sizeof(*gone), cmp_before, g);
	for (size_t i = 0; i < n_todo; i++)
		gate_settle_row(&g->row[todo[i]]);
	x->edges = (struct gate_edges){
		.g = g,
		.marked = todo,
		.n_marked = n_todo,
		.gone = gone,
		.n_gone = n_gone,
		.max_edge = MAX_EDGES / (sizeof(struct gate_edge) +
					 2 * sizeof(double) * g->n_run),
	};
	st = gate_edges_build(&x->edges, err);
	if (st == PROF_OK)
		st = explain_rows(x, todo, x->edges.n_marked, err);
	gate_edges_release(&x->edges);
	return st;
}

enum prof_status
gate_explain(struct gate *g, const struct gate_dist *d, struct prof_err *err)
{
	struct explain x = { .g = g, .d = d };
	size_t n_row = g->n_row, n_todo = 0, n_gone = 0;
	uint32_t *todo = calloc(n_row + 1, sizeof(*todo));
	uint32_t *gone = calloc(n_row + 1, sizeof(*gone));
	enum prof_status st = prof_nomem(err);

	x.from = calloc(n_row + 1, sizeof(*x.from));
	x.used_flat = calloc(n_row + 1, sizeof(*x.used_flat));
	x.is_parent = calloc(n_row + 1, sizeof(*x.is_parent));
	x.parent = calloc(n_row + 1, sizeof(*x.parent));
	x.count = calloc(g->n_run, sizeof(*x.count));
	x.value = calloc(g->n_run, sizeof(*x.value));
	if (!todo || !gone || !x.from || !x.used_flat || !x.is_parent ||
	    !x.parent || !x.count || !x.value)
		goto out;
	for (uint32_t r = 0; r < n_row; r++) {
		x.from[r] = PROF_NONE;
		if (gate_row_regressed(&g->row[r]))
			todo[n_todo++] = r;
		if (row_is_gone(&g->row[r]))
			gone[n_gone++] = r;
	}
	st = PROF_OK;
	if (n_todo)
		st = explain_all(&x, todo, n_todo, gone, n_gone, err);
out:
	free(x.source);
	free(x.value);
	free(x.count);
	free(x.parent);
	free(x.is_parent);
	free(x.used_flat);
	free(x.from);
	free(gone);
	free(todo);
	return st;
}
