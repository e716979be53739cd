/* shifts.c - see shifts.h. */
#include "config.h"

#include "shifts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/sampling.h"

#define MIN_SIDE_DAYS 3
#define MIN_SIDE_HOURS 6
#define MIN_PAIRS 3
#define BUILD_LEVEL 0.01
#define HOURS_OF_DAY 24

static double
share(const struct series *x, const struct series_fn *f, size_t i, bool is_flat)
{
	double total = (double)x->bucket[i].total;

	return (double)(is_flat ? f->flat[i] : f->cum[i]) / total;
}

bool
shifts_matter(const struct series *x, const struct series_fn *f,
	      const struct shifts_options *o)
{
	if (!strcmp(names_str(&x->functions, f->name)->s, SAMPLING_NONE))
		return false;
	for (size_t i = 0; i < x->n_bucket; i++)
		if (x->bucket[i].total > 0 &&
		    share(x, f, i, o->is_flat) >= o->min_share)
			return true;
	return false;
}

enum prof_status
shifts_count(const struct series *x, const struct shifts_options *o, size_t *n,
	     struct prof_err *err)
{
	struct names sets;

	*n = 0;
	if (names_init(&sets) < 0)
		return prof_nomem(err);
	for (size_t i = 0; i < x->n_fn; i++) {
		const int64_t *v = o->is_flat ? x->fn[i].flat : x->fn[i].cum;

		if (shifts_matter(x, &x->fn[i], o) &&
		    strtab_add(&sets.t, (const char *)v,
			       x->n_bucket * sizeof(*v)) == STRTAB_NONE) {
			names_release(&sets);
			return prof_nomem(err);
		}
	}
	*n = sets.t.n_str - 1;
	names_release(&sets);
	return PROF_OK;
}

void
shifts_release(struct shifts *s)
{
	free(s->one);
	memset(s, 0, sizeof(*s));
}

/* The shares of f in buckets with a total; at[i] is the bucket of y[i]. */
static enum prof_status
take_shares(const struct series *x, const struct series_fn *f,
	    const struct shifts_options *o, double *y, size_t *at, size_t *n,
	    struct prof_err *err)
{
	long *hour = malloc((x->n_bucket + 1) * sizeof(*hour));
	enum prof_status st = PROF_OK;

	if (!hour)
		return prof_nomem(err);
	*n = 0;
	for (size_t i = 0; i < x->n_bucket; i++) {
		if (x->bucket[i].total <= 0)
			continue;
		hour[*n] = (long)(x->bucket[i].first_ns / BLOCK_HOUR_NS);
		at[*n] = i;
		y[(*n)++] = share(x, f, i, o->is_flat);
	}
	if (o->is_hourly)
		st = shift_level_hours(y, hour, *n, err);
	free(hour);
	return st;
}

/* Buckets of x in place of indices of the shares. */
static void
in_buckets(struct shift *c, const size_t *at, size_t n_bucket, size_t n)
{
	c->at = at[c->at];
	c->first = at[c->first];
	c->last = at[c->last];
	c->from = at[c->from];
	c->to = c->to < n ? at[c->to] : n_bucket;
}

enum prof_status
shifts_find(struct shifts *s, const struct series *x, const struct series_fn *f,
	    const struct shifts_options *o, size_t n_test,
	    const struct gate_dist *d, struct prof_err *err)
{
	const struct shift_options so = {
		.min_side = o->is_hourly ? MIN_SIDE_HOURS : MIN_SIDE_DAYS,
		.level = o->level,
		.n_test = (double)n_test,
	};
	size_t n = x->n_bucket, *at = malloc((n + 1) * sizeof(*at));
	double *y = malloc((3 * n + 1) * sizeof(*y));
	struct shift c[SHIFT_MAX], best;
	enum prof_status st = PROF_OK;

	*s = (struct shifts){ .n_needed = 2 * so.min_side,
			      .n_test = n_test,
			      .best_p = 1 };
	if (!at || !y)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = take_shares(x, f, o, y, at, &s->n_bucket, err);
	if (st == PROF_OK) {
		s->n = shift_find(y, s->n_bucket, &so, d, c, &st);
		s->one = calloc(s->n + 1, sizeof(*s->one));
		if (st != PROF_OK || !s->one)
			st = prof_nomem(err);
	}
	for (size_t i = 0; st == PROF_OK && i < s->n; i++) {
		in_buckets(&c[i], at, n, s->n_bucket);
		s->one[i].shift = c[i];
	}
	if (st == PROF_OK && !s->n &&
	    shift_test(y, s->n_bucket, &so, d, y + n, &best))
		s->best_p = best.p;
	free(at);
	free(y);
	return st;
}

/* --- builds --- */

