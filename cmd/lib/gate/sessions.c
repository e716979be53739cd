/*
 * sessions.c - runs that were recorded days apart: doc/gate.md, "Sessions".
 * What a machine was like on a day is common to the runs of that day, so they
 * are not independent of each other. Their mean is one observation.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "impl.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

#define PAUSE 600.0   /* seconds between the sessions, at least */
#define MIN_SESSION 3 /* of base, to learn how sessions differ */

struct gate_span
gate_span_of(const struct profile *p)
{
	double begin = (double)p->time_ns / 1e9;

	return (struct gate_span){ begin,
				   begin + (double)p->duration_ns / 1e9 };
}

struct gate_mark
gate_mark_of(const struct profile *p)
{
	struct gate_mark m = { p->time_ns, p->duration_ns, 0 };

	for (size_t i = 0; i < p->n_sample; i++)
		for (size_t k = 0; k < p->n_type; k++)
			m.sum = units_add(m.sum, profile_value(p, i)[k]);
	return m;
}

bool
gate_is_same_run(const struct gate_mark *a, const struct gate_mark *b)
{
	return a->time_ns && a->time_ns == b->time_ns &&
	       a->duration_ns == b->duration_ns && a->sum == b->sum;
}

bool
gate_is_pause(const struct gate_span *a, const struct gate_span *b)
{
	return a->begin > 0 && b->begin > 0 &&
	       fmax(a->begin, b->begin) - fmin(a->end, b->end) > PAUSE;
}

static int
cmp_begin(const void *a, const void *b, void *ctx)
{
	const struct gate_run *run = ctx;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;

	if (run[i].span.begin != run[k].span.begin)
		return run[i].span.begin < run[k].span.begin ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Number the sessions of both sides by time; `order` becomes that of the runs.
 * Sets how many each side has part in, and whether any has one side only;
 * returns how many there are. */
static size_t
find_sessions(struct gate *g, size_t *order)
{
	struct gate_span all = g->run[0].span;
	unsigned sides = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->n_run; i++)
		order[i] = i;
	qsort_r(order, g->n_run, sizeof(*order), cmp_begin, g->run);
	for (size_t i = 0; i <= g->n_run; i++) {
		struct gate_run *r = i < g->n_run ? &g->run[order[i]] : NULL;

		if (i && (!r || gate_is_pause(&all, &r->span))) {
			for (int s = 0; s < 2; s++)
				g->n_session[s] += sides >> s & 1;
			g->is_apart |= sides != 3;
			sides = 0;
			n++;
		}
		if (!r)
			break;
		if (!sides)
			all = r->span;
		all.end = fmax(all.end, r->span.end);
		r->session = n;
		sides |= 1u << r->side;
	}
	return n;
}

/* Make one column of the runs of a side in each session, their mean. */
static enum prof_status
join_sessions(struct gate *g, size_t n_session, struct prof_err *err)
{
	size_t n = 2 * n_session;
	size_t *count = gate_zeros(g->arena, 2 * n, sizeof(*count));
	size_t *column = count + n;

	if (!count)
		return prof_nomem(err);
	for (size_t i = 0; i < gate_n_profile(g); i++)
		count[g->run[i].side * n_session + g->run[i].session]++;
	g->n_run = 0;
	for (size_t k = 0; k < n; k++)
		if (count[k])
			column[k] = g->n_run++;
	for (size_t i = 0; i < gate_n_profile(g); i++) {
		struct gate_run *r = &g->run[i];
		size_t k = r->side * n_session + r->session;

		r->factor /= (double)count[k];
		r->column = column[k];
	}
	for (int s = 0; s < 2; s++)
		g->n_side[s] = g->n_session[s];
	g->is_joined = true;
	return PROF_OK;
}

enum prof_status
gate_join_sessions(struct gate *g, struct prof_err *err)
{
	size_t *order, n = 0;

	for (size_t i = 0; i < g->n_run; i++)
		if (g->run[i].span.begin <= 0)
			return PROF_OK;
	order = gate_zeros(g->arena, g->n_run, sizeof(*order));
	if (!order)
		return prof_nomem(err);
	n = find_sessions(g, order);
	if (!g->is_apart || g->n_session[GATE_BASE] < MIN_SESSION)
		return PROF_OK;
	return join_sessions(g, n, err);
}
