/*
 * gate-simulate.c - how often prof-gate is wrong, and what it finds: pairs of
 * sides are drawn from one distribution (false alarms), with something slower
 * (power), or with work that only moved (explanations), and judged by the code
 * that the command uses.
 *
 *	gate-simulate [TRIALS [SEED]]	the tables of doc/gate.md, or with
 *					ROW=TEXT and RUNS=5v5 in the environment
 *					rows that hold TEXT, that column
 *	gate-simulate --check TRIALS	as TAP, against bounds
 *	gate-simulate --quick TRIALS	... rows end where nine points more than
 *					was promised are refuted
 *
 * The program that is sampled: a tree of calls over 150 functions with 400
 * stacks of very unequal weight, and beside it handle(), with five callees. 50
 * such programs are drawn for each rate. Between runs the machine varies, and
 * so does each function. Then events are Poisson, and each has a weight.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "lib/gate/gate.h"
#include "lib/gate/rule.h"
#include "lib/gate/stats.h"
#include "lib/model/profile.h"
#include "tests/lib/fixture.h"

#define MAX_FUNCTION 150
#define MAX_MODAL 3
#define ALL_FUNCTION (MAX_FUNCTION + MAX_MODAL)
#define N_STACK 400
#define MAX_DEPTH 24
#define MAX_RUN 48
#define MAX_SIZE 8
#define N_PROGRAM 50
#define TARGET "handle"
#define N_KID 5

/* The worth of an event. */
enum weight { TICKS, EXPONENTIAL, WAITS, OBJECTS };

/* How many runs a side has. */
struct size {
	size_t n[2];
	double target; /* --check: at most (A/A) or at least; 0: not checked */
};

struct setting {
	const char *what;
	struct size size[MAX_SIZE];
	double samples;  /* a profile */
	double machine;  /* sd between runs */
	double function; /* sd of each function between runs */
	double noisy;    /* ... of one in ten */
	double slower;   /* handle() takes this times longer */
	double share;    /* of handle() */
	/* The rest is 0 unless said. */
	double largest;    /* sd of the largest function */
	double modal;      /* share of functions that take twice as long ... */
	double mode;       /* ... with this probability, or ... */
	double modal_sd;   /* ... vary lognormally */
	size_t n_modal;    /* 0: one */
	double clump;      /* events come this many at a time */
	double subtree;    /* sd of handle() and all that it calls */
	double burst;      /* of a function, in one run of five, times more */
	double hz[2];      /* of the sides, times 100 */
	double weight_by;  /* each event is worth this times more in new */
	double build;      /* sd by which functions differ between builds */
	double session[2]; /* sd between sessions: the machine, functions */
	size_t n_session;  /* of base; new is another one */
	double alpha, against;
	const char *budget; /* a rule of it is broken, else: the gate fails */
	enum weight weight;
	enum gate_yardstick yardstick;
	size_t n_function; /* 0: 150 */
	bool lognormal;    /* noise of functions, else gamma */
	bool named;        /* only handle() is judged */
	bool flat_limits;  /* both thresholds are 0 */
	bool is_alarm;     /* nothing is wrong, so failing is */
};

/* One stack of the program. */
struct path {
	uint32_t function[MAX_DEPTH]; /* leaf first */
	uint32_t depth;
	double weight;
	bool is_target;
};

struct world {
	const struct setting *s;
	const size_t *n;   /* runs of a side */
	size_t n_function; /* of the tree; then the modal ones */
	size_t n_all;
	struct path path[N_STACK];
	double cv[ALL_FUNCTION];      /* between runs, of each function */
	double side[2][ALL_FUNCTION]; /* of this comparison */
	double session[ALL_FUNCTION], speed; /* of this session */
	struct profile *run[MAX_RUN];
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
	const struct setting *s = w->s;
	uint32_t largest = OTHERS;

	for (uint32_t i = 0; i < w->n_all; i++) {
		w->cv[i] = i >= OTHERS && i % 10 == 0 ? s->noisy : s->function;
		if (i >= w->n_function)
			w->cv[i] = s->mode > 0 ? s->function : s->modal_sd;
		else if (i >= OTHERS && flat[i] > flat[largest])
			largest = i;
	}
	if (s->largest > 0)
		w->cv[largest] = s->largest;
}

