/*
 * shift-simulate.c - how often prof-history finds a change where there is none,
 * and how often it finds one that is there: series are drawn, and tested by the
 * code that the command uses.
 *
 *	shift-simulate TRIALS [SEED]	the table of doc/history.md, as TAP:
 *each figure within three standard errors
 *
 * A function has 2 % of 360,000 samples a day. Its level differs between days
 *by 2 % (log-normal, autocorrelated), and samples are Poisson. An outlier is a
 *day times 3 or 0.3.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "history/shift.h"
#include "lib/gate/stats.h"

#define MAX_N 336
#define SHARE 0.02
#define BETWEEN 0.02

static const double levels[] = { 0.05, 0.01, 0.001 };
enum { N_LEVEL = 3 };

struct row {
	const char *what;
	size_t n, m;
	double samples; /* in a bucket */
	double ar, outliers;
	size_t step_at;        /* buckets before the end; 0: nothing changes */
	double step;           /* times */
	size_t ramp;           /* buckets before that, in which it grows */
	double found[N_LEVEL]; /* percent, at each level; below 0: not known */
	double trials;         /* that these figures are of */
};

static const struct row rows[] = {
	{ "28 days",
	  28,
	  3,
	  360000,
	  0,
	  0,
	  0,
	  1,
	  0,
	  { 1.67, 0.41, 0.057 },
	  60000 },
	{ "28 days, outliers",
	  28,
	  3,
	  360000,
	  0,
	  0.03,
	  0,
	  1,
	  0,
	  { 2.08, 0.55, 0.128 },
	  60000 },
	{ "28 days, AR 0.3",
	  28,
	  3,
	  360000,
	  0.3,
	  0,
	  0,
	  1,
	  0,
	  { 3.01, 1.02, 0.205 },
	  60000 },
	{ "28 days, AR 0.3, outliers",
	  28,
	  3,
	  360000,
	  0.3,
	  0.03,
	  0,
	  1,
	  0,
	  { 3.54, 1.16, 0.263 },
	  60000 },
	{ "28 days, AR 0.6",
	  28,
	  3,
	  360000,
	  0.6,
	  0,
	  0,
	  1,
	  0,
	  { 6.36, 2.97, 1.025 },
	  60000 },
	{ "90 days, outliers",
	  90,
	  3,
	  360000,
	  0,
	  0.03,
	  0,
	  1,
	  0,
	  { 1.82, 0.97, 0.648 },
	  60000 },
	{ "336 hours, AR 0.3, outliers",
	  336,
	  6,
	  15000,
	  0.3,
	  0.01,
	  0,
	  1,
	  0,
	  { 0.76, 0.27, 0.075 },
	  12000 },
	{ "+5 %, 7 days ago",
	  28,
	  3,
	  360000,
	  0,
	  0.03,
	  7,
	  1.05,
	  0,
	  { -1, 46.3, -1 },
	  60000 },
	{ "+10 %, 3 days ago",
	  28,
	  3,
	  360000,
	  0,
	  0.03,
	  3,
	  1.1,
	  0,
	  { -1, 69.9, -1 },
	  60000 },
	{ "+10 %, 7 days ago",
	  28,
	  3,
	  360000,
	  0,
	  0.03,
	  7,
	  1.1,
	  0,
	  { -1, 92.6, -1 },
	  60000 },
	{ "+20 %, 3 days ago",
	  28,
	  3,
	  360000,
	  0,
	  0.03,
	  3,
	  1.2,
	  0,
	  { -1, 93.6, -1 },
	  60000 },
	{ "+20 %, in 10 days, 7 days ago",
	  28,
	  3,
	  360000,
	  0,
	  0.03,
	  7,
	  1.2,
	  9,
	  { -1, 93.0, -1 },
	  60000 },
};

/* How much of the step there is in bucket i. */
static double
done(const struct row *r, size_t i)
{
	double left = (double)r->n - (double)r->step_at - (double)i;

	return left <= 0 ? 1 : fmax(0, 1 - left / (double)(r->ramp + 1));
}

static void
draw(const struct row *r, gsl_rng *rng, double *y)
{
	double level = gsl_ran_gaussian(rng, BETWEEN);
	double left = sqrt(1 - r->ar * r->ar);

	for (size_t i = 0; i < r->n; i++) {
		double mean = SHARE * r->samples * exp(level);

		if (gsl_rng_uniform(rng) < r->outliers)
			mean *= gsl_rng_uniform(rng) < 0.5 ? 3 : 0.3;
		mean *= 1 + (r->step - 1) * done(r, i);
		y[i] = gsl_ran_poisson(rng, mean) / r->samples;
		level = r->ar * level + left * gsl_ran_gaussian(rng, BETWEEN);
	}
}

/* How many of the trials have a change, by level. */
static void
run(const struct row *r, unsigned trials, gsl_rng *rng, double found[N_LEVEL])
{
	const struct shift_options o = { .min_side = r->m, .n_test = 1 };
	double y[MAX_N], scratch[2 * MAX_N];
	struct shift c;

	for (int l = 0; l < N_LEVEL; l++)
		found[l] = 0;
	for (unsigned i = 0; i < trials; i++) {
		draw(r, rng, y);
		if (shift_test(y, r->n, &o, stats_dist(), scratch, &c))
			for (int l = 0; l < N_LEVEL; l++)
				found[l] += c.p < levels[l];
	}
}

/* Where there is nothing to find, whatever the level. */
static bool
is_quiet(const double *y, size_t n)
{
	const struct shift_options o = { .min_side = 3,
					 .level = 1,
					 .n_test = 1 };
	struct shift c[SHIFT_MAX];
	enum prof_status st;

	return shift_find(y, n, &o, stats_dist(), c, &st) == 0 && st == PROF_OK;
}

static bool
edges(void)
{
	static const double zero[30], step[] = { 1, 1, 1, 2, 2 };
	double equal[30];

	for (int i = 0; i < 30; i++)
		equal[i] = 0.1;
	return is_quiet(zero, 0) && is_quiet(zero, 5) && is_quiet(zero, 30) &&
	       is_quiet(equal, 30) && is_quiet(step, 5);
}

int
main(int argc, char **argv)
{
	unsigned trials = argc > 1 ? (unsigned)atoi(argv[1]) : 0, n = 0;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (!rng || !trials)
		return 99;
	gsl_rng_set(rng, argc > 2 ? (unsigned long)atol(argv[2]) : 1);
	printf("%sok %u - too few values, or equal ones\n",
	       edges() ? "" : "not ", ++n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		/* An hourly trial costs as much as ten daily ones. */
		unsigned of = r->n > 100 ? trials / 5 : trials;
		double found[N_LEVEL];

		run(r, of, rng, found);
		for (int l = 0; l < N_LEVEL; l++) {
			double p = r->found[l] / 100, is = found[l] / of, se;

			if (p < 0)
				continue;
			se = sqrt(p * (1 - p) * (1.0 / of + 1 / r->trials));
			printf("%sok %u - %s, at %g: %.3f %%, told %.3f\n",
			       fabs(is - p) <= 3 * se + 0.5 / of ? "" : "not ",
			       ++n, r->what, levels[l], 100 * is, 100 * p);
		}
	}
	printf("1..%u\n", n);
	gsl_rng_free(rng);
	return 0;
}
