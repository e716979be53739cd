/*
 * cause.c - what carries the growth of functions that regressed: callers,
 * callees, lines. See edges.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "impl.h"
#include "lib/base/arena.h"

#define CARRIES 0.75  /* of the growth of its caller: it is the reason */
#define N_CAUSE 3     /* of each kind */
#define MIN_CAUSE 0.1 /* of the growth */

static double
change(const struct gate_cell *c)
{
	return c->after - c->before;
}

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
list_causes(const struct gate_edges *e, uint32_t row, struct gate_cause *cause)
{
	const struct gate_row *r = &e->g->row[row];
	double min = MIN_CAUSE * change(&r->cell[r->kind]);
	const uint32_t *at;
	size_t n = 0, n_of;

	n_of = gate_index_of(&e->callers, row, &at);
	for (size_t k = 0; k < n_of; k++) {
		const struct gate_edge *d = &e->edge[at[k]];

		if (d->value[1] - d->value[0] >= min && d->value[1] > 0 &&
		    d->caller != EDGE_ROOT)
			cause[n++] = (struct gate_cause){
				.kind = GATE_CALLER,
				.name = e->g->row[d->caller - 1].name,
				.before = d->value[0],
				.after = d->value[1],
			};
	}
	n_of = gate_index_of(&e->callees, row + 1, &at);
	for (size_t k = 0; r->kind == GATE_CUM && k < n_of; k++) {
		const struct gate_edge *d = &e->edge[at[k]];

		if (d->value[1] - d->value[0] >= min && d->value[1] > 0)
			cause[n++] = (struct gate_cause){
				.kind = GATE_CALLEE,
				.is_inlined = !d->is_called,
				.name = e->g->row[d->callee].name,
				.before = d->value[0],
				.after = d->value[1],
			};
	}
	n_of = gate_index_of(&e->lines, row, &at);
	for (size_t k = 0; k < n_of; k++) {
		const struct gate_line *l = &e->line[at[k]];

		if (l->value[1] - l->value[0] >= min && l->name != r->name)
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

/* How many causes list_causes() can find for any row. */
static size_t
most_causes(const struct gate_edges *e)
{
	size_t most = 0;

	for (size_t r = 0; r < e->g->n_row; r++) {
		const uint32_t *at;
		size_t n = gate_index_of(&e->callers, r, &at) +
			   gate_index_of(&e->callees, r + 1, &at) +
			   gate_index_of(&e->lines, r, &at);

		most = n > most ? n : most;
	}
	return most;
}

/* Did row grow because of one callee that has regressed itself? */
static bool
is_carrier(const struct gate_edges *e, uint32_t row)
{
	const struct gate *g = e->g;
	const struct gate_row *r = &g->row[row];
	double growth = change(&r->cell[r->kind]);
	const uint32_t *at;
	size_t n = gate_index_of(&e->callees, row + 1, &at);

	for (size_t k = 0; r->kind == GATE_CUM && k < n; k++) {
		const struct gate_edge *d = &e->edge[at[k]];

		if (g->row[d->callee].verdict == GATE_REGRESSED &&
		    d->value[1] - d->value[0] >= CARRIES * growth)
			return true;
	}
	return false;
}

static enum prof_status
explain_growth(const struct gate_edges *e, uint32_t row,
	       struct gate_cause *scratch, struct prof_err *err)
{
	struct gate_row *r = &e->g->row[row];
	size_t n = list_causes(e, row, scratch), kept = 0;
	struct gate_cause *cause;
	unsigned seen[3] = { 0 };

	qsort_r(scratch, n, sizeof(*scratch), cmp_causes, e->g);
	for (size_t i = 0; i < n; i++)
		if (seen[scratch[i].kind]++ < N_CAUSE)
			scratch[kept++] = scratch[i];
	r->is_carrier = is_carrier(e, row);
	cause = arena_array(e->g->arena, kept, sizeof(*cause));
	if (!cause)
		return prof_nomem(err);
	memcpy(cause, scratch, kept * sizeof(*cause));
	r->cause = cause;
	r->n_cause = (uint32_t)kept;
	return PROF_OK;
}

enum prof_status
gate_find_causes(const struct gate_edges *e, const uint32_t *row, size_t n,
		 struct prof_err *err)
{
	struct gate_cause *scratch =
		calloc(most_causes(e) + 1, sizeof(*scratch));
	enum prof_status st = PROF_OK;

	if (!scratch)
		return prof_nomem(err);
	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		const struct gate_row *r = &e->g->row[row[i]];

		if (r->is_wanted && gate_row_regressed(r))
			st = explain_growth(e, row[i], scratch, err);
	}
	free(scratch);
	return st;
}
