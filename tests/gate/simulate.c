/*
 * gate-simulate.c - how often prof-gate is wrong, and what it finds: pairs of
 * sides are drawn from one distribution (false alarms), with something slower
 * (power), or with work that only moved (explanations), and judged by the code
 * that the command uses.
 *
 *	gate-simulate [TRIALS [SEED]]		all figures of doc/gate.md, or
 *with ROW=TEXT in the environment rows that hold TEXT gate-simulate --ceiling
 *[TRIALS]	those of the best possible test gate-simulate --check TRIALS
 *as TAP, against bounds gate-simulate --quick TRIALS		... rows without
 *any alarm in a third of them end there
 *
 * The program that is sampled: a tree of calls over 150 functions (20 in one
 * row) with 400 stacks of very unequal weight, and beside it handle(), with
 * five callees. Between runs the machine varies, and so does each function.
 *Then events are Poisson, and each has a weight.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "gate/stats.h"
#include "lib/gate/impl.h"
#include "lib/model/profile.h"
#include "tests/lib/fixture.h"

#define MAX_FUNCTION 150
#define N_STACK 400
#define MAX_DEPTH 24
#define MAX_SIDE 10
#define TARGET "handle"
#define N_KID 5

/* The worth of an event. */
enum weight { TICKS, EXPONENTIAL, WAITS, OBJECTS };

struct setting {
	const char *what;
	size_t n_base, n_new;
	double samples;  /* a profile */
	double machine;  /* sd between runs */
	double function; /* sd of each function between runs */
	double noisy;    /* ... of one in ten */
	double slower;   /* handle() takes this times longer; 1: A/A */
	double share;    /* of handle() */
	/* The rest is 0 unless said. */
	double largest;   /* sd of the largest function */
	double modes;     /* share of a function that takes twice as long ... */
	double mode;      /* ... with this probability */
	double clump;     /* events come this many at a time */
	double subtree;   /* sd of handle() and all that it calls */
	double burst;     /* of a function, in one run of five, times more */
	double hz[2];     /* of the sides, times 100 */
	double weight_by; /* each event is worth this times more in new */
	double build;     /* sd by which functions differ between builds */
	double alpha;
	double target; /* at most (A/A) or at least; 0: none */
	enum weight weight;
	enum gate_yardstick yardstick;
	size_t n_function; /* 0: 150 */
	bool lognormal;    /* noise of functions, else gamma */
	bool named;        /* only handle() is judged */
	bool flat_limits;  /* both thresholds are 0 */
};

/* One stack of the program. */
struct path {
	uint32_t function[MAX_DEPTH]; /* leaf first */
	uint32_t depth;
	double weight;
	bool is_target, is_modal;
};

