/*
 * gate-simulate.c - how often is prof-gate wrong? Pairs of sides are drawn from
 * one distribution (false alarms), or with one function made slower (power),
 * and judged by the code that the command uses.
 *
 *	gate-simulate [TRIALS [SEED]]	all figures of doc/gate.md
 *	gate-simulate --ceiling [TRIALS]	those of the best possible test
 *	gate-simulate --check		a few, against bounds; for make check
 *
 * The program that is sampled: a tree of calls over 150 functions with 400
 * stacks of very unequal weight, and beside it handle(), a fifth of the time,
 * with five callees. Each run has a speed of its own (1 % standard deviation),
 * and so has each function in each run (2 %; one in ten: 10 %, as collectors
 * and locks have). Then samples are Poisson.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "gate/stats.h"
#include "lib/gate/impl.h"
#include "lib/model/profile.h"

#define N_FUNCTION 150
#define N_STACK 400
#define MAX_DEPTH 24
#define MAX_SIDE 10
#define TARGET "handle"
#define TARGET_SHARE 0.2
#define N_KID 5

/* One stack of the program. */
struct path {
	uint32_t function[MAX_DEPTH]; /* leaf first */
	uint32_t depth;
	double weight;
	bool is_target;
};

struct world {
	struct path path[N_STACK];
	double cv[N_FUNCTION]; /* between runs, of each function */
	struct profile *run[2 * MAX_SIDE];
	gsl_rng *rng;
};

static void *
must(void *p)
{
	if (!p) {
		fprintf(stderr, "gate-simulate: out of memory\n");
		exit(2);
	}
	return p;
}

static void
must_ok(enum prof_status st, const struct prof_err *err)
{
	if (st != PROF_OK) {
		fprintf(stderr, "gate-simulate: %s\n", err->msg);
		exit(2);
	}
}

/* --- the program --- */

enum { MAIN, SERVE, HANDLE, KID, OTHERS = KID + N_KID };

/* A path through a tree of calls: what is called depends on the path. */
static void
make_other(struct world *w, struct path *p)
{
	uint32_t depth = 4 + (uint32_t)gsl_rng_uniform_int(w->rng, 16);
	uint32_t at = MAIN, down[MAX_DEPTH];

	for (uint32_t i = 0; i < depth; i++) {
		double u = gsl_rng_uniform(w->rng);
		uint32_t child = u < 0.6 ? 0 : u < 0.9 ? 1 : 2;

		down[i] = at;
		at = OTHERS +
		     (at * 7 + child * 31 + i * 3 + 11) % (N_FUNCTION - OTHERS);
	}
	for (uint32_t i = 0; i < depth; i++)
		p->function[i] = down[depth - 1 - i];
	p->depth = depth;
	p->weight = exp(1.5 * gsl_ran_ugaussian(w->rng));
}

static void
make_target(struct path *p, uint32_t kid)
{
	static const uint32_t chain[] = { HANDLE, SERVE, MAIN };
	uint32_t n = 0;

	if (kid < N_KID)
		p->function[n++] = KID + kid;
	for (int i = 0; i < 3; i++)
		p->function[n++] = chain[i];
	p->depth = n;
	p->weight = kid < N_KID ? kid + 1 : 4;
	p->is_target = true;
}

static void
make_program(struct world *w)
{
	double sum[2] = { 0 };

	memset(w->path, 0, sizeof(w->path));
	for (uint32_t i = 0; i < N_STACK; i++) {
		if (i <= N_KID)
			make_target(&w->path[i], i);
		else
			make_other(w, &w->path[i]);
		sum[w->path[i].is_target] += w->path[i].weight;
	}
	for (uint32_t i = 0; i < N_STACK; i++) {
		struct path *p = &w->path[i];

		p->weight *= p->is_target ? TARGET_SHARE / sum[1]
					  : (1 - TARGET_SHARE) / sum[0];
	}
	for (uint32_t i = 0; i < N_FUNCTION; i++)
		w->cv[i] = i >= OTHERS && i % 10 == 0 ? 0.1 : 0.02;
}

/* A profile with all stacks and no samples yet. */
static struct profile *
make_profile(const struct world *w)
{
	struct profile *p = must(profile_new());
	uint32_t location[N_FUNCTION];
	const int64_t zero[2] = { 0 };

	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	for (uint32_t i = 0; i < N_FUNCTION; i++) {
		struct function f = { 0 };
		struct location l = { .mapping = PROF_NONE };
		struct line line = { .line = 1 };
		char name[32];

		snprintf(name, sizeof(name), "f%u", i);
		f.name = profile_intern(p, i == HANDLE ? TARGET : name);
		line.function = profile_add_function(p, &f);
		location[i] = profile_add_location(p, &l, &line, 1);
	}
	for (uint32_t i = 0; i < N_STACK; i++) {
		uint32_t stack[MAX_DEPTH];

		for (uint32_t k = 0; k < w->path[i].depth; k++)
			stack[k] = location[w->path[i].function[k]];
		profile_add_sample(p, stack, w->path[i].depth, zero, NULL, 0);
	}
	return p;
}

