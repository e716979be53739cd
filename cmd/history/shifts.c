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

/* A difference of means by a t-test; before is the mean share of the old build.
 */
static void
conclude(struct build_test *t, double diff, double se, double df, double before,
	 const struct gate_dist *d)
{
	double half = se * d->t_quantile(0.025, df);

	t->p = se > 0      ? fmin(1, 2 * d->t_upper(fabs(diff) / se, df))
	       : diff == 0 ? 1
			   : 0;
	t->change = t->low = t->high = diff > 0 ? INFINITY : 0;
	if (before <= 0)
		return;
	t->change = diff / before;
	t->low = (diff - half) / before;
	t->high = (diff + half) / before;
}

/* A paired t-test of b against a, over the hours that both have. */
static bool
compare_pairs(struct build_test *t, const struct load *a, const struct load *b,
	      size_t n_load, const struct gate_dist *d)
{
	double sum = 0, squares = 0, before = 0, mean, n = 0;

	for (size_t i = 0; i < n_load; i++) {
		double old, diff;

		if (a[i].total <= 0 || b[i].total <= 0)
			continue;
		old = a[i].value / a[i].total;
		diff = b[i].value / b[i].total - old;
		n++;
		before += old;
		sum += diff;
		squares += diff * diff;
	}
	if (n < MIN_PAIRS)
		return false;
	mean = sum / n;
	conclude(t, mean, sqrt(fmax(squares / n - mean * mean, 0) / (n - 1)),
		 n - 1, before / n, d);
	t->n = (size_t)n;
	return true;
}

/* The hours of a build, their mean share, and the square of its error. */
struct hours {
	double n, mean, square;
};

static struct hours
hours_of(const struct load *load, size_t n_load)
{
	double sum = 0, squares = 0;
	struct hours h = { 0 };

	for (size_t i = 0; i < n_load; i++) {
		double v;

		if (load[i].total <= 0)
			continue;
		v = load[i].value / load[i].total;
		h.n++;
		sum += v;
		squares += v * v;
	}
	h.mean = sum / h.n;
	h.square = fmax(squares / h.n - h.mean * h.mean, 0) / (h.n - 1);
	return h;
}

/* Welch's t-test of b against a, which share too few hours, even of days. */
static bool
compare_means(struct build_test *t, const struct load *a, const struct load *b,
	      size_t n_load, const struct gate_dist *d)
{
	const struct hours x = hours_of(a, n_load), y = hours_of(b, n_load);
	double square, df;

	if (x.n < MIN_PAIRS || y.n < MIN_PAIRS)
		return false;
	square = x.square + y.square;
	df = square * square /
	     (x.square * x.square / (x.n - 1) +
	      y.square * y.square / (y.n - 1));
	conclude(t, y.mean - x.mean, sqrt(square),
		 square > 0 ? df : x.n + y.n - 2, x.mean, d);
	t->n = (size_t)(x.n + y.n);
	return true;
}

/*
 * The build of the program that began last before build i, and ran at its start
 * or after.
 */
static const struct series_build *
build_before(const struct series *x, size_t i)
{
	const struct series_build *best = NULL, *build = &x->build[i];

	for (size_t k = 0; k < i; k++) {
		const struct series_build *b = &x->build[k];

		if (b->program && build->program &&
		    b->program != build->program)
			continue;
		if (!best || b->last_ns + 2 * BLOCK_DAY_NS >= build->first_ns)
			best = b;
	}
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
	t->n = 0;
	t->hours = BUILD_BOTH_RAN;
	if (!compare_pairs(t, a, b, n, d)) {
		fold(a, n, t0);
		fold(b, n, t0);
		t->hours = BUILD_OF_DAY;
		if (!compare_pairs(t, a, b, HOURS_OF_DAY, d)) {
			t->hours = BUILD_EITHER;
			compare_means(t, a, b, HOURS_OF_DAY, d);
		}
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

/* Is it a build of the function of hours, as far as these go? */
static bool
is_of_function(const struct series *hours, const struct str *id)
{
	uint32_t word = strtab_find(&hours->words.t, id->s, id->len);

	for (size_t i = 0; i < hours->n_build; i++)
		if (hours->build[i].name == word)
			return true;
	return false;
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

		if (!is_of_function(hours,
				    names_str(&x->words, x->build[i].name)))
			continue;
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

/* The share of the hosts that were there before and after; of all before if
 * there are none. */
static double
share_of_stayed(const struct series *before, const struct series *after,
		const struct shifts_options *o)
{
	struct load sum = { 0 };

	for (size_t i = 0; i < before->n_bucket; i++) {
		const struct str *name =
			names_str(&before->keys, before->bucket[i].key);
		const struct load a = load_host(before, name, o);
		const struct load b = load_host(after, name, o);

		if (a.total > 0 && b.total > 0) {
			sum.value += a.value + b.value;
			sum.total += a.total + b.total;
		}
	}
	if (sum.total <= 0)
		sum = load_all(before, o);
	return share_of(&sum);
}

/*
 * The share of all is a mean over the hosts, weighed by their totals. A host's
 * part is what it differs from those that stayed, weighed, after less before.
 * So the parts add up, and a host that is gone or new has one: parts of the
 * value alone would give the hosts that stay what the others left.
 */
void
shifts_hosts(struct shifts_one *one, const struct series *x,
	     const struct series *before, const struct series *after,
	     const struct shifts_options *o)
{
	const struct load old = load_all(before, o), new = load_all(after, o);
	double change = share_of(&new) - share_of(&old);
	double stayed = share_of_stayed(before, after, o);
	struct shifts_host *best = &one->host;

	if (old.total <= 0 || new.total <= 0 || change == 0)
		return;
	for (size_t i = 0; i < before->n_bucket + after->n_bucket; i++) {
		bool is_old = i < before->n_bucket;
		const struct series *side = is_old ? before : after;
		size_t at = is_old ? i : i - before->n_bucket;
		const struct str *name =
			names_str(&side->keys, side->bucket[at].key);
		const struct load a = load_host(before, name, o);
		const struct load b = load_host(after, name, o);
		const double part = ((b.value - b.total * stayed) / new.total -
				     (a.value - a.total * stayed) / old.total) /
				    change;

		if (!name->len || (!is_old && a.total > 0))
			continue;
		best->n++;
		if (best->host && part <= best->part)
			continue;
		best->host = strtab_find(&x->words.t, name->s, name->len);
		best->before = a.total > 0 ? share_of(&a) : NAN;
		best->after = b.total > 0 ? share_of(&b) : NAN;
		best->part = part;
	}
}