/* Value and total of one build in an hour, or in an hour of all days. */
struct load {
	double value, total;
};

/* The share of each hour from t0 on, of the build in hours: n loads. */
static void
load_hours(const struct series *hours, const struct str *build,
	   const struct shifts_options *o, int64_t t0, struct load *load,
	   size_t n)
{
	const struct series_fn *f = &hours->fn[0];

	for (size_t i = 0; i < hours->n_bucket; i++) {
		const struct bucket *b = &hours->bucket[i];
		const struct str *key = names_str(&hours->keys, b->key);
		size_t skip = strlen(key->s) + 1;
		int64_t at = b->first_ns / BLOCK_HOUR_NS - t0;

		if (at < 0 || (size_t)at >= n || key->len < skip ||
		    key->len - skip != build->len ||
		    memcmp(key->s + skip, build->s, build->len) != 0)
			continue;
		load[at].value += (double)(o->is_flat ? f->flat[i] : f->cum[i]);
		load[at].total += (double)b->total;
	}
}

/* Add up the hours of days. */
static void
fold(struct load *load, size_t n, int64_t t0)
{
	struct load sum[HOURS_OF_DAY] = { { 0 } };

	for (size_t i = 0; i < n; i++) {
		size_t of_day = (size_t)((t0 + (int64_t)i) % HOURS_OF_DAY);

		sum[of_day].value += load[i].value;
		sum[of_day].total += load[i].total;
	}
	memset(load, 0, n * sizeof(*load));
	memcpy(load, sum, sizeof(sum));
}

/* A paired t-test of b against a, over the hours that both have. */
static bool
compare(struct build_test *t, const struct load *a, const struct load *b,
	size_t n, const struct gate_dist *d)
{
	double sum = 0, squares = 0, before = 0, mean, se, half;

	t->n = 0;
	for (size_t i = 0; i < n; i++) {
		double old, diff;

		if (a[i].total <= 0 || b[i].total <= 0)
			continue;
		old = a[i].value / a[i].total;
		diff = b[i].value / b[i].total - old;
		t->n++;
		before += old;
		sum += diff;
		squares += diff * diff;
	}
	if (t->n < MIN_PAIRS || before <= 0)
		return false;
	n = t->n;
	mean = sum / (double)n;
	before /= (double)n;
	se = sqrt(fmax(squares / (double)n - mean * mean, 0) / (double)(n - 1));
	half = se * d->t_quantile(0.025, (double)(n - 1));
	t->change = mean / before;
	t->low = (mean - half) / before;
	t->high = (mean + half) / before;
	t->p = se > 0      ? fmin(1,
				  2 * d->t_upper(fabs(mean) / se, (double)(n - 1)))
	       : mean == 0 ? 1
			   : 0;
	return true;
}

/* The build that began last before build i, and ran at its start or after. */
static const struct series_build *
build_before(const struct series *x, size_t i)
{
	const struct series_build *best = NULL;

	for (size_t k = 0; k < i; k++)
		if (x->build[k].n > 0 &&
		    (!best || x->build[k].last_ns + 2 * BLOCK_DAY_NS >=
				      x->build[i].first_ns))
			best = &x->build[k];
	return best;
}

static enum prof_status
test_build(struct build_test *t, const struct series *x,
	   const struct series *hours, const struct shifts_options *o,
	   const struct gate_dist *d, struct prof_err *err)
{
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	struct load *a, *b;
	size_t n;

	for (size_t i = 0; i < hours->n_bucket; i++) {
		int64_t hour = hours->bucket[i].first_ns / BLOCK_HOUR_NS;

		t0 = hour < t0 ? hour : t0;
		t1 = hour > t1 ? hour : t1;
	}
	t->p = 1;
	if (t0 > t1 || t0 < 0)
		return PROF_OK;
	n = (size_t)(t1 - t0 + 1);
	n = n < HOURS_OF_DAY ? HOURS_OF_DAY : n;
	a = calloc(n, sizeof(*a));
	b = calloc(n, sizeof(*b));
	if (!a || !b) {
		free(a);
		free(b);
		return prof_nomem(err);
	}
	load_hours(hours, names_str(&x->words, t->before), o, t0, a, n);
	load_hours(hours, names_str(&x->words, t->build), o, t0, b, n);
	t->is_same_hours = compare(t, a, b, n, d);
	if (!t->is_same_hours) {
		fold(a, n, t0);
		fold(b, n, t0);
		if (!compare(t, a, b, HOURS_OF_DAY, d))
			t->p = 1;
	}
	free(a);
	free(b);
	return PROF_OK;
}

