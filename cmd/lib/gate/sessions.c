/*
 * sessions.c - runs that were recorded days apart: doc/gate.md, "Sessions".
 * What a machine was like on a day is common to the runs of that day, so they
 * are not independent of each other. Their mean is one observation.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"
#include "lib/model/profile.h"

#define PAUSE 600.0   /* seconds between the sessions, at least */
#define MIN_SESSION 3 /* of base, to learn how sessions differ */

struct gate_span
gate_span_of(const struct profile *p)
{
	double begin = (double)p->time_ns / 1e9;

	return (struct gate_span){ begin,
				   begin + (double)p->duration_ns / 1e9 };
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
 * Sets how many each side has part in, and whether any has one side only. */
static void
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
}

/* Add run r to the mean of n runs. */
static void
join(struct gate_run *mean, const struct gate_run *r, double n)
{
	double f = r->factor / n;

	mean->total.value += r->total.value * f;
	mean->total.square += r->total.square * f * f;
	mean->total.events += r->total.events;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < r->n_row; i++) {
			mean->sum[k][i].value += r->sum[k][i].value * f;
			mean->sum[k][i].square += r->sum[k][i].square * f * f;
			mean->sum[k][i].set += r->sum[k][i].set;
		}
	for (size_t i = 0; i < r->n_sample; i++) {
		struct gate_sample s = r->sample[i];

		s.value *= f;
		s.square *= f * f;
		mean->sample[mean->n_sample++] = s;
	}
}

/* The runs order[0..n), of which those of `side` are joined into *mean. Returns
 * how many these are; SIZE_MAX without memory. */
static size_t
join_side(const struct gate *g, const size_t *order, size_t n,
	  enum gate_side side, struct gate_run *mean)
{
	size_t n_sample = 0, n_joined = 0;

	*mean = (struct gate_run){ .side = side, .factor = 1, .exposure = 1 };
	for (size_t i = 0; i < n; i++) {
		const struct gate_run *r = &g->run[order[i]];

		if (r->side != side)
			continue;
		n_sample += r->n_sample;
		n_joined++;
	}
	if (!n_joined)
		return 0;
	mean->n_row = g->n_row;
	mean->sample =
		arena_array(g->arena, n_sample + 1, sizeof(*mean->sample));
	for (int k = 0; k < 2; k++) {
		size_t size = (g->n_row + 1) * sizeof(*mean->sum[k]);

		mean->sum[k] = arena_array(g->arena, g->n_row + 1,
					   sizeof(*mean->sum[k]));
		if (!mean->sample || !mean->sum[k])
			return SIZE_MAX;
		memset(mean->sum[k], 0, size);
	}
	for (size_t i = 0; i < n; i++)
		if (g->run[order[i]].side == side)
			join(mean, &g->run[order[i]], (double)n_joined);
	return n_joined;
}

/* Make one run of the runs of a side in each session. */
static enum prof_status
join_sessions(struct gate *g, const size_t *order, struct prof_err *err)
{
	size_t n_max = g->n_session[0] + g->n_session[1], n = 0;
	struct gate_run *mean = arena_array(g->arena, n_max, sizeof(*mean));

	if (!mean)
		return prof_nomem(err);
	for (int s = 0; s < 2; s++)
		for (size_t from = 0, to; from < g->n_run; from = to) {
			size_t joined, session = g->run[order[from]].session;
			struct gate_run one;

			for (to = from; to < g->n_run &&
					g->run[order[to]].session == session;)
				to++;
			joined = join_side(g, order + from, to - from, s, &one);
			if (joined == SIZE_MAX)
				return prof_nomem(err);
			if (joined)
				mean[n++] = one;
		}
	g->run = mean;
	g->n_run = n_max;
	for (int s = 0; s < 2; s++)
		g->n_side[s] = g->n_session[s];
	g->is_joined = true;
	return PROF_OK;
}

enum prof_status
gate_join_sessions(struct gate *g, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	size_t *order;

	for (size_t i = 0; i < g->n_run; i++)
		if (g->run[i].span.begin <= 0)
			return PROF_OK;
	order = calloc(g->n_run, sizeof(*order));
	if (!order)
		return prof_nomem(err);
	find_sessions(g, order);
	if (g->is_apart && g->n_session[GATE_BASE] >= MIN_SESSION)
		st = join_sessions(g, order, err);
	free(order);
	return st;
}