static void
world_init(struct world *w, unsigned long seed)
{
	w->rng = must(gsl_rng_alloc(gsl_rng_mt19937));
	gsl_rng_set(w->rng, seed);
	make_program(w);
	for (size_t i = 0; i < 2 * MAX_SIDE; i++)
		w->run[i] = make_profile(w);
}

static void
world_release(struct world *w)
{
	for (size_t i = 0; i < 2 * MAX_SIDE; i++)
		profile_free(w->run[i]);
	gsl_rng_free(w->rng);
}

/* --- one comparison --- */

struct setting {
	const char *what;
	size_t n_side;  /* profiles a side */
	double samples; /* a profile */
	double noise;   /* times that of the program; 0: Poisson alone */
	double slower;  /* handle() takes this times longer */
	bool named;     /* only handle() is judged */
	double alpha;
	double target; /* of the rate; NAN: none */
};

static double
around_one(struct world *w, double cv)
{
	return cv > 0 ? gsl_ran_gamma(w->rng, 1 / cv / cv, cv * cv) : 1;
}

static void
draw(struct world *w, struct profile *p, const struct setting *s, double slower)
{
	double speed = around_one(w, 0.01 * s->noise), own[N_FUNCTION];

	for (size_t i = 0; i < N_FUNCTION; i++)
		own[i] = around_one(w, w->cv[i] * s->noise);
	for (size_t i = 0; i < N_STACK; i++) {
		const struct path *a = &w->path[i];
		double mean = s->samples * a->weight * speed *
			      own[a->function[0]] * (a->is_target ? slower : 1);
		int64_t *value = profile_value(p, i);

		value[0] = gsl_ran_poisson(w->rng, mean);
		value[1] = value[0] * 10000000;
	}
}

static enum prof_status
is_target(void *ctx, const struct str *name, bool *wanted, struct prof_err *err)
{
	(void)ctx;
	(void)err;
	*wanted = !strcmp(name->s, TARGET);
	return PROF_OK;
}

/* Draw both sides, and add them up. */
static struct gate *
draw_sides(struct world *w, const struct setting *s, double slower)
{
	struct gate_options o = { .alpha = s->alpha,
				  .confidence = 0.95,
				  .min_change = 0.05,
				  .min_share = 0.01,
				  .wants = s->named ? is_target : NULL };
	struct prof_err err;
	struct gate *g;

	must_ok(gate_new(&o, &g, &err), &err);
	for (size_t i = 0; i < 2 * s->n_side; i++) {
		enum gate_side side = i < s->n_side ? GATE_BASE : GATE_NEW;
		struct gate_measure m;
		struct gate_total t;

		draw(w, w->run[i], s, side == GATE_NEW ? slower : 1);
		must_ok(gate_measure(w->run[i], NULL, &m, &err), &err);
		must_ok(gate_total(w->run[i], &m, &t, &err), &err);
		must_ok(gate_add(g, side, w->run[i], &m, &t, 1, &err), &err);
	}
	return g;
}

/* Does the gate fail? And because of handle()? */
static void
compare(struct world *w, const struct setting *s, bool *fails, bool *found)
{
	struct gate *g = draw_sides(w, s, s->slower);
	struct prof_err err;

	must_ok(gate_judge(g, stats_dist(), &err), &err);
	*fails = g->verdict == GATE_REGRESSED;
	*found = false;
	for (size_t i = 0; i < g->n_row; i++)
		if (g->row[i].verdict == GATE_REGRESSED &&
		    !strcmp(gate_name(g, g->row[i].name)->s, TARGET))
			*found = true;
	gate_free(g);
}

/* --- all of them --- */

/* The p at which P(X >= n) of so many trials is `upper` (by bisection). */
static double
rate_bound(double n, double trials, double upper)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double p = (low + high) / 2;

		if (stats_dist()->binomial_upper(n, trials, p) < upper)
			low = p;
		else
			high = p;
	}
	return low;
}

/*
 * Print a rate with its interval (Clopper and Pearson, 95 %): of alarms when
 * nothing is slower, else of finding handle(). Returns the rate.
 */
