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
#define GAP_COST 30    /* tests with a gap: fewer false alarms by them */
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

/* Means and squares of both sides: the values before k, and from k + gap on. */
struct split {
	size_t k, gap;
	double left, right; /* means */
	double squares;     /* within both sides */
	double t2;
};

/* left, right: sums of the sides; squares: of the values of both. */
static struct split
split_at(size_t k, size_t gap, size_t n, double left, double right,
	 double squares)
{
	double a = (double)k, b = (double)(n - gap - k);
	struct split s = {
		.k = k, .gap = gap, .left = left / a, .right = right / b
	};

	s.squares = squares - a * s.left * s.left - b * s.right * s.right;
	s.squares = fmax(s.squares, 0);
	s.t2 = s.squares > 0
		       ? (s.left - s.right) * (s.left - s.right) /
				 (s.squares / (a + b - 2) * (1 / a + 1 / b))
	       : s.left == s.right ? 0
				   : INFINITY;
	return s;
}

/* The best split with m values and more on both sides; the t^2 of place k is
 * t2[k]. */
static struct split
best_split(const double *y, size_t n, size_t m, size_t gap, double *t2)
{
	struct split best = { 0 };
	double left = 0, right = 0, squares = 0;

	for (size_t i = gap; i < n; i++) {
		right += y[i];
		squares += y[i] * y[i];
	}
	for (size_t k = 1; k + gap <= n - m; k++) {
		const double in = y[k - 1], out = y[k + gap - 1];
		struct split s;

		left += in;
		right -= out;
		squares += in * in - out * out;
		if (k < m)
			continue;
		s = split_at(k, gap, n, left, right, squares);
		t2[k] = s.t2;
		if (!best.k || s.t2 > best.t2)
			best = s;
	}
	return best;
}

/* Autocorrelation of what is left of both means, kept on the safe side. */
static double
autocorrelation(const double *y, size_t n, const struct split *s)
{
	double c0 = 0, c1 = 0, before = 0, r, of = (double)(n - s->gap);

	for (size_t i = 0; i < n; i++) {
		double e = y[i] - (i < s->k ? s->left : s->right);

		if (i >= s->k && i < s->k + s->gap)
			e = 0;
		c0 += e * e;
		c1 += e * before;
		before = e;
	}
	r = c0 > 0 ? c1 / c0 : 0;
	/* Its bias, and one standard error. */
	r += (1 + 4 * r) / of + 1 / sqrt(of);
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

/* The change at a split; v is relative to mean. */
static struct shift
judge_split(const double *v, size_t n, double mean, const struct split *s,
	    const struct shift_options *o, const struct gate_dist *d)
{
	const double a = (double)s->k, b = (double)(n - s->gap - s->k);
	const double r = autocorrelation(v, n, s), f = (1 + r) / (1 - r);
	const double nu = fmax(2, (a + b - 2) / f), t = sqrt(s->t2 / f);
	const double se = sqrt(f * s->squares / (a + b - 2) * (1 / a + 1 / b));
	const double half = d->t_quantile(0.025, nu) * se;
	const double places = (double)(n - s->gap - 2 * o->min_side + 1);
	struct shift c = { .at = s->k + s->gap / 2,
			   .first = s->k,
			   .last = s->k + s->gap,
			   .to = n,
			   .is_slow = s->gap,
			   .before = mean + s->left,
			   .after = mean + s->right,
			   .low = s->right - s->left - half,
			   .high = s->right - s->left + half };

	/* Rounding is no share. */
	if (fabs(c.before) < EQUAL * fabs(c.after))
		c.before = 0;
	if (fabs(c.after) < EQUAL * fabs(c.before))
		c.after = 0;
	c.p = fmin(1, 2 * d->t_upper(fmin(t, 1e150), nu) * places *
			      fmax(o->n_test, 1) * (s->gap ? GAP_COST : 1));
	return c;
}

bool
shift_test(const double *y, size_t n, const struct shift_options *o,
	   const struct gate_dist *d, double *scratch, struct shift *c)
{
	size_t m = o->min_side, longest;
	double *v = scratch, *t2 = scratch + n, mean, squares;
	struct split s;

	if (m < 2 || n < 2 * m)
		return false;
	clip(y, n, v, t2);
	mean = centre(v, n, &squares);
	/* All that is left then is the rounding of the mean. */
	if (squares <= (double)n * (EQUAL * mean) * (EQUAL * mean))
		return false;
	s = best_split(v, n, m, 0, t2);
	if (!(s.t2 > 0))
		return false;
	*c = judge_split(v, n, mean, &s, o, d);
	for (size_t k = m; k <= n - m; k++)
		if (t2[k] >= s.t2 - PLACE_DROP) {
			c->first = k < c->first ? k : c->first;
			c->last = k > c->last ? k : c->last;
		}
	/* A roll-out takes long: values of the time in between are left out. */
	longest = c->p >= o->level ? 4 * m : 0;
	for (size_t gap = 2 * m; gap <= longest && gap + 2 * m <= n; gap *= 2) {
		struct shift slow;

		s = best_split(v, n, m, gap, t2);
		slow = judge_split(v, n, mean, &s, o, d);
		if (slow.p < c->p)
			*c = slow;
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
		todo[n_todo++] =
			(struct part){ x.from, f->is_slow ? f->first : f->at,
				       x.level / 2 };
		todo[n_todo++] = (struct part){ f->is_slow ? f->last : f->at,
						x.to, x.level / 2 };
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
