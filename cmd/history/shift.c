/* shift.c - see shift.h. */
#include "config.h"

#include "shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_WINDOW 3    /* values on either side of the running median */
#define CLIP 2.5         /* deviations */
#define TO_SIGMA 1.4826  /* median absolute deviation to standard deviation */
#define MEDIAN_EATS 1.15 /* the median of 7 follows the value itself */
#define MAX_R 0.9
#define PLACE_DROP 7.0 /* in t^2: places that are nearly as good */
#define EQUAL 1e-12    /* of the mean: no difference */
#define HOURS_OF_DAY 24
#define MIN_DAYS 3

/* Move values that are far from their neighbours nearer, into out. */
static void
clip(const double *y, size_t n, double *out, double *scratch)
{
	double window[2 * HALF_WINDOW + 1], limit;

	for (size_t i = 0; i < n; i++) {
		size_t from = i < HALF_WINDOW ? 0 : i - HALF_WINDOW;
		size_t to = i + HALF_WINDOW < n ? i + HALF_WINDOW : n - 1;

		memcpy(window, y + from, (to - from + 1) * sizeof(*y));
		out[i] = gate_median(window, to - from + 1);
		scratch[i] = fabs(y[i] - out[i]);
	}
	limit = CLIP * MEDIAN_EATS * TO_SIGMA * gate_median(scratch, n);
	for (size_t i = 0; i < n; i++)
		out[i] = fmin(fmax(y[i], out[i] - limit), out[i] + limit);
}

/* Means and squares of both sides of place k. */
struct split {
	double left, right; /* means */
	double squares;     /* within both sides */
	double t2;
};

static struct split
split_at(size_t k, size_t n, double sum, double all, double squares)
{
	double a = (double)k, b = (double)(n - k);
	struct split s = { .left = sum / a, .right = (all - sum) / b };

	s.squares = squares - a * s.left * s.left - b * s.right * s.right;
	s.squares = fmax(s.squares, 0);
	s.t2 = s.squares > 0
		       ? (s.left - s.right) * (s.left - s.right) /
				 (s.squares / (a + b - 2) * (1 / a + 1 / b))
	       : s.left == s.right ? 0
				   : INFINITY;
	return s;
}

/* Autocorrelation of what is left of both means, kept on the safe side. */
static double
autocorrelation(const double *y, size_t n, size_t k, const struct split *s)
{
	double c0 = 0, c1 = 0, before = 0, r;

	for (size_t i = 0; i < n; i++) {
		double e = y[i] - (i < k ? s->left : s->right);

		c0 += e * e;
		c1 += i ? e * before : 0;
		before = e;
	}
	r = c0 > 0 ? c1 / c0 : 0;
	/* Its bias, and one standard error. */
	r += (1 + 4 * r) / (double)n + 1 / sqrt((double)n);
	return fmin(fmax(r, 0), MAX_R);
}

/*
 * Values are taken relative to their mean: differences of squares lose what
 * they have in common.
 */
static double
centre(double *y, size_t n, double *squares)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += y[i] / (double)n;
	*squares = 0;
	for (size_t i = 0; i < n; i++) {
		y[i] -= mean;
		*squares += y[i] * y[i];
	}
	return mean;
}

bool
shift_test(const double *y, size_t n, const struct shift_options *o,
	   const struct gate_dist *d, double *scratch, struct shift *c)
{
	size_t m = o->min_side, best = 0;
	double *v = scratch, *t2 = scratch + n, sum = 0, all = 0, mean, squares;
	double r, f, nu, se, t;
	struct split s = { 0 };

	if (m < 2 || n < 2 * m)
		return false;
	clip(y, n, v, t2);
	mean = centre(v, n, &squares);
	/* All that is left then is the rounding of the mean. */
	if (squares <= (double)n * (EQUAL * mean) * (EQUAL * mean))
		return false;
	for (size_t i = 0; i < n; i++)
		all += v[i];
	for (size_t k = 1; k <= n - m; k++) {
		sum += v[k - 1];
		t2[k - 1] = 0;
		if (k < m)
			continue;
		t2[k - 1] = split_at(k, n, sum, all, squares).t2;
		if (!best || t2[k - 1] > t2[best - 1])
			best = k;
	}
	sum = 0;
	for (size_t i = 0; i < best; i++)
		sum += v[i];
	s = split_at(best, n, sum, all, squares);
	if (!(s.t2 > 0))
		return false;
	r = autocorrelation(v, n, best, &s);
	f = (1 + r) / (1 - r);
	nu = fmax(2, ((double)n - 2) / f);
	t = sqrt(s.t2 / f);
	se = sqrt(f * s.squares / ((double)n - 2) *
		  (1 / (double)best + 1 / (double)(n - best)));
	*c = (struct shift){ .at = best,
			     .first = best,
			     .last = best,
			     .to = n,
			     .before = mean + s.left,
			     .after = mean + s.right };
	/* Rounding is no share. */
	if (fabs(c->before) < EQUAL * fabs(c->after))
		c->before = 0;
	if (fabs(c->after) < EQUAL * fabs(c->before))
		c->after = 0;
	c->low = s.right - s.left - d->t_quantile(0.025, nu) * se;
	c->high = s.right - s.left + d->t_quantile(0.025, nu) * se;
	c->p = fmin(1, 2 * d->t_upper(fmin(t, 1e150), nu) *
			       (double)(n - 2 * m + 1) * fmax(o->n_test, 1));
	for (size_t k = m; k <= n - m; k++)
		if (t2[k - 1] >= s.t2 - PLACE_DROP) {
			c->first = k < c->first ? k : c->first;
			c->last = k > c->last ? k : c->last;
		}
	return true;
}