static double
simulate(const struct setting *s, size_t trials, unsigned long seed)
{
	static struct world w;
	size_t n = 0;
	double low, high, rate;

	world_init(&w, seed);
	for (size_t i = 0; i < trials; i++) {
		bool fails, found;

		compare(&w, s, &fails, &found);
		n += s->slower == 1 ? fails : found;
	}
	world_release(&w);
	rate = (double)n / (double)trials;
	low = n ? rate_bound((double)n, (double)trials, 0.025) : 0;
	high = n < trials ? rate_bound((double)n + 1, (double)trials, 0.975)
			  : 1;
	printf("%-46s %zu vs %zu of %5.0f  %6.2f%% (%.2f .. %.2f)", s->what,
	       s->n_side, s->n_side, s->samples, 100 * rate, 100 * low,
	       100 * high);
	if (!isnan(s->target))
		printf("  target %s %.0f%%: %s",
		       s->slower == 1 ? "<=" : ">=", 100 * s->target,
		       (s->slower == 1 ? rate <= s->target : rate >= s->target)
			       ? "met"
			       : "MISSED");
	putchar('\n');
	fflush(stdout);
	return rate;
}

/* --- the best possible test --- */

/*
 * An oracle knows the variance of each function's counts, and how large the
 * largest of all statistics becomes by chance alone.
 */
struct oracle {
	double phi[2][N_FUNCTION]; /* variance over mean, by kind and row */
	double sum[2][N_FUNCTION], square[2][N_FUNCTION];
	double n;
	double *max; /* of each trial, of what may raise an alarm */
};

static void
learn(struct oracle *o, const struct gate *g)
{
	for (size_t i = 0; i < g->n_run; i++)
		for (int k = 0; k < 2; k++)
			for (size_t r = 0; r < g->run[i].n_row; r++) {
				double x = g->run[i].count[k][r];

				o->sum[k][r] += x;
				o->square[k][r] += x * x;
			}
	o->n += (double)g->n_run;
}

static void
learned(struct oracle *o)
{
	for (int k = 0; k < 2; k++)
		for (size_t r = 0; r < N_FUNCTION; r++) {
			double mean = o->sum[k][r] / o->n;

			o->phi[k][r] = 1;
			if (mean > 0)
				o->phi[k][r] =
					(o->square[k][r] / o->n - mean * mean) /
					mean;
		}
}

/* Standard errors by which a row grew, if by enough to matter; else 0. */
static double
statistic(const struct oracle *o, const struct gate *g, int kind, size_t row)
{
	double y[2] = { 0 }, total = 0, relevant;

	for (size_t i = 0; i < g->n_run; i++) {
		y[g->run[i].side] += gate_run_count(&g->run[i], kind, row);
		if (g->run[i].side == GATE_BASE)
			total += g->run[i].total.count;
	}
	relevant = fmax(g->o.min_change * y[0], g->o.min_share * total);
	if (y[1] - y[0] < relevant || y[1] <= y[0])
		return 0;
	return (y[1] - y[0]) / sqrt(o->phi[kind][row] * (y[0] + y[1]));
}

/* The largest statistic: of all rows, or of handle() alone. */
static double
largest(const struct oracle *o, const struct gate *g, bool target_alone)
{
	double max = 0;

	for (size_t r = 0; r < g->n_row; r++) {
		if (target_alone &&
		    strcmp(gate_name(g, g->row[r].name)->s, TARGET) != 0)
			continue;
		for (int k = 0; k < 2; k++)
			max = fmax(max, statistic(o, g, k, r));
	}
	return max;
}

static int
cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
ceiling_of(const struct setting *s, size_t trials, unsigned long seed)
{
	static struct world w;
	struct oracle o = { .max = must(calloc(trials, sizeof(*o.max))) };
	size_t found = 0, at = (size_t)((1 - s->alpha) * (double)trials);
	double bar;

	world_init(&w, seed);
	for (size_t i = 0; i < trials; i++) {
		struct gate *g = draw_sides(&w, s, 1);

		learn(&o, g);
		gate_free(g);
	}
	learned(&o);
	for (size_t i = 0; i < trials; i++) {
		struct gate *g = draw_sides(&w, s, 1);

		o.max[i] = largest(&o, g, s->named);
		gate_free(g);
	}
	qsort(o.max, trials, sizeof(*o.max), cmp_double);
	bar = o.max[at < trials ? at : trials - 1];
	for (size_t i = 0; i < trials; i++) {
		struct gate *g = draw_sides(&w, s, s->slower);

		found += largest(&o, g, true) > bar;
		gate_free(g);
	}
	world_release(&w);
	free(o.max);
	printf("%-46s %zu vs %zu of %5.0f  at most %.1f%%, above %.2f standard "
	       "errors\n",
	       s->what, s->n_side, s->n_side, s->samples,
	       100 * (double)found / (double)trials, bar);
	fflush(stdout);
}

