/* sweep.c - see sweep.h. */
#include "config.h"

#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/units.h"
#include "shifts.h"

/*
 * A function with a share of q is in none of N samples with a chance of
 * exp(-q N): it is new only if that is below exp(-10).
 */
#define SEEN_BY_CHANCE 10

void
sweep_release(struct sweep *w)
{
	free(w->row);
	memset(w, 0, sizeof(*w));
}

static void
take_sides(struct sweep *w, const struct series *x, int64_t from)
{
	for (int i = 0; i < 2; i++)
		w->side[i] =
			(struct sweep_side){ INT64_MAX, INT64_MIN, 0, 0, 0 };
	for (size_t i = 0; i < x->n_bucket; i++) {
		const struct bucket *b = &x->bucket[i];
		struct sweep_side *s = &w->side[b->first_ns >= from];

		if (b->first_ns < s->first_ns)
			s->first_ns = b->first_ns;
		if (b->last_ns > s->last_ns)
			s->last_ns = b->last_ns;
		s->n += b->n;
		s->samples = units_add(s->samples, b->samples);
		s->total = units_add(s->total, b->total);
	}
}

static void
take_row(struct sweep_row *r, const struct series *x, const struct series_fn *f,
	 bool is_flat, int64_t from)
{
	const int64_t *v = is_flat ? f->flat : f->cum;

	*r = (struct sweep_row){ .fn = f,
				 .first_ns = INT64_MAX,
				 .last_ns = INT64_MIN };
	for (size_t i = 0; i < x->n_bucket; i++) {
		const struct bucket *b = &x->bucket[i];

		int64_t *to = b->first_ns >= from ? &r->after : &r->before;
		int64_t *total = &r->total[b->first_ns >= from];

		*to = units_add(*to, v[i]);
		*total = units_add(*total, b->total);
		if (!v[i])
			continue;
		if (b->first_ns < r->first_ns)
			r->first_ns = b->first_ns;
		if (b->last_ns > r->last_ns)
			r->last_ns = b->last_ns;
	}
	for (int i = 0; i < 2; i++)
		r->share[i] = r->total[i] ? (double)(i ? r->after : r->before) /
						    (double)r->total[i]
					  : 0;
}

/* Does the row belong in the list? */
static bool
is_listed(struct sweep *w, const struct sweep_row *r, double min_share)
{
	bool here = w->task == HISTORY_NEW; /* the side with the function */

	if (fmax(fabs(r->share[0]), fabs(r->share[1])) < min_share)
		return false;
	if (w->task == HISTORY_MOVERS)
		return r->share[0] != r->share[1];
	if (r->share[!here] != 0 || r->share[here] == 0)
		return false;
	if (fabs(r->share[here]) * (double)w->side[!here].samples >
	    SEEN_BY_CHANCE)
		return true;
	w->n_hidden++;
	return false;
}

static int
by_names(const struct sweep_row *a, const struct sweep_row *b,
	 const struct series *x)
{
	return strtab_cmp(&x->functions.t, a->fn->name, b->fn->name);
}

/* Compare by the change of the share; the largest is first. */
static int
by_move(const void *a, const void *b, void *x)
{
	const struct sweep_row *p = a, *q = b;
	double m = fabs(p->share[1] - p->share[0]);
	double n = fabs(q->share[1] - q->share[0]);

	return m != n ? (m < n) - (m > n) : by_names(p, q, x);
}

/* Compare by p, then by the change of the share. */
static int
by_p(const void *a, const void *b, void *x)
{
	const struct sweep_row *p = a, *q = b;

	return p->shift.p != q->shift.p
		       ? (p->shift.p > q->shift.p) - (p->shift.p < q->shift.p)
		       : by_move(a, b, x);
}

/* The surest change of a function, if it is large enough to be listed. */
static enum prof_status
find_change(struct sweep_row *r, const struct series *x,
	    const struct history_settings *hs, const struct shifts_options *o,
	    size_t n_test, const struct gate_dist *d, bool *found,
	    struct prof_err *err)
{
	const struct shift *best = NULL;
	struct shifts s;
	enum prof_status st = shifts_find(&s, x, r->fn, o, n_test, d, err);

	for (size_t i = 0; st == PROF_OK && i < s.n; i++)
		if (!best || s.one[i].shift.p < best->p)
			best = &s.one[i].shift;
	*found = best && fabs(best->after - best->before) >=
				 hs->min_change * fabs(best->before);
	if (*found) {
		take_row(r, x, r->fn, o->is_flat, x->bucket[best->at].first_ns);
		r->shift = *best;
		r->is_marked = best->p < SWEEP_MARK;
	}
	shifts_release(&s);
	return st;
}

enum prof_status
sweep_make(struct sweep *w, const struct series *x,
	   const struct history_settings *s, int64_t from,
	   const struct gate_dist *d, struct prof_err *err)
{
	const struct shifts_options o = { .is_flat = s->is_flat,
					  .level = SWEEP_LEVEL,
					  .min_share = s->min_share };
	enum prof_status st = PROF_OK;

	*w = (struct sweep){ .task = s->task };
	w->row = calloc(x->n_fn + 1, sizeof(*w->row));
	if (!w->row)
		return prof_nomem(err);
	take_sides(w, x, from);
	if (s->task == HISTORY_CHANGES)
		st = shifts_count(x, &o, &w->n_test, err);
	for (size_t i = 0; i < x->n_fn && st == PROF_OK; i++) {
		struct sweep_row *r = &w->row[w->n];
		bool found;

		take_row(r, x, &x->fn[i], s->is_flat, from);
		if (s->task != HISTORY_CHANGES) {
			w->n += is_listed(w, r, s->min_share);
			continue;
		}
		if (!shifts_matter(x, r->fn, &o))
			continue;
		st = find_change(r, x, s, &o, w->n_test, d, &found, err);
		w->n += found;
	}
	if (w->n)
		qsort_r(w->row, w->n, sizeof(*w->row),
			s->task == HISTORY_CHANGES ? by_p : by_move,
			(void *)(uintptr_t)x);
	w->n_found = w->n;
	if (s->max_rows && w->n > s->max_rows)
		w->n = s->max_rows;
	return st;
}