static void
make_program(struct world *w)
{
	double sum[2] = { 0 }, flat[ALL_FUNCTION] = { 0 };
	size_t n_modal = w->n_all - w->n_function;

	memset(w->path, 0, sizeof(w->path));
	for (uint32_t i = 0; i < N_STACK - n_modal; i++) {
		if (i <= N_KID)
			make_target(&w->path[i], i);
		else
			make_other(w, &w->path[i]);
		sum[w->path[i].is_target] += w->path[i].weight;
	}
	for (uint32_t i = 0; i < N_STACK; i++) {
		struct path *p = &w->path[i];
		uint32_t modal = i - (uint32_t)(N_STACK - n_modal);

		p->weight *= p->is_target
				     ? w->s->share / sum[1]
				     : (1 - w->s->share - w->s->modal) / sum[0];
		if (i >= N_STACK - n_modal)
			*p = (struct path){
				.function = { (uint32_t)w->n_function + modal,
					      MAIN },
				.depth = 2,
				.weight = w->s->modal / (double)n_modal
			};
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
	uint32_t location[ALL_FUNCTION];
	const int64_t zero[2] = { 0 };

	profile_add_type(p, t[0], t[1]);
	profile_add_type(p, t[2], t[3]);
	if (w->s->weight == OBJECTS) {
		p->period_type.type = profile_intern(p, "space");
		p->period_type.unit = profile_intern(p, "bytes");
		p->period = 512 * 1024;
	}
	for (uint32_t i = 0; i < w->n_all; i++) {
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
drop_program(struct world *w)
{
	for (size_t i = 0; i < w->n[0] + w->n[1]; i++)
		profile_free(w->run[i]);
}

static void
next_program(struct world *w)
{
	make_program(w);
	for (size_t i = 0; i < w->n[0] + w->n[1]; i++)
		w->run[i] = make_profile(w);
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

/* How fast functions are in a run. */
static void
set_pace(struct world *w, int side, double *own)
{
	const struct setting *s = w->s;

	for (size_t i = 0; i < w->n_all; i++) {
		bool modal = i >= w->n_function;

		own[i] = around_one(w, w->cv[i],
				    s->lognormal || (modal && s->modal_sd > 0));
		own[i] *= w->side[side][i] * w->session[i];
		if (!modal || s->mode <= 0)
			continue;
		if (gsl_rng_uniform(w->rng) < s->mode)
			own[i] *= 2;
		own[i] /= 1 + s->mode;
	}
	if (s->burst > 0 && gsl_rng_uniform(w->rng) < 0.2)
		own[OTHERS + 3] *= s->burst;
}

static void
draw(struct world *w, struct profile *p, int side)
{
	const struct setting *s = w->s;
	double slower = side ? s->slower : 1, own[ALL_FUNCTION];
	double speed = around_one(w, s->machine, false) * w->speed;
	double hz = s->hz[side] > 0 ? s->hz[side] : 1;
	double clump = s->clump > 0 ? s->clump : 1;
	double by = side && s->weight_by > 0 ? s->weight_by : 1;

	set_pace(w, side, own);
	slower *= around_one(w, s->subtree, true);
	for (size_t i = 0; i < N_STACK; i++) {
		const struct path *a = &w->path[i];
		double mean = s->samples * a->weight * speed * hz *
			      own[a->function[0]] * (a->is_target ? slower : 1);
		unsigned n = gsl_ran_poisson(w->rng, mean / clump);

		weigh(w, i, n * (unsigned)clump, 1e7 / hz, by,
		      profile_value(p, i));
	}
}

static void
next_session(struct world *w)
{
	w->speed = around_one(w, w->s->session[0], true);
	for (size_t i = 0; i < w->n_all; i++)
		w->session[i] = around_one(w, w->s->session[1], true);
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

	o.dist = stats_dist();
	o.yardstick = s->yardstick;
	o.against = s->against;
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

/* Draw both sides, and judge them. Runs of a session are a minute apart. */
static struct gate *
compare(struct world *w)
{
	const struct setting *s = w->s;
	struct gate_options o = options_of(s);
	size_t in_session = s->n_session ? w->n[0] / s->n_session : MAX_RUN;
	struct prof_err err;
	struct gate *g;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < w->n_all; i++)
			w->side[side][i] = around_one(w, s->build, false);
	must_ok(gate_new(&o, &g, &err), &err);
	for (size_t i = 0; i < w->n[0] + w->n[1]; i++) {
		int side = i >= w->n[0];
		size_t at = side ? i - w->n[0] : i;
		size_t day = side ? s->n_session : at / in_session;

		if (at % in_session == 0)
			next_session(w);
		draw(w, w->run[i], side);
		if (s->n_session)
			w->run[i]->time_ns =
				(int64_t)(86400 * (day + 1) + 60 * at) *
				1000000000;
		add_run(g, side, w->run[i]);
	}
	must_ok(gate_judge(g, &err), &err);
	return g;
}

/* Does the gate fail, or with one run a side, suspect? `today`: without the
 * guards. */
static bool
row_fails(const struct gate_row *row, bool today)
{
	for (int k = 0; today && k < 2; k++)
		if (row->cell[k]->guard &&
		    row->cell[k]->after > row->cell[k]->before)
			return true;
	return row->verdict >= GATE_SUSPECT && !row->is_moved;
}

static bool
fails(const struct gate *g, bool today)
{
	if (!g->o.wants && row_fails(&g->total, today))
		return true;
	for (size_t i = 0; i < g->n_order; i++)
		if (row_fails(&g->row[g->order[i]], today))
			return true;
	return false;
}

static enum prof_status
in_group(void *ctx, size_t i, const struct str *name, bool *matches,
	 struct prof_err *err)
{
	(void)i;
	return is_target(ctx, name, matches, err);
}

static bool
breaks(const struct gate *g, const char *budget)
{
	struct rule_matcher matcher = { in_group, NULL };
	struct rule_budgets b;
	struct prof_err err;
	bool broken = false;

	must_ok(rule_budgets_parse(budget, strlen(budget), &b, &err), &err);
	must_ok(rule_check(&b, g, &matcher, &err), &err);
	for (size_t i = 0; i < b.n_rule; i++)
		broken |= b.rule[i].answer == RULE_BROKEN;
	rule_budgets_release(&b);
	return broken;
}

/* --- rates --- */

struct rate {
	size_t n, trials;
	size_t today; /* without the guards */
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

/* Is the rate most + 0.09 rather than `most`? Not so, at 1 of 100 (Wald). */
static bool
is_refuted(struct rate r, size_t trials, double most)
{
	double more = most + 0.09;

	return (double)r.n * log(more / most) +
		       (double)(trials - r.n) * log((1 - more) / (1 - most)) <
	       log(0.01);
}

/* Of `trials`; with `most`, ends once a higher rate is refuted. */
static struct rate
simulate(const struct setting *s, const size_t *n, size_t trials, double most,
	 unsigned long seed)
{
	static struct world w;
	struct rate r = { 0, trials, 0 };
	size_t n_modal = s->n_modal ? s->n_modal : s->modal > 0;

	w = (struct world){ .s = s, .n = n };
	w.n_function = s->n_function ? s->n_function : MAX_FUNCTION;
	w.n_all = w.n_function + n_modal;
	w.rng = must(gsl_rng_alloc(gsl_rng_mt19937));
	gsl_rng_set(w.rng, seed);
	for (size_t i = 0; i < trials; i++) {
		struct gate *g;

		if (i % (trials / N_PROGRAM + 1) == 0) {
			if (i)
				drop_program(&w);
			next_program(&w);
		}
		g = compare(&w);
		r.n += s->budget ? breaks(g, s->budget) : fails(g, false);
		r.today += fails(g, true);
		gate_free(g);
		if (most > 0 && is_refuted(r, i + 1, most))
			r.trials = trials = i + 1;
	}
	drop_program(&w);
	gsl_rng_free(w.rng);
	return r;
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
	struct rate r = { 0, trials, 0 };
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
		must_ok(gate_judge(g, &err), &err);
		r.n += fails(g, false);
		r.today += fails(g, true);
		gate_free(g);
	}
	gsl_rng_free(rng);
	return r;
}

/* --- all of them --- */

/* Machine 1 %, functions 3 %, one in ten 10 %; and quieter functions, beside
 * which others stand out. */
#define NOISE(n, m, f, x)                                                      \
	.samples = n, .machine = m / 100., .function = f / 100.,               \
	.noisy = x / 100.
#define OD NOISE(3000, 1, 3, 10)
#define QUIET NOISE(3000, 1, 2, 2)
#define AA .slower = 1, .share = .2, .is_alarm = true
#define SLOWER(x, p) .slower = 1 + x / 100., .share = p / 100.
#define DAY(x) .session = { x, x }
/* Runs of both sides, and the bound of a check. */
#define R(x, bound)                                                            \
	{                                                                      \
		{ x, x }, bound                                                \
	}
#define OF(x, y, bound)                                                        \
	{                                                                      \
		{ x, y }, bound                                                \
	}

/* clang-format off */
static const struct setting settings[] = {
	{ "Poisson", { R(3, .01), R(5, 0) }, NOISE(3000, 0, 0, 0), AA },
	{ "od", { R(2, .01), R(3, .01), R(4, 0), R(5, .01), R(6, 0), R(8, 0),
	  R(10, .01), OF(10, 2, .01) }, OD, AA },
	{ "od, 20 runs", { R(20, 0) }, OD, AA },
	{ "od, 30,000 samples", { R(3, .01) }, NOISE(30000, 1, 3, 10), AA },
	{ "od, 50 samples", { R(3, .01) }, NOISE(50, 1, 3, 10), AA },
	{ "15 % lognormal", { R(3, .01), R(5, 0) }, NOISE(3000, 1, 15, 15),
	  .lognormal = true, AA },
	{ "bursts of one function", { R(3, .01), R(5, 0) }, OD, .burst = 5, AA },
	{ "machine 5 %", { R(3, .01), R(5, 0), R(8, 0) }, NOISE(3000, 5, 3, 10), AA },
	{ "machine 10 %", { R(3, .02), R(4, 0), R(5, 0), R(6, 0), R(8, 0) },
	  NOISE(3000, 10, 3, 10), AA },
	{ "machine 10 %, --scale=machine", { R(3, .01), R(5, 0), R(8, 0) },
	  NOISE(3000, 10, 3, 10), AA, .yardstick = GATE_TYPICAL },
	{ "--scale=total", { R(3, .01), R(5, 0), R(6, 0), R(8, 0) }, OD, AA,
	  .yardstick = GATE_SHARES },
	{ "one 100/200 p .3, small", { R(3, .02), R(4, 0), R(5, 0), R(6, 0), R(8, 0) },
	  NOISE(375, 1, 2, 2), .n_function = 12, .modal = .25, .mode = .3, AA },
	{ "one 100/200 p .5", { R(3, .03), R(4, 0), R(5, .012), R(6, 0), R(8, 0),
	  R(20, 0) }, QUIET, .modal = .25, .mode = .5, AA },
	{ "one 100/200 p .5, --scale=total", { R(5, 0), R(8, 0) }, QUIET, .modal = .25,
	  .mode = .5, AA, .yardstick = GATE_SHARES },
	{ "one 100/200 p .5, --scale=machine", { R(5, 0), R(8, 0) }, QUIET,
	  .modal = .25, .mode = .5, AA, .yardstick = GATE_TYPICAL },
	{ "one lognormal .3", { R(3, .03), R(4, 0), R(5, 0), R(6, 0), R(8, .01),
	  R(20, 0) }, QUIET, .modal = .25, .modal_sd = .3, AA },
	{ "three 100/200 p .3", { R(3, .03), R(4, 0), R(5, 0), R(6, 0), R(8, 0) },
	  QUIET, .modal = .25, .n_modal = 3, .mode = .3, AA },
	{ "subtree lognormal .3", { R(3, .05), R(4, 0), R(5, .012), R(6, 0), R(8, 0) },
	  OD, .subtree = .3, AA },
	{ "largest function gamma .3", { R(3, .05), R(5, .012), R(8, 0) }, OD,
	  .largest = .3, AA },
	{ "ticks four at a time", { R(3, .01), R(5, 0) }, OD, .clump = 4, AA },
	{ "cpu, exponential weights", { R(3, .01), R(5, 0) }, OD, AA,
	  .weight = EXPONENTIAL },
	{ "lock waits, lognormal sd 2", { R(3, .01), R(5, 0) }, OD, AA,
	  .weight = WAITS },
	{ "heap, 512 KiB", { R(3, .01), R(5, 0) }, OD, AA, .weight = OBJECTS },
	{ "100 Hz against 200 Hz", { R(3, .01), R(5, 0) }, OD, AA, .hz = { 1, 2 } },
	{ "1000 Hz against 100 Hz", { R(3, .01), R(5, 0) }, OD, AA, .hz = { 10, 1 } },
	{ "builds differ by 2 %, 30,000", { R(5, .03), R(8, 0) },
	  NOISE(30000, 1, 3, 10), AA, .build = .02 },
	{ "20 functions", { R(3, .01), R(5, 0), R(8, 0) }, OD, AA, .n_function = 20 },
	{ "both thresholds 0", { R(3, .01), R(5, 0), R(8, 0) }, OD, AA,
	  .flat_limits = true },
	{ "--function", { R(3, .01), R(5, 0), R(8, 0) }, OD, AA, .named = true },
	{ "--function, noisy: subtree .1", { R(3, 0), R(5, 0), R(8, 0) }, OD,
	  .subtree = .1, AA, .named = true },
	{ "--function --alpha=0.05", { R(3, .05) }, OD, AA, .named = true,
	  .alpha = .05 },
	{ "--test-against=5, all of 5 % slower", { R(3, .01), R(5, 0), R(8, 0) }, OD,
	  SLOWER(5, 20), .against = .05, .is_alarm = true },
	{ "--test-against=5, everything 5 % slower, 30,000", { R(3, .01), R(5, 0),
	  R(8, 0) }, NOISE(30000, 1, 1, 1), SLOWER(5, 99), .against = .05,
	  .is_alarm = true },
	{ "--test-against=5, one 100/200 p .5", { R(5, 0), R(8, 0) }, QUIET,
	  .modal = .25, .mode = .5, AA, .against = .05 },
	{ "budget handle <= +0%", { R(3, .01), R(5, 0), R(8, 0) }, OD, AA,
	  .budget = "handle <= +0%\n" },
	{ "budget handle <= +5%, 5 % slower", { R(3, .01), R(5, 0), R(8, 0) }, OD,
	  SLOWER(5, 20), .is_alarm = true, .budget = "handle <= +5%\n" },
	{ "budget /handle/ <= +0%, a group", { R(3, .01), R(5, 0), R(8, 0) }, OD, AA,
	  .budget = "/handle/ <= +0%\n" },
	{ "the same, subtree .1", { R(3, 0), R(5, 0), R(8, 0) }, OD, AA, .subtree = .1,
	  .budget = "/handle/ <= +0%\n" },
	{ "budget handle <= 20% of total", { R(3, .01), R(5, 0), R(8, 0) }, OD, AA,
	  .budget = "handle <= 20% of total\n" },
	{ "one run: Poisson (suspect)", { R(1, .01) }, NOISE(3000, 0, 0, 0), AA },
	{ "one run: od (suspect)", { R(1, .01) }, OD, AA },
	{ "one run: machine 10 % (suspect)", { R(1, .01) }, NOISE(3000, 10, 3, 10),
	  AA },
	{ "one run: ticks four at a time (suspect)", { R(1, .02) }, OD, .clump = 4,
	  AA },
	{ "days differ by 3 %, not known", { R(5, 0) }, OD, AA, DAY(.03) },
	{ "3 sessions, days differ by 3 %", { OF(15, 5, .02) }, OD, AA, DAY(.03),
	  .n_session = 3 },
	{ "5 sessions, days differ by 3 %", { OF(25, 5, .02) }, OD, AA, DAY(.03),
	  .n_session = 5 },
	{ "8 sessions, days differ by 3 %", { OF(40, 5, 0) }, OD, AA, DAY(.03),
	  .n_session = 8 },
	{ "5 sessions, days are equal", { OF(25, 5, 0) }, OD, AA, .n_session = 5 },
	{ "5 sessions, days differ by 10 %", { OF(25, 5, 0) }, OD, AA, DAY(.1),
	  .n_session = 5 },
	{ "20 x 20", { R(2, 0), R(3, .55), R(4, 0), R(5, .92), R(6, 0), R(8, 0),
	  R(10, .98), OF(10, 2, 0) }, OD, SLOWER(20, 20) },
	{ "10 x 20", { R(3, 0), R(4, 0), R(5, .25), R(6, 0), R(8, 0), R(10, .7) }, OD,
	  SLOWER(10, 20) },
	{ "20 x 5", { R(3, 0), R(4, 0), R(5, .31), R(6, 0), R(8, 0), R(10, 0) }, OD,
	  SLOWER(20, 5) },
	{ "50 x 2", { R(3, 0), R(4, 0), R(5, 0), R(6, 0), R(8, 0), R(10, 0) }, OD,
	  SLOWER(50, 2) },
	{ "20 x 20, beside 20 % of 100/200", { R(5, .5) }, OD, SLOWER(20, 20),
	  .modal = .2, .mode = .5 },
	{ "20 x 20, --function", { R(3, .8) }, OD, SLOWER(20, 20), .named = true },
	{ "10 x 20, --function", { R(5, .55), R(8, 0), R(10, .93) }, OD,
	  SLOWER(10, 20), .named = true },
	{ "20 x 5, --function", { R(5, .62) }, OD, SLOWER(20, 5), .named = true },
	{ "20 x 20, --scale=total", { R(3, 0), R(5, 0), R(8, 0) }, OD, SLOWER(20, 20),
	  .yardstick = GATE_SHARES },
	{ "20 x 20, --scale=machine", { R(3, 0), R(5, 0), R(8, 0) }, OD,
	  SLOWER(20, 20), .yardstick = GATE_TYPICAL },
	{ "25 x 20, --test-against=5", { R(3, 0), R(5, 0), R(8, 0) }, OD,
	  SLOWER(25, 20), .against = .05 },
	{ "20 x 20, budget handle <= +5%", { R(3, 0), R(5, 0), R(8, 0) }, OD,
	  SLOWER(20, 20), .budget = "handle <= +5%\n" },
	{ "20 x 20, budget /handle/ <= +5%", { R(3, 0), R(5, 0), R(8, 0) }, OD,
	  SLOWER(20, 20), .budget = "/handle/ <= +5%\n" },
	{ "lock waits 3 times longer, as many", { R(3, .9) }, OD, SLOWER(0, 20),
	  .weight = WAITS, .weight_by = 3 },
	{ "cpu ns doubled, as many samples", { R(3, .9) }, OD, SLOWER(0, 20),
	  .weight_by = 2 },
	{ "56 x 20, 1000 Hz against 100 Hz", { R(3, .95) }, OD, SLOWER(56, 20),
	  .hz = { 10, 1 } },
	{ "20 x 20, 3 sessions, days 3 %", { OF(15, 5, 0) }, OD, SLOWER(20, 20),
	  DAY(.03), .n_session = 3 },
	{ "20 x 20, 5 sessions, days 3 %", { OF(25, 5, 0) }, OD, SLOWER(20, 20),
	  DAY(.03), .n_session = 5 },
	{ "20 x 20, 8 sessions, days 3 %", { OF(40, 5, 0) }, OD, SLOWER(20, 20),
	  DAY(.03), .n_session = 8 },
	{ "20 x 20, 5 sessions, days are equal", { OF(25, 5, 0) }, OD, SLOWER(20, 20),
	  .n_session = 5 },
	{ "40 x 20, 5 sessions, days 3 %", { OF(25, 5, 0) }, OD, SLOWER(40, 20),
	  DAY(.03), .n_session = 5 },
};
/* clang-format on */

static const size_t n_setting = sizeof(settings) / sizeof(*settings);
static const size_t n_story = sizeof(stories) / sizeof(*stories);

static const char *
runs_of(const size_t *n)
{
	static char text[50];

	snprintf(text, sizeof(text), "%zuv%zu", n[0], n[1]);
	return text;
}

/* "1.90>1.07(1.2)": without the guards, with them, and its upper 99 % limit. */
static void
print_rate(const char *runs, struct rate r, const struct setting *s)
{
	double of = 100 / (double)r.trials;

	printf(" %s", runs);
	if (!s || !s->budget)
		printf(" %.2f >", of * (double)r.today);
	printf(" %.2f", of * (double)r.n);
	if (!s || s->is_alarm)
		printf(" (%.1f)", 100 * rate_high(r, 0.01));
	printf(" |");
	fflush(stdout);
}

static void
print_all(size_t trials, unsigned long seed, const char *only, const char *runs)
{
	for (size_t i = 0; i < n_setting; i++) {
		const struct setting *s = &settings[i];

		if (only && !strstr(s->what, only))
			continue;
		printf("| %s |", s->what);
		for (const struct size *z = s->size;
		     z < s->size + MAX_SIZE && z->n[0]; z++)
			if (!runs || !strcmp(runs, runs_of(z->n)))
				print_rate(runs_of(z->n),
					   simulate(s, z->n, trials, 0, seed),
					   s);
		putchar('\n');
	}
	for (size_t i = 0; i < n_story; i++) {
		const struct story *t = &stories[i];

		if (only && !strstr(t->what, only))
			continue;
		printf("| %s |", t->what);
		print_rate("5v5", tell(t, trials, seed), NULL);
		putchar('\n');
	}
}

/* Is the rate, surely (1 of 1,000), on the wrong side of what was promised? */
static void
check(const char *what, const char *runs, struct rate r, double most,
      double least)
{
	static int n;
	bool bad = (most > 0 && rate_low(r, 0.001) > most) ||
		   (least > 0 && rate_high(r, 0.001) < least);

	printf("%sok %d - %s, %s: %.1f%% of %zu\n", bad ? "not " : "", ++n,
	       what, runs, 100 * (double)r.n / (double)r.trials, r.trials);
	fflush(stdout);
}

static void
check_all(size_t trials, bool is_quick, unsigned long seed)
{
	size_t few = trials / (is_quick ? 12 : 6) + 1;

	for (size_t i = 0; i < n_setting * MAX_SIZE; i++) {
		const struct setting *s = &settings[i / MAX_SIZE];
		const struct size *z = &s->size[i % MAX_SIZE];
		double most = s->is_alarm ? z->target : 0;

		if (z->target > 0)
			check(s->what, runs_of(z->n),
			      simulate(s, z->n, most > 0 ? trials : few,
				       is_quick ? most : 0, seed),
			      most, most > 0 ? 0 : z->target);
	}
	for (size_t i = 0; i < n_story; i++) {
		struct rate r = tell(&stories[i], few, seed);

		check(stories[i].what, "5v5", r, stories[i].fails ? 0 : 0.04,
		      stories[i].fails ? 0.9 : 0);
	}
}

static size_t
count_checks(void)
{
	size_t n = n_story;

	for (size_t i = 0; i < n_setting * MAX_SIZE; i++)
		n += settings[i / MAX_SIZE].size[i % MAX_SIZE].target > 0;
	return n;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
	int at = *what ? 2 : 1;
	size_t trials = argc > at ? strtoul(argv[at], NULL, 10) : 1000;
	unsigned long seed =
		argc > at + 1 ? strtoul(argv[at + 1], NULL, 10) : 20261122;

	if (!*what) {
		print_all(trials, seed, getenv("ROW"), getenv("RUNS"));
		return 0;
	}
	printf("1..%zu\n", count_checks());
	check_all(trials, !strcmp(what, "--quick"), seed);
	return 0;
}