struct world {
	const struct setting *s;
	size_t n_function; /* of the tree; then the one with two modes */
	struct path path[N_STACK];
	double cv[MAX_FUNCTION + 1]; /* between runs, of each function */
	double by_build[2][MAX_FUNCTION + 1]; /* of this comparison */
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
		at = OTHERS + (at * 7 + child * 31 + i * 3 + 11) %
				      ((uint32_t)w->n_function - OTHERS);
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
set_noise(struct world *w, const double *flat)
{
	uint32_t largest = OTHERS;

	for (uint32_t i = 0; i <= w->n_function; i++) {
		w->cv[i] = i >= OTHERS && i % 10 == 0 ? w->s->noisy
						      : w->s->function;
		if (i >= OTHERS && flat[i] > flat[largest])
			largest = i;
	}
	if (w->s->largest > 0)
		w->cv[largest] = w->s->largest;
}

static void
make_program(struct world *w)
{
	double sum[2] = { 0 }, flat[MAX_FUNCTION + 1] = { 0 };

	memset(w->path, 0, sizeof(w->path));
	for (uint32_t i = 0; i < N_STACK; i++) {
		if (i <= N_KID)
			make_target(&w->path[i], i);
		else
			make_other(w, &w->path[i]);
		sum[w->path[i].is_target] += w->path[i].weight;
	}
	if (w->s->modes > 0) {
		struct path *p = &w->path[N_KID + 1];

		sum[0] -= p->weight;
		*p = (struct path){ .function = { (uint32_t)w->n_function,
						  MAIN },
				    .depth = 2,
				    .is_modal = true };
	}
	for (uint32_t i = 0; i < N_STACK; i++) {
		struct path *p = &w->path[i];

		p->weight *= p->is_target
				     ? w->s->share / sum[1]
				     : (1 - w->s->share - w->s->modes) / sum[0];
		if (p->is_modal)
			p->weight = w->s->modes;
		flat[p->function[0]] += p->weight;
	}
	set_noise(w, flat);
}

/* A profile with all stacks and no samples yet. */
static struct profile *
make_profile(const struct world *w)
{
	static const char *const type[][4] = {
		{ "samples", "count", "cpu", "nanoseconds" },
		{ "samples", "count", "cpu", "nanoseconds" },
		{ "contentions", "count", "delay", "nanoseconds" },
		{ "alloc_objects", "count", "alloc_space", "bytes" },
	};
	const char *const *t = type[w->s->weight];
	struct profile *p = must(profile_new());
	uint32_t location[MAX_FUNCTION + 1];
	const int64_t zero[2] = { 0 };

	profile_add_type(p, t[0], t[1]);
	profile_add_type(p, t[2], t[3]);
	if (w->s->weight == OBJECTS) {
		p->period_type.type = profile_intern(p, "space");
		p->period_type.unit = profile_intern(p, "bytes");
		p->period = 512 * 1024;
	}
	for (uint32_t i = 0; i <= w->n_function; i++) {
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
world_init(struct world *w, const struct setting *s, unsigned long seed)
{
	w->s = s;
	w->n_function = s->n_function ? s->n_function : MAX_FUNCTION;
	w->rng = must(gsl_rng_alloc(gsl_rng_mt19937));
	gsl_rng_set(w->rng, seed);
	make_program(w);
	for (size_t i = 0; i < s->n_base + s->n_new; i++)
		w->run[i] = make_profile(w);
}

static void
world_release(struct world *w)
{
	for (size_t i = 0; i < w->s->n_base + w->s->n_new; i++)
		profile_free(w->run[i]);
	gsl_rng_free(w->rng);
}

/* --- one comparison --- */

static double
around_one(struct world *w, double cv, bool lognormal)
{
	if (cv <= 0)
		return 1;
	if (lognormal)
		return exp(cv * gsl_ran_ugaussian(w->rng) - cv * cv / 2);
	return gsl_ran_gamma(w->rng, 1 / cv / cv, cv * cv);
}

/* The two values of a stack with n events, in its n-th of the program. */
static void
weigh(struct world *w, size_t stack, unsigned n, double period, double by,
      int64_t value[2])
{
	double sum = 0, size = 1024.0 * (1 << stack % 10), sampled;

	switch (w->s->weight) {
	case TICKS:
		sum = n * period;
		break;
	case EXPONENTIAL:
		sum = n ? period * gsl_ran_gamma(w->rng, n, 1) : 0;
		break;
	case WAITS: /* lognormal, sd 2 of the log */
		for (unsigned i = 0; i < n; i++)
			sum += 1e4 * exp(2 * gsl_ran_ugaussian(w->rng));
		break;
	case OBJECTS: /* as a producer scales what it sampled */
		sampled = n / -expm1(-size / (512 * 1024));
		value[0] = (int64_t)round(sampled);
		value[1] = (int64_t)round(sampled * size * by);
		return;
	}
	value[0] = (int64_t)n;
	value[1] = (int64_t)(sum * by);
}

static void
draw(struct world *w, struct profile *p, int side)
{
	const struct setting *s = w->s;
	double slower = side ? s->slower : 1, own[MAX_FUNCTION + 1];
	double speed = around_one(w, s->machine, false);
	double hz = s->hz[side] > 0 ? s->hz[side] : 1;
	double clump = s->clump > 0 ? s->clump : 1;
	double by = side && s->weight_by > 0 ? s->weight_by : 1;

	for (size_t i = 0; i <= w->n_function; i++)
		own[i] = around_one(w, w->cv[i], s->lognormal) *
			 w->by_build[side][i];
	if (s->burst > 0 && gsl_rng_uniform(w->rng) < 0.2)
		own[OTHERS + 3] *= s->burst;
	if (s->modes > 0 && gsl_rng_uniform(w->rng) < s->mode)
		own[w->n_function] *= 2;
	if (s->modes > 0)
		own[w->n_function] /= 1 + s->mode;
	slower *= around_one(w, s->subtree, false);
	for (size_t i = 0; i < N_STACK; i++) {
		const struct path *a = &w->path[i];
		double mean = s->samples * a->weight * speed * hz *
			      own[a->function[0]] * (a->is_target ? slower : 1);
		unsigned n = gsl_ran_poisson(w->rng, mean / clump);

		weigh(w, i, n * (unsigned)clump, 1e7 / hz, by,
		      profile_value(p, i));
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

static struct gate_options
options_of(const struct setting *s)
{
	struct gate_options o = GATE_DEFAULTS;

	o.yardstick = s->yardstick;
	o.exact_names = true;
	if (s->alpha > 0)
		o.alpha = s->alpha;
	if (s->flat_limits)
		o.min_change = 0;
	if (s->named || s->flat_limits)
		o.min_share = 0;
	if (s->named)
		o.wants = is_target;
	return o;
}

static void
add_run(struct gate *g, enum gate_side side, const struct profile *p)
{
	struct gate_measure m;
	struct gate_total t;
	struct prof_err err;

	must_ok(gate_measure(p, NULL, &m, &err), &err);
	must_ok(gate_total(p, &m, &t, &err), &err);
	must_ok(gate_add(g, side, p, &m, &t, 1, &err), &err);
}

/* Draw both sides, and judge them. */
static struct gate *
compare(struct world *w)
{
	const struct setting *s = w->s;
	struct gate_options o = options_of(s);
	struct prof_err err;
	struct gate *g;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i <= w->n_function; i++)
			w->by_build[side][i] = around_one(w, s->build, false);
	must_ok(gate_new(&o, &g, &err), &err);
	for (size_t i = 0; i < s->n_base + s->n_new; i++) {
		int side = i >= s->n_base;

		draw(w, w->run[i], side);
		add_run(g, side, w->run[i]);
	}
	must_ok(gate_judge(g, stats_dist(), &err), &err);
	return g;
}

/* Does the gate fail, or with one run a side, suspect? */
static bool
fails(const struct gate *g)
{
	if (g->total.verdict >= GATE_SUSPECT && !g->o.wants)
		return true;
	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];

		if (row->verdict >= GATE_SUSPECT && !row->is_moved)
			return true;
	}
	return false;
}

/* --- rates --- */

struct rate {
	size_t n, trials;
};

/*
 * Where the beta distribution has `level` above. By halving: GSL's inverses are
 * not a number for some counts.
 */
static double
beta_quantile(double level, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double at = (low + high) / 2;

		if (gsl_cdf_beta_Q(at, a, b) > level)
			low = at;
		else
			high = at;
	}
	return low;
}

/* Clopper and Pearson, at `level` in each tail. */
static double
rate_low(struct rate r, double level)
{
	return r.n ? beta_quantile(1 - level, (double)r.n,
				   (double)(r.trials - r.n) + 1)
		   : 0;
}

static double
rate_high(struct rate r, double level)
{
	return r.n < r.trials ? beta_quantile(level, (double)r.n + 1,
					      (double)(r.trials - r.n))
			      : 1;
}

/* Of `trials`; ends after the first `enough` if nothing failed in them. */
static struct rate
simulate(const struct setting *s, size_t trials, size_t enough,
	 unsigned long seed)
{
	static struct world w;
	struct rate r = { 0, trials };

	world_init(&w, s, seed);
	for (size_t i = 0; i < trials; i++) {
		struct gate *g = compare(&w);

		r.n += fails(g);
		gate_free(g);
		if (i + 1 == enough && !r.n)
			r.trials = trials = enough;
	}
	world_release(&w);
	return r;
}

static void
print_rate(const char *what, const char *runs, struct rate r)
{
	printf("| %s | %s | %.2f (%.2f .. %.2f) |\n", what, runs,
	       100 * (double)r.n / (double)r.trials, 100 * rate_low(r, 0.025),
	       100 * rate_high(r, 0.025));
	fflush(stdout);
}

/* --- the best possible test --- */

/*
 * An oracle knows the variance of each row, and how large the largest of all
 * statistics becomes by chance alone.
 */
struct oracle {
	double var[2][MAX_FUNCTION + 1], sum[2][MAX_FUNCTION + 1];
	double square[2][MAX_FUNCTION + 1];
	double n;
	double *max; /* of each trial, of what may raise an alarm */
};

/* The row of function i. */
static uint32_t
row_of(const struct gate *g, size_t i)
{
	char name[32];
	uint32_t s;

	snprintf(name, sizeof(name), "f%zu", i);
	s = strtab_find(&g->names, i == HANDLE ? TARGET : name,
			strlen(i == HANDLE ? TARGET : name));
	return s == STRTAB_NONE ? PROF_NONE : g->row_of[s];
}

static void
learn(struct oracle *o, const struct gate *g, size_t n_function)
{
	for (size_t f = 0; f < n_function; f++) {
		uint32_t row = row_of(g, f);

		for (int k = 0; row != PROF_NONE && k < 2; k++)
			for (size_t i = 0; i < g->n_run; i++) {
				double x = gate_sums(g, g->value, row, k)[i];

				o->sum[k][f] += x;
				o->square[k][f] += x * x;
			}
	}
	o->n += (double)g->n_run;
}

/* Standard errors by which a row grew, if by enough to matter; else 0. */
static double
statistic(const struct oracle *o, const struct gate *g, int kind, size_t f)
{
	uint32_t row = row_of(g, f);
	struct gate_pair y;
	double relevant,
		n = 1.0 / (double)g->n_side[0] + 1.0 / (double)g->n_side[1];

	if (row == PROF_NONE || o->var[kind][f] <= 0)
		return 0;
	y = gate_means(g, row, kind);
	relevant = fmax(g->o.min_change * y.before,
			g->o.min_share * g->total.cell[0]->before);
	if (y.after - y.before < relevant || y.after <= y.before)
		return 0;
	return (y.after - y.before) / sqrt(o->var[kind][f] * n);
}

/* The largest statistic: of all rows, or of handle() alone. */
static double
largest(const struct oracle *o, const struct gate *g, size_t n_function,
	bool target_alone)
{
	double max = 0;

	for (size_t f = 0; f < n_function; f++)
		for (int k = 0; k < 2; k++)
			if (!target_alone || f == HANDLE)
				max = fmax(max, statistic(o, g, k, f));
	return max;
}

static int
cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
ceiling_of(const struct setting *s, size_t trials, unsigned long seed)
{
	static struct world w;
	struct oracle o = { .max = must(calloc(trials, sizeof(*o.max))) };
	struct setting calm = *s;
	double alpha = s->alpha > 0 ? s->alpha : 0.01, bar;
	size_t found = 0, at = (size_t)((1 - alpha) * (double)trials);

	calm.slower = 1;
	world_init(&w, &calm, seed);
	for (int pass = 0; pass < 3; pass++) {
		w.s = pass < 2 ? &calm : s;
		for (size_t i = 0; i < trials; i++) {
			struct gate *g = compare(&w);

			if (pass == 0)
				learn(&o, g, w.n_function);
			else if (pass == 1)
				o.max[i] =
					largest(&o, g, w.n_function, s->named);
			else
				found += largest(&o, g, w.n_function, true) >
					 bar;
			gate_free(g);
		}
		for (int k = 0; pass == 0 && k < 2; k++)
			for (size_t f = 0; f < w.n_function; f++)
				o.var[k][f] = o.square[k][f] / o.n -
					      pow(o.sum[k][f] / o.n, 2);
		qsort(o.max, trials, sizeof(*o.max), cmp_double);
		bar = o.max[at < trials ? at : trials - 1];
	}
	world_release(&w);
	free(o.max);
	return (double)found / (double)trials;
}

/* --- work that moves --- */

/* A small program, before and after; stacks and their means. */
struct story {
	const char *what, *after;
	bool fails; /* is it slower? */
};

#define REST                                                                   \
	"main;print;fmt 1200 main;print 500 main;idle 700 main;work;gz 900 "
#define LEX "main;parse;lex 1000 main;parse;lex;read 400 main;parse 700 "
#define BEFORE                                                                 \
	REST LEX "main;work;hash 1500 main;work;hash;mix 600 main;work 300"

static const struct story stories[] = {
	{ "nothing", BEFORE, false },
	{ "renamed",
	  REST LEX "main;work;hash2 1500 main;work;hash2;mix 600 main;work 300",
	  false },
	{ "renamed, 20 % slower",
	  REST LEX "main;work;hash2 1800 main;work;hash2;mix 720 main;work 300",
	  true },
	{ "another namespace",
	  REST LEX "main;work;v2::hash 1500 main;work;v2::hash;v2::mix 600 "
		   "main;work 300",
	  false },
	{ "wrapped",
	  REST LEX
	  "main;work;safe;hash 1500 main;work;safe;hash;mix 600 main;work 300",
	  false },
	{ "wrapped, hash 30 % slower",
	  REST LEX
	  "main;work;safe;hash 1950 main;work;safe;hash;mix 600 main;work 300",
	  true },
	{ "split in two",
	  REST LEX
	  "main;work;hash_a 800 main;work;hash_b 700 main;work;hash_a;mix 600 "
	  "main;work 300",
	  false },
	{ "inlined", REST LEX "main;work;hash 2100 main;work 300", false },
	{ "inlined, 20 % slower", REST LEX "main;work;hash 2520 main;work 300",
	  true },
	{ "outlined",
	  REST LEX
	  "main;work;hash 800 main;work;hash;turn 700 main;work;hash;mix 600 "
	  "main;work 300",
	  false },
	{ "from parent to child",
	  REST LEX "main;work;hash 900 main;work;hash;mix 1200 main;work 300",
	  false },
	{ "from child to parent",
	  REST LEX "main;work;hash 1800 main;work;hash;mix 300 main;work 300",
	  false },
	{ "another caller",
	  "main;print;fmt 1200 main;print 500 main;idle 700 main;print;gz "
	  "900 " LEX "main;work;hash 1500 main;work;hash;mix 600 main;work 300",
	  false },
	{ "a sibling is gone",
	  "main;print;fmt 1200 main;print 500 main;idle 700 " LEX
	  "main;work;hash 2400 main;work;hash;mix 600 main;work 300",
	  true },
};

/* A run of a program of stacks, functions varying by 2 %. */
static struct profile *
draw_story(gsl_rng *rng, const char *text)
{
	double own[256];
	char *fixture, stack[200];
	size_t size;
	FILE *out = must(open_memstream(&fixture, &size));
	struct prof_err err;
	struct profile *p;
	double mean;
	int n;

	for (int i = 0; i < 256; i++)
		own[i] = gsl_ran_gamma(rng, 2500, 1 / 2500.0);
	fputs("# samples count\n", out);
	for (; sscanf(text, " %199s %lf%n", stack, &mean, &n) == 2; text += n) {
		const char *leaf = strrchr(stack, ';');
		unsigned hash = 0;

		for (leaf++; *leaf; leaf++)
			hash = hash * 31 + (unsigned char)*leaf;
		fprintf(out, "%s %u\n", stack,
			gsl_ran_poisson(rng, mean * own[hash % 256]));
	}
	fclose(out);
	must_ok(fixture_parse(fixture, &p, &err), &err);
	free(fixture);
	return p;
}

static struct rate
tell(const struct story *t, size_t trials, unsigned long seed)
{
	static const struct setting plain = { .slower = 1 };
	struct rate r = { 0, trials };
	gsl_rng *rng = must(gsl_rng_alloc(gsl_rng_mt19937));

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < trials; i++) {
		struct gate_options o = options_of(&plain);
		struct prof_err err;
		struct gate *g;

		o.exact_names = false;
		must_ok(gate_new(&o, &g, &err), &err);
		for (int k = 0; k < 10; k++) {
			struct profile *p =
				draw_story(rng, k < 5 ? BEFORE : t->after);

			add_run(g, k < 5 ? GATE_BASE : GATE_NEW, p);
			profile_free(p);
		}
		must_ok(gate_judge(g, stats_dist(), &err), &err);
		r.n += fails(g);
		gate_free(g);
	}
	gsl_rng_free(rng);
	return r;
}