/* Note on which hosts t->build was first seen from `from` to `to`. */
static void
find_arrivals(struct build_test *t, const struct series *x,
	      const struct series *hosts, int64_t from, int64_t to)
{
	const struct str *id = names_str(&x->words, t->build);

	for (size_t i = 0; i < hosts->n_bucket; i++) {
		const struct bucket *b = &hosts->bucket[i];
		const struct str *key = names_str(&hosts->keys, b->key);
		size_t n = strlen(key->s), at = t->n_host;

		if (b->first_ns < from || b->first_ns > to ||
		    key->len - n - 1 != id->len ||
		    memcmp(key->s + n + 1, id->s, id->len) != 0)
			continue;
		t->n_host++;
		if (at == 0 || b->first_ns < t->first_ns) {
			t->first_ns = b->first_ns;
			if (at && at < SHIFTS_MAX_HOST)
				t->host[at] = t->host[0];
			at = 0;
		}
		if (at < SHIFTS_MAX_HOST)
			t->host[at] = strtab_find(&x->words.t, key->s, n);
	}
}

enum prof_status
shifts_builds(struct shifts_one *one, const struct series *x,
	      const struct series *hours, const struct series *hosts,
	      const struct shifts_options *o, const struct gate_dist *d,
	      struct prof_err *err)
{
	const struct shift *c = &one->shift;
	/* A day or hour before: a build may begin at the end of the last. */
	int64_t from = x->bucket[c->first ? c->first - 1 : 0].first_ns;
	int64_t to = x->bucket[c->last].last_ns;
	enum prof_status st = PROF_OK;
	struct build_test *t = calloc(x->n_build + 1, sizeof(*t));
	double n_candidate = 0;

	if (!t)
		return prof_nomem(err);
	for (size_t i = 1; i < x->n_build; i++) {
		const struct series_build *before = build_before(x, i);

		t[i].build = x->build[i].name;
		t[i].before = before ? before->name : 0;
		find_arrivals(&t[i], x, hosts, from, to);
		n_candidate += before && t[i].n_host;
	}
	one->n_build = 0;
	for (size_t i = 1; i < x->n_build && st == PROF_OK; i++) {
		if (!t[i].before || !t[i].n_host)
			continue;
		st = test_build(&t[i], x, hours, o, d, err);
		if (t[i].p * n_candidate >= BUILD_LEVEL)
			one->arrived = one->arrived.build ? one->arrived : t[i];
		else if (one->n_build < SHIFTS_MAX_BUILD)
			one->build[one->n_build++] = t[i];
	}
	free(t);
	return st;
}

/* --- hosts --- */

/* The sum over all hosts. */
static struct load
load_all(const struct series *hosts, const struct shifts_options *o)
{
	const struct series_fn *f = &hosts->fn[0];
	struct load sum = { 0 };

	for (size_t i = 0; i < hosts->n_bucket; i++) {
		sum.value += (double)(o->is_flat ? f->flat[i] : f->cum[i]);
		sum.total += (double)hosts->bucket[i].total;
	}
	return sum;
}

/* The sum over the host of this name; zeros if there is none. */
static struct load
load_host(const struct series *hosts, const struct str *name,
	  const struct shifts_options *o)
{
	const struct series_fn *f = &hosts->fn[0];

	for (size_t i = 0; i < hosts->n_bucket; i++) {
		const struct bucket *b = &hosts->bucket[i];
		const struct str *key = names_str(&hosts->keys, b->key);

		if (key->len == name->len && !memcmp(key->s, name->s, key->len))
			return (struct load){ (double)(o->is_flat ? f->flat[i]
								  : f->cum[i]),
					      (double)b->total };
	}
	return (struct load){ 0 };
}

static double
share_of(const struct load *l)
{
	return l->total > 0 ? l->value / l->total : 0;
}

/*
 * The share of all is a sum over the hosts: the value of each, divided by the
 * total of all. So the parts of a change add up to it.
 */
void
shifts_hosts(struct shifts_one *one, const struct series *x,
	     const struct series *before, const struct series *after,
	     const struct shifts_options *o)
{
	const struct load old = load_all(before, o), new = load_all(after, o);
	double change = share_of(&new) - share_of(&old);
	struct shifts_host *best = &one->host;

	if (old.total <= 0 || new.total <= 0 || change == 0)
		return;
	for (size_t i = 0; i < after->n_bucket; i++) {
		const struct str *name =
			names_str(&after->keys, after->bucket[i].key);
		const struct load a = load_host(before, name, o);
		const struct load b = load_host(after, name, o);
		const double part =
			(b.value / new.total - a.value / old.total) / change;

		if (!name->len)
			continue;
		best->n++;
		if (best->host && part <= best->part)
			continue;
		best->host = strtab_find(&x->words.t, name->s, name->len);
		best->before = share_of(&a);
		best->after = share_of(&b);
		best->part = part;
	}
}