static const struct setting settings[] = {
	{ "false alarms, default", 3, 3000, 1, 1, false, 0.01, 0.01 },
	{ "false alarms, twice the noise", 3, 3000, 2, 1, false, 0.01, 0.01 },
	{ "false alarms, Poisson", 3, 3000, 0, 1, false, 0.01, 0.01 },
	{ "false alarms, many samples", 3, 30000, 1, 1, false, 0.01, 0.01 },
	{ "false alarms, few samples", 3, 300, 1, 1, false, 0.01, 0.01 },
	{ "false alarms, five runs", 5, 3000, 1, 1, false, 0.01, 0.01 },
	{ "false alarms, one run, Poisson", 1, 3000, 0, 1, false, 0.01, 0.01 },
	{ "false alarms, one run, noise", 1, 3000, 1, 1, false, 0.01, NAN },
	{ "false alarms, --function", 3, 3000, 1, 1, true, 0.01, 0.01 },
	{ "false alarms, --function --alpha=0.05", 3, 3000, 1, 1, true, 0.05,
	  0.05 },
	{ "false alarms, --function, five runs", 5, 3000, 1, 1, true, 0.01,
	  0.01 },
	{ "10% found, default", 3, 3000, 1, 1.1, false, 0.01, 0.9 },
	{ "10% found, default", 3, 10000, 1, 1.1, false, 0.01, NAN },
	{ "10% found, default", 3, 30000, 1, 1.1, false, 0.01, NAN },
	{ "10% found, default, five runs", 5, 3000, 1, 1.1, false, 0.01, NAN },
	{ "10% found, default, five runs", 5, 10000, 1, 1.1, false, 0.01, NAN },
	{ "10% found, default, ten runs", 10, 3000, 1, 1.1, false, 0.01, NAN },
	{ "10% found, default, ten runs", 10, 10000, 1, 1.1, false, 0.01, NAN },
	{ "10% found, --function", 3, 3000, 1, 1.1, true, 0.01, NAN },
	{ "10% found, --function --alpha=0.05", 3, 3000, 1, 1.1, true, 0.05,
	  0.9 },
	{ "10% found, --function --alpha=0.05, Poisson", 3, 3000, 0, 1.1, true,
	  0.05, 0.9 },
	{ "10% found, --function", 3, 10000, 1, 1.1, true, 0.01, NAN },
	{ "10% found, --function, five runs", 5, 3000, 1, 1.1, true, 0.01,
	  NAN },
	{ "10% found, --function --alpha=0.05, five runs", 5, 3000, 1, 1.1,
	  true, 0.05, NAN },
	{ "10% found, --function, ten runs", 10, 3000, 1, 1.1, true, 0.01,
	  0.9 },
	{ "20% found, --function", 3, 3000, 1, 1.2, true, 0.01, 0.9 },
	{ "20% found, default, five runs", 5, 3000, 1, 1.2, false, 0.01, NAN },
	{ "20% found, default", 3, 3000, 1, 1.2, false, 0.01, NAN },
	{ "20% found, default, one run", 1, 3000, 0, 1.2, false, 0.01, NAN },
	{ "30% found, default", 3, 3000, 1, 1.3, false, 0.01, NAN },
};

/* Few trials with a seed that stays: the bounds are wide and never miss. */
static int
check(void)
{
	static const struct setting alarms = { "false alarms", 3,    3000, 1, 1,
					       false,          0.01, NAN };
	static const struct setting power = { "30% found", 3,     10000, 1,
					      1.3,         false, 0.01,  NAN };

	return simulate(&alarms, 200, 1) <= 0.03 &&
			       simulate(&power, 50, 1) >= 0.8
		       ? 0
		       : 1;
}

int
main(int argc, char **argv)
{
	size_t trials = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 20261121;

	if (argc > 1 && !strcmp(argv[1], "--check"))
		return check();
	if (argc > 1 && !strcmp(argv[1], "--ceiling")) {
		trials = argc > 2 ? strtoul(argv[2], NULL, 10) : 5000;
		for (size_t i = 0; i < sizeof(settings) / sizeof(*settings);
		     i++)
			if (settings[i].slower > 1)
				ceiling_of(&settings[i], trials, 20261121);
		return 0;
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		simulate(&settings[i], trials, seed);
	return 0;
}