/* A part of a series that is to be searched. */
struct part {
	size_t from, to;
	double level;
};

static int
by_place(const void *a, const void *b)
{
	const struct shift *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

size_t
shift_find(const double *y, size_t n, const struct shift_options *o,
	   const struct gate_dist *d, struct shift c[SHIFT_MAX],
	   enum prof_status *st)
{
	double *scratch = malloc((2 * n + 1) * sizeof(*scratch));
	struct part todo[SHIFT_MAX + 1];
	size_t n_todo = 0, n_found = 0;

	*st = scratch ? PROF_OK : PROF_ENOMEM;
	if (!scratch)
		return 0;
	todo[n_todo++] = (struct part){ 0, n, o->level };
	while (n_todo && n_found < SHIFT_MAX) {
		const struct part x = todo[--n_todo];
		struct shift *f = &c[n_found];

		/* The whole may have less on both sides than its parts. */
		if (x.level < o->level && x.to - x.from < 2 * o->min_side + 2)
			continue;
		if (!shift_test(y + x.from, x.to - x.from, o, d, scratch, f) ||
		    f->p >= x.level)
			continue;
		f->at += x.from;
		f->first += x.from;
		f->last += x.from;
		f->from = x.from;
		f->to = x.to;
		n_found++;
		if (n_todo + 2 > SHIFT_MAX)
			continue;
		todo[n_todo++] = (struct part){ x.from, f->at, x.level / 2 };
		todo[n_todo++] = (struct part){ f->at, x.to, x.level / 2 };
	}
	free(scratch);
	if (n_found)
		qsort(c, n_found, sizeof(*c), by_place);
	return n_found;
}

/* --- the hours of a day --- */

static long
day_of(long hour)
{
	return hour / HOURS_OF_DAY - (hour % HOURS_OF_DAY < 0);
}

/* Divide by the median of its day each value, into ratio; the days: how many.
 */
static size_t
over_days(const double *y, const long *hour, size_t n, double *ratio,
	  double *scratch)
{
	size_t days = 0, from = 0;

	for (size_t i = 1; i <= n; i++) {
		double level;

		if (i < n && day_of(hour[i]) == day_of(hour[from]))
			continue;
		memcpy(scratch, y + from, (i - from) * sizeof(*y));
		level = gate_median(scratch, i - from);
		for (size_t k = from; k < i; k++)
			ratio[k] = level > 0 ? y[k] / level : NAN;
		days++;
		from = i;
	}
	return days;
}

enum prof_status
shift_level_hours(double *y, const long *hour, size_t n, struct prof_err *err)
{
	double *ratio = malloc((2 * n + 1) * sizeof(*ratio));
	double *scratch = ratio ? ratio + n : NULL;

	if (!ratio)
		return prof_nomem(err);
	if (over_days(y, hour, n, ratio, scratch) < MIN_DAYS)
		n = 0;
	for (long of_day = 0; of_day < HOURS_OF_DAY && n; of_day++) {
		size_t found = 0;
		double factor;

		for (size_t i = 0; i < n; i++)
			if (hour[i] - HOURS_OF_DAY * day_of(hour[i]) ==
				    of_day &&
			    !isnan(ratio[i]))
				scratch[found++] = ratio[i];
		factor = found ? gate_median(scratch, found) : 0;
		for (size_t i = 0; i < n && factor > 0; i++)
			if (hour[i] - HOURS_OF_DAY * day_of(hour[i]) == of_day)
				y[i] /= factor;
	}
	free(ratio);
	return PROF_OK;
}
