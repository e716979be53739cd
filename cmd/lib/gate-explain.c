/*
 * gate-explain.c - what became of a function that regressed. Work that only
 * moved is no regression: where a function took over what another one did that
 * is gone now (renamed, inlined, outlined, merged), the other's samples are
 * added to it on both sides, and it is tested again. What still regressed gets
 * its causes.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "gate-edges.h"
#include "gate-int.h"
#include "profile.h"

#define GONE 0.1      /* of what it was, at most: it is gone */
#define CARRIES 0.75  /* of the growth of its caller: it is the reason */
#define MIN_ROWS 10   /* are explained, however many edges there are */
#define MAX_VISIT 3e8 /* edges looked at: more rows than this allows */
#define N_CAUSE 3     /* of each kind */
#define MIN_CAUSE 0.1 /* of the growth */

struct explain {
	struct gate *g;
	const struct gate_dist *d;
	struct gate_edges edges;
	uint32_t *from;    /* of a row: the one whose work it took, or NONE */
	double *used_flat; /* of a row: part of its flat found elsewhere */
	bool *is_parent;   /* of row + 1: where work can have come from */
	double *count;     /* scratch, n_run */
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

/* Callers of row, and those from which callers took work over. */
static void
mark_parents(struct explain *x, uint32_t row)
{
	const struct gate_edges *e = &x->edges;

	memset(x->is_parent, 0, (x->g->n_row + 1) * sizeof(bool));
	for (size_t k = 0; k < e->n_edge; k++) {
		uint32_t caller = e->edge[k].caller;

		if (e->edge[k].callee != row)
			continue;
		x->is_parent[caller] = true;
		if (caller != EDGE_ROOT && x->from[caller - 1] != PROF_NONE)
			x->is_parent[x->from[caller - 1] + 1] = true;
	}
}

/*
 * Can the work along edge k have gone to row? It did if its callee is gone,
 * and was called from where row is called, or for flat by row itself.
 */
static bool
is_source(const struct explain *x, size_t k, uint32_t row, enum gate_kind kind)
{
	const struct gate_edge *e = &x->edges.edge[k];

	if (e->callee == row || e->used >= 1 ||
	    !row_is_gone(&x->g->row[e->callee]))
		return false;
	return x->is_parent[e->caller] ||
	       (kind == GATE_FLAT && e->caller == row + 1);
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
	for (size_t k = 0; k < x->edges.n_edge; k++)
		if (is_source(x, k, row, kind))
			take_edge(x, k, kind, o);
	if (!row_is_new(&g->row[row]))
		return;
	for (size_t r = 0; r < g->n_row; r++)
		if (x->is_parent[r + 1] && r != row)
			take_flat(x, (uint32_t)r, o);
}

/* What row has taken is not there for others. */
static void
consume(struct explain *x, uint32_t row, enum gate_kind kind, double part)
{
	struct gate *g = x->g;
	bool is_new = row_is_new(&g->row[row]);

	for (size_t k = 0; k < x->edges.n_edge; k++) {
		struct gate_edge *e = &x->edges.edge[k];
		struct gate_row *old = &g->row[e->callee];

		if (!is_source(x, k, row, kind))
			continue;
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
}

/* Test the cell again, together with what it took over. */
static double
retest(struct explain *x, uint32_t row, enum gate_kind kind)
{
	struct gate_cell *c = &x->g->row[row].cell[kind], again = *c;
	struct offer o;

	collect(x, row, kind, &o);
	if (o.lost <= 0 || o.from == PROF_NONE)
		return 0;
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
	return fmin(1, change(c) / o.lost);
}

/* The callee of row that lost most. */
static uint32_t
lost_callee(const struct explain *x, uint32_t row)
{
	double most = 0;
	uint32_t callee = PROF_NONE;

	for (size_t k = 0; k < x->edges.n_edge; k++) {
		const struct gate_edge *e = &x->edges.edge[k];

		if (e->caller == row + 1 && e->value[0] - e->value[1] > most) {
			most = e->value[0] - e->value[1];
			callee = e->callee;
		}
	}
	return callee;
}

static void
explain_move(struct explain *x, uint32_t row)
{
	struct gate_row *r = &x->g->row[row];
	struct gate_cell *flat = &r->cell[GATE_FLAT];
	const struct gate_cell *cum = &r->cell[GATE_CUM];
	double part[2] = { 0 };
	uint32_t callee;

	mark_parents(x, row);
	for (int kind = 0; kind < 2; kind++)
		if (r->cell[kind].verdict == GATE_REGRESSED)
			part[kind] = retest(x, row, (enum gate_kind)kind);
	for (int kind = 0; kind < 2; kind++)
		if (part[kind] > 0)
			consume(x, row, (enum gate_kind)kind, part[kind]);
	/* Slower itself, but not with what it calls: callees did it before. */
	if (flat->verdict != GATE_REGRESSED ||
	    change(cum) >= (change(flat) - flat->moved) / 2)
		return;
	callee = lost_callee(x, row);
	if (callee == PROF_NONE)
		return;
	flat->verdict = GATE_MOVED;
	flat->moved = change(flat) - change(cum);
	r->other = x->g->row[callee].name;
}

/* --- causes --- */

static int
cmp_causes(const void *a, const void *b, void *ctx)
{
	const struct gate *g = ctx;
	const struct gate_cause *x = a, *y = b;
	double dx = x->after - x->before, dy = y->after - y->before;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strtab_cmp(&g->names, x->name, y->name);
}

/* Every caller, callee and line of row that grew enough, in no order. */
static size_t
list_causes(const struct explain *x, uint32_t row, struct gate_cause *cause)
{
	const struct gate_edges *e = &x->edges;
	const struct gate_row *r = &x->g->row[row];
	double min = MIN_CAUSE * change(&r->cell[r->kind]);
	size_t n = 0;

	for (size_t k = 0; k < e->n_edge; k++) {
		const struct gate_edge *d = &e->edge[k];
		bool is_callee = d->caller == row + 1;

		if (d->value[1] - d->value[0] < min || d->value[1] <= 0 ||
		    (is_callee ? r->kind == GATE_FLAT
			       : d->callee != row || d->caller == EDGE_ROOT))
			continue;
		cause[n++] = (struct gate_cause){
			.kind = is_callee ? GATE_CALLEE : GATE_CALLER,
			.is_inlined = is_callee && !d->is_called,
			.name = x->g->row[is_callee ? d->callee : d->caller - 1]
					.name,
			.before = d->value[0],
			.after = d->value[1],
		};
	}
	for (size_t k = 0; k < e->n_line; k++) {
		const struct gate_line *l = &e->line[k];

		if (l->row == row && l->value[1] - l->value[0] >= min &&
		    l->name != r->name)
			cause[n++] = (struct gate_cause){
				.kind = GATE_LINE,
				.name = l->name,
				.file = l->file,
				.line = l->line,
				.before = l->value[0],
				.after = l->value[1],
			};
	}
	return n;
}

/* Did row grow because of one callee that has regressed itself? */
static bool
is_carrier(const struct explain *x, uint32_t row)
{
	const struct gate *g = x->g;
	const struct gate_row *r = &g->row[row];
	double growth = change(&r->cell[r->kind]);

	for (size_t k = 0; k < x->edges.n_edge; k++) {
		const struct gate_edge *e = &x->edges.edge[k];

		if (r->kind == GATE_CUM && e->caller == row + 1 &&
		    g->row[e->callee].verdict == GATE_REGRESSED &&
		    e->value[1] - e->value[0] >= CARRIES * growth)
			return true;
	}
	return false;
}

static enum prof_status
explain_growth(struct explain *x, uint32_t row, struct gate_cause *scratch,
	       struct prof_err *err)
{
	struct gate_row *r = &x->g->row[row];
	size_t n = list_causes(x, row, scratch), kept = 0;
	struct gate_cause *cause;
	unsigned seen[3] = { 0 };

	qsort_r(scratch, n, sizeof(*scratch), cmp_causes, x->g);
	for (size_t i = 0; i < n; i++)
		if (seen[scratch[i].kind]++ < N_CAUSE)
			scratch[kept++] = scratch[i];
	r->is_carrier = is_carrier(x, row);
	cause = arena_array(x->g->arena, kept, sizeof(*cause));
	if (!cause)
		return prof_nomem(err);
	memcpy(cause, scratch, kept * sizeof(*cause));
	r->cause = cause;
	r->n_cause = (uint32_t)kept;
	return PROF_OK;
}

/* --- the whole --- */

static bool
regressed(const struct gate_row *r)
{
	return r->cell[GATE_FLAT].verdict == GATE_REGRESSED ||
	       r->cell[GATE_CUM].verdict == GATE_REGRESSED;
}

static int
cmp_cum(const void *a, const void *b, void *ctx)
{
	const struct gate *g = ctx;
	const struct gate_row *x = &g->row[*(const uint32_t *)a];
	const struct gate_row *y = &g->row[*(const uint32_t *)b];
	double dx = x->cell[GATE_CUM].after, dy = y->cell[GATE_CUM].after;

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strtab_cmp(&g->names, x->name, y->name);
}

/* The rows in todo, callers before what they call. */
static enum prof_status
explain_rows(struct explain *x, uint32_t *todo, size_t n, struct prof_err *err)
{
	double most = MAX_VISIT / (double)(x->edges.n_edge + 1);
	struct gate_cause *scratch;
	enum prof_status st = PROF_OK;

	/* When everything changed, in a huge profile, the largest must do. */
	qsort_r(todo, n, sizeof(*todo), cmp_cum, x->g);
	for (size_t i = 0; i < n; i++)
		gate_settle_row(&x->g->row[todo[i]]);
	if ((double)n > most)
		n = most > MIN_ROWS ? (size_t)most
		    : n < MIN_ROWS  ? n
				    : MIN_ROWS;
	for (size_t i = 0; i < n; i++)
		explain_move(x, todo[i]);
	scratch =
		calloc(x->edges.n_edge + x->edges.n_line + 1, sizeof(*scratch));
	if (!scratch)
		return prof_nomem(err);
	for (size_t i = 0; i < n; i++)
		gate_settle_row(&x->g->row[todo[i]]);
	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		const struct gate_row *r = &x->g->row[todo[i]];

		if (r->is_wanted && regressed(r))
			st = explain_growth(x, todo[i], scratch, err);
	}
	free(scratch);
	return st;
}

enum prof_status
gate_explain(struct gate *g, const struct gate_dist *d, struct prof_err *err)
{
	struct explain x = { .g = g, .d = d };
	size_t n_row = g->n_row, n = 0;
	bool *is_marked = calloc(n_row + 1, sizeof(*is_marked));
	uint32_t *todo = calloc(n_row + 1, sizeof(*todo));
	enum prof_status st = prof_nomem(err);

	x.from = calloc(n_row + 1, sizeof(*x.from));
	x.used_flat = calloc(n_row + 1, sizeof(*x.used_flat));
	x.is_parent = calloc(n_row + 1, sizeof(*x.is_parent));
	x.count = calloc(g->n_run, sizeof(*x.count));
	x.value = calloc(g->n_run, sizeof(*x.value));
	if (!is_marked || !todo || !x.from || !x.used_flat || !x.is_parent ||
	    !x.count || !x.value)
		goto out;
	for (uint32_t r = 0; r < n_row; r++) {
		x.from[r] = PROF_NONE;
		is_marked[r] = regressed(&g->row[r]);
		if (is_marked[r])
			todo[n++] = r;
	}
	st = PROF_OK;
	if (n)
		st = gate_edges_build(&x.edges, g, is_marked, err);
	if (n && st == PROF_OK)
		st = explain_rows(&x, todo, n, err);
	gate_edges_release(&x.edges);
out:
	free(x.value);
	free(x.count);
	free(x.is_parent);
	free(x.used_flat);
	free(x.from);
	free(todo);
	free(is_marked);
	return st;
}