/* --- all of them --- */

/* Machine 1 %, functions 3 %, one in ten 10 %. */
#define OD .machine = .01, .function = .03, .noisy = .1
#define RUNS(n) .n_base = n, .n_new = n
#define AA(bound) .slower = 1, .share = .2, .target = bound

static const struct setting settings[] = {
	{ "Poisson", RUNS(3), 3000, AA(.01) },
	{ "od", RUNS(3), 3000, OD, AA(.01) },
	{ "od, 30,000 samples", RUNS(3), 30000, OD, AA(.01) },
	{ "od, 50 samples", RUNS(3), 50, OD, AA(.01) },
	{ "15 % lognormal", RUNS(3), 3000, .machine = .01, .function = .15,
	  .noisy = .15, .lognormal = true, AA(.01) },
	{ "bursts of one function", RUNS(3), 3000, OD, .burst = 5, AA(.01) },
	{ "od, machine 5 %", RUNS(3), 3000, .machine = .05, .function = .03,
	  .noisy = .1, AA(.01) },
	{ "od, machine 10 %", RUNS(3), 3000, .machine = .1, .function = .03,
	  .noisy = .1, AA(.01) },
	{ "od, machine 10 %, --scale=machine", RUNS(3), 3000, .machine = .1,
	  .function = .03, .noisy = .1, AA(.01), .yardstick = GATE_TYPICAL },
	{ "largest function 30 % noisy", RUNS(3), 3000, OD, .largest = .3,
	  AA(.05) },
	{ "largest function 30 % noisy", RUNS(5), 3000, OD, .largest = .3,
	  AA(.01) },
	{ "handle() 10 % noisy, with all its callees, od", RUNS(3), 3000, OD,
	  .subtree = .1, AA(.05) },
	{ "handle() 10 % noisy, with all its callees, od", RUNS(5), 3000, OD,
	  .subtree = .1, AA(.02) },
	{ "one function 100/200, half of the runs", RUNS(5), 3000, OD,
	  .modes = .25, .mode = .5, AA(.012) },
	{ "one function 100/200, three in ten", RUNS(8), 3000, OD, .modes = .25,
	  .mode = .3, AA(.01) },
	{ "ticks four at a time, od", RUNS(3), 3000, OD, .clump = 4, AA(.01) },
	{ "cpu, exponential weights, od", RUNS(3), 3000, OD, AA(.01),
	  .weight = EXPONENTIAL },
	{ "lock waits, lognormal sd 2, od", RUNS(3), 3000, OD, AA(.01),
	  .weight = WAITS },
	{ "heap, 512 KiB, od", RUNS(3), 3000, OD, AA(.01), .weight = OBJECTS },
	{ "100 Hz against 200 Hz, od", RUNS(3), 3000, OD, AA(.01),
	  .hz = { 1, 2 } },
	{ "1000 Hz against 100 Hz, od", RUNS(3), 3000, OD, AA(.01),
	  .hz = { 10, 1 } },
	{ "builds differ by 2 %, 30,000", RUNS(5), 30000, OD, AA(.03),
	  .build = .02 },
	{ "20 functions, od", RUNS(3), 3000, OD, AA(.01), .n_function = 20 },
	{ "od", RUNS(2), 3000, OD, AA(.01) },
	{ "od", RUNS(5), 3000, OD, AA(.01) },
	{ "od", RUNS(10), 3000, OD, AA(.01) },
	{ "od", .n_base = 10, .n_new = 2, 3000, OD, AA(.01) },
	{ "od, both thresholds 0", RUNS(3), 3000, OD, AA(.01),
	  .flat_limits = true },
	{ "od, --scale=total", RUNS(3), 3000, OD, AA(.01),
	  .yardstick = GATE_SHARES },
	{ "od, --function", RUNS(3), 3000, OD, AA(.01), .named = true },
	{ "od, --function --alpha=0.05", RUNS(3), 3000, OD, AA(.05),
	  .named = true, .alpha = .05 },
	{ "one run: Poisson (suspect)", RUNS(1), 3000, AA(.01) },
	{ "one run: od (suspect)", RUNS(1), 3000, OD, AA(.01) },
	{ "one run: machine 10 % (suspect)", RUNS(1), 3000, .machine = .1,
	  .function = .03, .noisy = .1, AA(.01) },
	{ "one run: ticks four at a time (suspect)", RUNS(1), 3000, OD,
	  .clump = 4, AA(.02) },
#define FIND(n, x, p, want)                                                    \
	{                                                                      \
#x " x " #p, RUNS(n), 3000, OD, .slower = 1 + x / 100.,        \
						.share = p / 100.,             \
						.target = want                 \
	}
	FIND(3, 10, 20, 0),
	FIND(3, 20, 5, 0),
	FIND(3, 20, 20, .55),
	FIND(5, 10, 20, .25),
	FIND(5, 20, 5, .31),
	FIND(5, 20, 20, .92),
	FIND(10, 10, 20, .7),
	FIND(10, 20, 5, 0),
	FIND(10, 20, 20, .98),
	{ "20 x 20, beside 20 % of 100/200", RUNS(5), 3000, OD, .slower = 1.2,
	  .share = .2, .modes = .2, .mode = .5, .target = .5 },
#define NAMED(n, x, p, want)                                                   \
	{                                                                      \
#x " x " #p ", --function", RUNS(n), 3000, OD,                 \
			.slower = 1 + x / 100., .share = p / 100.,             \
			.named = true, .target = want                          \
	}
	NAMED(3, 20, 20, .8),
	NAMED(5, 10, 20, .55),
	NAMED(5, 20, 5, .62),
	NAMED(10, 10, 20, .93),
	{ "lock waits 3 times longer, as many", RUNS(3), 3000, OD, .slower = 1,
	  .share = .2, .weight = WAITS, .weight_by = 3, .target = .9 },
	{ "cpu ns doubled, as many samples", RUNS(3), 3000, OD, .slower = 1,
	  .share = .2, .weight_by = 2, .target = .9 },
	{ "56 x 20, 1000 Hz against 100 Hz", RUNS(3), 3000, OD, .slower = 1.56,
	  .share = .2, .hz = { 10, 1 }, .target = .95 },
};

