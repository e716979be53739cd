/*
 * cause.c - which callers, callees and lines carry the growth of a function
 * that regressed, and the line of source to look at.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"

#define CARRIES 0.75  /* of its caller's growth: it is the cause */
#define N_CAUSE 3     /* of each kind */
#define MIN_CAUSE 0.1 /* of the growth */

static double
grown(const struct gate_link *l)
{
	return l->value[1] - l->value[0];
}

static struct gate_cause
cause_of(const struct gate *g, const struct gate_link *l,
	 enum gate_cause_kind kind, double growth)
{
	struct gate_cause c = { .kind = kind,
				.before = l->value[0],
				.after = l->value[1] };

	if (kind == GATE_LINE) {
		/* A line that moved, or whose file has another path in base,
		 * looks new: it grew by no more than its function. */
		c.before = fmax(c.before, c.after - growth);
		c.name = gate_place_at(g, l->other)->file;
		c.line = gate_place_at(g, l->other)->line;
	} else {
		c.name = g->row[l->other - 1].name;
		c.is_inlined = !l->is_called && kind == GATE_CALLEE;
	}
	return c;
}

/* Add the causes of one kind that carry a part of the growth worth naming, the
 * largest first. */
static size_t
add_causes(const struct gate *g, const struct gate_links *x, uint32_t row,
	   enum gate_link_kind from, enum gate_cause_kind kind, double growth,
	   struct gate_cause *cause)
{
	double min = MIN_CAUSE * growth;
	size_t n_link, n = 0;
	const struct gate_link *l = gate_links_of(x, row, from, &n_link);

	for (size_t i = 0; i < n_link; i++) {
		size_t at;

		if (!l[i].other || l[i].value[1] <= 0 || grown(&l[i]) < min)
			continue;
		for (at = n; at > 0; at--) {
			const struct gate_cause *c = &cause[at - 1];

			if (c->after - c->before >= grown(&l[i]))
				break;
			if (at < N_CAUSE)
				cause[at] = *c;
		}
		if (at < N_CAUSE)
			cause[at] = cause_of(g, &l[i], kind, growth);
		n += n < N_CAUSE;
	}
	return n;
}

/* Find the place that grew most: in a file of the project, or else in any. */
static void
set_place(const struct gate *g, const struct gate_links *x, uint32_t r)
{
	struct gate_row *row = &g->row[r];
	const struct gate_link *best = NULL;

	for (int kind = LINK_PLACE; kind >= LINK_LINE && !best; kind--) {
		size_t n;
		const struct gate_link *l = gate_links_of(x, r, kind, &n);

		for (size_t i = 0; i < n; i++)
			if (grown(&l[i]) > 0 &&
			    (!best || grown(&l[i]) > grown(best))) {
				best = &l[i];
				row->is_ours = kind == LINK_PLACE;
			}
	}
	if (!best)
		return;
	row->file = gate_place_at(g, best->other)->file;
	row->line = gate_place_at(g, best->other)->line;
}

/* The callee with the most part in r's change, plus 1, if those with the same
 * verdict make almost all of it; else 0. */
static uint32_t
carried_by(const struct gate *g, const struct gate_links *x, uint32_t r,
	   double growth)
{
	const struct gate_row *row = &g->row[r];
	double sign = growth < 0 ? -1 : 1, sum = 0, most = 0;
	uint32_t best = 0;
	size_t n;
	const struct gate_link *l = gate_links_of(x, r, LINK_CALLEE, &n);

	for (size_t i = 0; row->kind == GATE_CUM && i < n; i++) {
		const struct gate_row *callee = &g->row[l[i].other - 1];
		double part = sign * grown(&l[i]);

		if (callee->verdict != row->verdict || callee->is_moved)
			continue;
		sum += part;
		if (part <= most)
			continue;
		most = part;
		best = l[i].other;
	}
	return sum >= CARRIES * sign * growth ? best : 0;
}

const struct gate_row *
gate_grower(const struct gate *g, const struct gate_row *r)
{
	/* In a recursion two rows may carry each other. */
	for (size_t i = 0; r->carried && i < g->n_row; i++)
		r = &g->row[r->carried - 1];
	return r;
}

static enum prof_status
explain_growth(const struct gate *g, const struct gate_links *x, uint32_t r,
	       struct prof_err *err)
{
	struct gate_row *row = &g->row[r];
	const struct gate_cell *c = gate_deciding(row);
	double growth = c->mean[1] - c->mean[0];
	struct gate_cause cause[3 * N_CAUSE], *copy;
	size_t n;

	row->carried = carried_by(g, x, r, growth);
	if (row->verdict == GATE_IMPROVED)
		return PROF_OK;
	n = add_causes(g, x, r, LINK_CALLER, GATE_CALLER, growth, cause);
	if (row->kind == GATE_CUM)
		n += add_causes(g, x, r, LINK_CALLEE, GATE_CALLEE, growth,
				cause + n);
	n += add_causes(g, x, r, LINK_LINE, GATE_LINE, growth, cause + n);
	copy = arena_array(g->arena, n + 1, sizeof(*copy));
	if (!copy)
		return prof_nomem(err);
	memcpy(copy, cause, n * sizeof(*copy));
	row->cause = copy;
	row->n_cause = (uint32_t)n;
	set_place(g, x, r);
	return PROF_OK;
}

enum prof_status
gate_find_causes(struct gate *g, const struct gate_links *x,
		 struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++)
		if (g->row[r].is_wanted && gate_has_changed(&g->row[r]))
			st = explain_growth(g, x, r, err);
	return st;
}