static const size_t n_setting = sizeof(settings) / sizeof(*settings);
static const size_t n_story = sizeof(stories) / sizeof(*stories);

static bool
is_alarm(const struct setting *s)
{
	return s->slower == 1 && s->weight_by == 0;
}

static const char *
runs_of(const struct setting *s)
{
	static char text[50];

	snprintf(text, sizeof(text), "%zu, %zu", s->n_base, s->n_new);
	return text;
}

/* Is the rate, surely (1 of 1,000), on the wrong side of what was promised? */
static void
check(const char *what, const char *runs, struct rate r, double most,
      double least)
{
	static int n;
	bool bad = (most > 0 && rate_low(r, 0.001) > most) ||
		   (least > 0 && rate_high(r, 0.001) < least);

	printf("%sok %d - %s, %s runs: %.1f%% of %zu\n", bad ? "not " : "", ++n,
	       what, runs, 100 * (double)r.n / (double)r.trials, r.trials);
	fflush(stdout);
}

static void
check_all(size_t trials, size_t enough, unsigned long seed)
{
	size_t few = trials / (enough ? 12 : 6) + 1;

	printf("1..%zu\n", n_setting + n_story);
	for (size_t i = 0; i < n_setting; i++) {
		const struct setting *s = &settings[i];
		bool alarm = is_alarm(s);
		struct rate r = alarm ? simulate(s, trials, enough, seed)
				      : simulate(s, few, 0, seed);

		check(s->what, runs_of(s), r, alarm ? s->target : 0,
		      alarm ? 0 : s->target);
	}
	for (size_t i = 0; i < n_story; i++) {
		struct rate r = tell(&stories[i], few, seed);

		check(stories[i].what, "5, 5", r, stories[i].fails ? 0 : 0.04,
		      stories[i].fails ? 0.9 : 0);
	}
}

int
main(int argc, char **argv)
{
	const char *only = getenv("ROW");
	const char *what = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
	int at = *what ? 2 : 1;
	size_t trials = argc > at ? strtoul(argv[at], NULL, 10) : 2000;
	unsigned long seed =
		argc > at + 1 ? strtoul(argv[at + 1], NULL, 10) : 20261122;

	if (!strcmp(what, "--check") || !strcmp(what, "--quick")) {
		check_all(trials, what[2] == 'q' ? trials / 3 : 0, seed);
		return 0;
	}
	for (size_t i = 0; i < n_setting; i++) {
		const struct setting *s = &settings[i];

		if (only && !strstr(s->what, only))
			continue;
		if (!strcmp(what, "--ceiling") && s->slower > 1)
			printf("| %s | %s | at most %.1f |\n", s->what,
			       runs_of(s), 100 * ceiling_of(s, trials, seed));
		else if (!*what)
			print_rate(s->what, runs_of(s),
				   simulate(s, trials, 0, seed));
		fflush(stdout);
	}
	for (size_t i = 0; !*what && !only && i < n_story; i++)
		print_rate(stories[i].what, "5, 5",
			   tell(&stories[i], trials / 10, seed));
	return 0;
}
