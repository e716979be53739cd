/*
 * guard.c - what does not rely on the noise that was learnt: doc/gate.md,
 * "Guards". A row whose noise is not like that of other rows is judged too
 * surely by the test. So one that regressed or improved must also stand out
 * among all ways to split the runs, in which the sides mean nothing, and among
 * the differences between its own runs.
 */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"

#define MAX_ALL 12870    /* ways, up to which all are looked at */
#define N_DRAWN 4000     /* else so many; as large as no number of all ways */
#define N_DRAWN_ANY 1000 /* if every row can raise an alarm */
#define FEW_WAYS 100
#define ENOUGH_WAYS 500
#define TIE 1e-9

/* A row in all ways to split its runs. */
struct chance {
	const double *value;         /* by run */
	double mean, square;         /* of all runs; squares around the mean */
	double fixed, weight, least; /* of its variance; see statistic() */
};

/* A row that regressed, or improved. */
struct alarm {
	size_t row;
	double stat;
	struct chance x;
	bool holds; /* the guards let it through */
};

/* A comparison in one direction: what grew, or what shrank. */
struct direction {
	enum gate_side up;      /* the side that has more */
	double n[2];            /* runs of that side, and of the other */
	double grant[2];        /* by side: values are multiplied by this */
	struct gate_model pool; /* the noise of all runs as one side */
	struct gate_cell *pooled;
	double *value; /* as the test scales them, by row and run */
	double *total; /* by way: of the side with less */
	double *calm;  /* by way: the largest statistic of rows without alarm */
	struct alarm *alarm; /* the strongest first */
	size_t n_alarm;
};

struct guard {
	const struct gate_table *t;
	const struct gate_options *o; /* those of the table */
	struct gate_cell *cell;
	double per;            /* 1 / runs + 1 / runs */
	double *most;          /* by way: the largest statistic */
	uint32_t *split;       /* the runs that are taken for new, by way */
	size_t n_split, as_is; /* ways, and which one was recorded */
	struct direction dir[2];
};

/* --- the error of a row alone --- */

double
gate_own_error(const struct gate_table *t, const struct gate_cell *c,
	       const double *value, double grant)
{
	const struct gate_model *m = t->m;
	double sum[2] = { 0 }, square = 0, mean, n[2];
	double df = (double)t->n_run - 2;

	for (size_t i = 0; i < t->n_run; i++)
		sum[i >= t->n_side[0]] +=
			value[i] * t->scale[i] * (i < t->n_side[0] ? grant : 1);
	for (int s = 0; s < 2; s++)
		n[s] = (double)t->n_side[s];
	for (size_t i = 0; i < t->n_run; i++) {
		int s = i >= t->n_side[0];
		double off = value[i] * t->scale[i] * (s ? 1 : grant) -
			     sum[s] / n[s];

		square += off * off;
	}
	if (df <= 0)
		return 0;
	mean = (sum[0] + sum[1]) / (n[0] + n[1]);
	square = fmax(square / df,
		      m->clump * c->worth *
			      (m->event[0] * n[0] + m->event[1] * n[1]) /
			      (n[0] + n[1]) * mean);
	return sqrt(square * (1 / n[0] + 1 / n[1]) +
		    pow(t->o->build_noise * mean, 2));
}

/* Is the family one function, its flat and its cum? */
static bool
is_alone(const struct gate_table *t)
{
	size_t n = 0;

	for (size_t r = 0; r < t->n; r++)
		n += t->row[r].is_test;
	return n <= 2;
}

/* The number of ways to split the runs: all, or as many as are drawn. */
static size_t
count_ways(const struct guard *g)
{
	bool any = g->o->min_change <= 0 && g->o->min_share <= 0;
	size_t drawn = any ? N_DRAWN_ANY : N_DRAWN;
	double all = 1, most = any ? N_DRAWN_ANY : MAX_ALL;

	for (size_t i = 1; i <= g->t->n_side[1] && all <= most; i++)
		all = all * (double)(g->t->n_side[0] + i) / (double)i;
	return all <= most ? (size_t)(all + 0.5) : drawn;
}

/* How many ways may show as much. */
static double
split_limit(const struct guard *g)
{
	double ways = (double)g->n_split, limit = g->o->alpha * ways;
	size_t few = g->t->n_side[0], many = g->t->n_side[1];

	if (few > many) {
		many = few;
		few = g->t->n_side[1];
	}
	if (g->n_split < FEW_WAYS)
		return 1;
	if (g->n_split < ENOUGH_WAYS && many <= 2 * few)
		limit *= 2;
	return fmax(1, floor(limit));
}

/* --- the ways --- */

/* All choices of k of n runs, in order: the last is what was recorded. */
static void
list_all(struct guard *g, uint32_t k, uint32_t n)
{
	uint32_t *at = g->split;

	for (uint32_t i = 0; i < k; i++)
		at[i] = i;
	for (size_t s = 1; s < g->n_split; s++) {
		uint32_t *next = at + k, i = k;

		memcpy(next, at, k * sizeof(*next));
		while (next[i - 1] == n - k + i - 1)
			i--;
		for (uint32_t first = ++next[i - 1]; i < k; i++)
			next[i] = ++first;
		at = next;
	}
}

/* Choices at random, the same everywhere; the first is what was recorded. */
static enum prof_status
list_drawn(struct guard *g, uint32_t k, uint32_t n, struct prof_err *err)
{
	uint32_t *run = gate_zeros(g->t->arena, n, sizeof(*run));
	uint64_t state = 1;

	if (!run)
		return prof_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		run[i] = i;
	memcpy(g->split, run + n - k, k * sizeof(*run));
	for (size_t s = 1; s < g->n_split; s++)
		for (uint32_t i = 0; i < k; i++) {
			uint32_t at =
				i + (uint32_t)(gate_mix(state += GATE_STEP) %
					       (n - i));
			uint32_t chosen = run[at];

			run[at] = run[i];
			run[i] = g->split[s * k + i] = chosen;
		}
	return PROF_OK;
}

static enum prof_status
list_splits(struct guard *g, struct prof_err *err)
{
	uint32_t k = (uint32_t)g->t->n_side[1], n = (uint32_t)g->t->n_run;

	g->split = gate_zeros(g->t->arena, g->n_split * k, sizeof(*g->split));
	g->most = gate_zeros(g->t->arena, g->n_split, sizeof(*g->most));
	if (!g->split || !g->most)
		return prof_nomem(err);
	if (g->n_split == N_DRAWN || g->n_split == N_DRAWN_ANY)
		return list_drawn(g, k, n, err);
	g->as_is = g->n_split - 1;
	list_all(g, k, n);
	return PROF_OK;
}

/* --- the noise of all runs as one side --- */

static enum prof_status
learn_pool(const struct guard *g, struct direction *x, struct prof_err *err)
{
	const struct gate_table *t = g->t;
	size_t n = t->n_run;
	struct gate_options o = *g->o;
	struct gate_series *row = gate_zeros(t->arena, t->n, sizeof(*row));
	double *square = gate_zeros(t->arena, t->n * n, sizeof(*square));
	struct gate_table all = { t->n, n,        { n, 0 }, row,      NULL,
				  &o,   t->arena, &x->pool, x->pooled };

	o.yardstick = GATE_VALUES;
	if (!row || !square)
		return prof_nomem(err);
	for (size_t r = 0; r < t->n; r++) {
		row[r] = t->row[r];
		row[r].value = x->value + r * n;
		row[r].square = square + r * n;
		for (size_t i = 0; i < n; i++) {
			double f = t->scale[i] * x->grant[i >= t->n_side[0]];

			x->value[r * n + i] = t->row[r].value[i] * f;
			square[r * n + i] = t->row[r].square[i] * f * f;
		}
	}
	return gate_learn(&all, err);
}

static struct chance
chance_of(const struct guard *g, const struct direction *dir, size_t r)
{
	const struct gate_model *m = &dir->pool;
	const struct gate_cell *c = &dir->pooled[r];
	double mu = c->mean[0], df = (double)g->t->n_run - 2, prior, d0;
	struct chance x = { .mean = mu, .value = dir->value + r * g->t->n_run };

	gate_prior(m, c->size * c->mix, &d0);
	x.least = m->clump * c->worth * m->event[0] * mu;
	prior = c->free_share * (x.least + m->runs * c->mix * mu * mu);
	if (g->o->yardstick != GATE_SHARES)
		prior += mu * mu * gate_machine_var(m, c, 0);
	x.fixed = d0 * prior / (d0 + df) * g->per +
		  pow(g->o->build_noise * mu, 2);
	x.weight = df / (d0 + df) * g->per;
	for (size_t i = 0; i < g->t->n_run; i++)
		x.square += pow(x.value[i] - mu, 2);
	return x;
}

/* --- the statistic --- */

/* The least growth that matters, from the mean of a row and of the total. */
static double
relevant(const struct gate_options *o, double less, double total)
{
	return (fmax(o->min_change * less, o->min_share * total) -
		o->against * less) /
	       (1 + o->against);
}

/* The sum, over runs that are taken for the side with more, of their distance
 * from the mean of all. */
static double
sum_off(const struct guard *g, const struct direction *dir,
	const struct chance *x, const uint32_t *run)
{
	double n = (double)g->t->n_side[1], sum = 0;

	for (size_t i = 0; i < g->t->n_side[1]; i++)
		sum += x->value[run[i]];
	return dir->up == GATE_NEW ? sum - n * x->mean : n * x->mean - sum;
}

/*
 * The growth in a way to split the runs over its standard error, if that is
 * more than most; else most. What does not matter raises no alarm.
 */
static double
raised(const struct guard *g, const struct direction *dir,
       const struct chance *x, size_t way, double most)
{
	double off = sum_off(g, dir, x, g->split + way * g->t->n_side[1]);
	double change = off * g->per, less = x->mean - off / dir->n[1];
	double own, var;

	if (change <= 0 ||
	    change < relevant(g->o, less, dir->total[way]) * (1 - 1e-12))
		return most;
	own = (x->square - off * off * g->per) / ((double)g->t->n_run - 2);
	var = x->fixed + x->weight * fmax(own, x->least);
	if (most > 0 && change * change <= most * most * var)
		return most;
	return change / sqrt(var);
}

static void
raise_all(const struct guard *g, const struct direction *dir,
	  const struct chance *x, double *most)
{
	for (size_t s = 0; s < g->n_split; s++)
		most[s] = raised(g, dir, x, s, most[s]);
}

static double
mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

/* Can row r raise an alarm in any way? total: the least that it can be. */
static bool
may_alarm(const struct guard *g, const struct direction *dir, size_t r,
	  double total)
{
	const double *v = dir->value + r * g->t->n_run;
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < g->t->n_run; i++) {
		low = fmin(low, v[i]);
		high = fmax(high, v[i]);
	}
	return g->t->row[r].is_test && high > 0 &&
	       high - low >= relevant(g->o, low, total) * (1 - 1e-9);
}

/* --- rows --- */

static int
cmp_alarms(const void *a, const void *b)
{
	const struct alarm *x = a, *y = b;

	if (x->stat != y->stat)
		return x->stat < y->stat ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* What a row varies by on the side whose runs differ more. */
static void
set_own_range(const struct guard *g, const double *v, struct gate_cell *c)
{
	double most = -1;

	for (int s = 0; s < 2; s++) {
		size_t n = g->t->n_side[s];
		const double *run = v + (s ? g->t->n_side[0] : 0);
		double mean = mean_of(run, n), square = 0;
		double low = INFINITY, high = 0;

		for (size_t i = 0; i < n; i++) {
			square += pow(run[i] - mean, 2);
			low = fmin(low, run[i]);
			high = fmax(high, run[i]);
		}
		if (square <= most)
			continue;
		most = square;
		c->own_low = low;
		c->own_high = high;
	}
}

static void
set_own_p(const struct guard *g, const struct direction *dir,
	  const struct alarm *a)
{
	struct gate_cell *c = &g->cell[a->row];
	double grant = dir->grant[0] / dir->grant[1];
	double change = c->after - grant * c->before;
	double error = gate_own_error(g->t, c, g->t->row[a->row].value, grant);

	if (dir->up == GATE_BASE)
		change = -change;
	c->p_own = g->o->dist->t_upper(change / error, (double)g->t->n_run - 2);
	set_own_range(g, g->t->row[a->row].value, c);
}

/* Which alarms are there in a direction, how strong, and how strong does the
 * rest become by chance? */
static enum prof_status
find_alarms(const struct guard *g, struct direction *dir, struct prof_err *err)
{
	enum gate_verdict verdict =
		dir->up == GATE_NEW ? GATE_REGRESSED : GATE_IMPROVED;
	enum prof_status st = learn_pool(g, dir, err);
	double least = INFINITY;
	struct chance total;

	if (st != PROF_OK)
		return st;
	total = chance_of(g, dir, 0);
	for (size_t s = 0; s < g->n_split; s++) {
		const uint32_t *run = g->split + s * g->t->n_side[1];

		dir->total[s] =
			total.mean - sum_off(g, dir, &total, run) / dir->n[1];
		least = fmin(least, dir->total[s]);
		dir->calm[s] = -1;
	}
	for (size_t r = 0; r < g->t->n; r++) {
		enum gate_verdict v = g->cell[r].verdict;
		struct chance x = chance_of(g, dir, r);

		if (v == verdict) {
			struct alarm *a = &dir->alarm[dir->n_alarm++];

			*a = (struct alarm){ .row = r, .x = x };
			a->stat = raised(g, dir, &x, g->as_is, -1);
			set_own_p(g, dir, a);
		} else if (v != GATE_REGRESSED && v != GATE_IMPROVED &&
			   may_alarm(g, dir, r, least)) {
			raise_all(g, dir, &x, dir->calm);
		}
	}
	qsort(dir->alarm, dir->n_alarm, sizeof(*dir->alarm), cmp_alarms);
	return PROF_OK;
}

/*
 * In how many ways does a row show as much as each alarm of a direction? Weaker
 * alarms and rows without one count (after Westfall and Young), stronger ones
 * do not; of the other direction, those that do not hold: what surely shrank
 * would grow if the sides were swapped. Returns whether more hold than before.
 */
static bool
judge_alarms(const struct guard *g, struct direction *dir,
	     const struct direction *other)
{
	double limit = split_limit(g);
	size_t extreme = 1;
	bool more = false;

	memcpy(g->most, dir->calm, g->n_split * sizeof(*g->most));
	for (size_t j = 0; j < other->n_alarm; j++)
		if (!other->alarm[j].holds) {
			struct chance x =
				chance_of(g, dir, other->alarm[j].row);

			raise_all(g, dir, &x, g->most);
		}
	for (size_t j = dir->n_alarm; j-- > 0;) {
		const struct alarm *a = &dir->alarm[j];
		size_t n = 0;

		raise_all(g, dir, &a->x, g->most);
		for (size_t s = 0; s < g->n_split; s++)
			n += g->most[s] >= a->stat * (1 - TIE);
		g->cell[a->row].n_extreme = n;
	}
	for (size_t j = 0; j < dir->n_alarm; j++) {
		struct alarm *a = &dir->alarm[j];
		struct gate_cell *c = &g->cell[a->row];

		if (c->n_extreme > extreme)
			extreme = c->n_extreme;
		c->n_extreme = extreme;
		c->n_split = g->n_split;
		c->guard = (double)extreme > limit         ? GATE_BY_SPLITS
			   : c->p_own > g->t->m->own_level ? GATE_BY_ITSELF
							   : GATE_UNGUARDED;
		more |= !c->guard && !a->holds;
		a->holds = !c->guard;
	}
	return more;
}

static enum prof_status
judge_both(struct guard *g, struct prof_err *err)
{
	enum prof_status st = list_splits(g, err);
	struct direction *up = &g->dir[0], *down = &g->dir[1];

	for (int i = 0; st == PROF_OK && i < 2; i++)
		st = find_alarms(g, &g->dir[i], err);
	if (st != PROF_OK)
		return st;
	judge_alarms(g, up, down);
	while (judge_alarms(g, down, up) && judge_alarms(g, up, down))
		;
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < g->dir[i].n_alarm; j++)
			if (!g->dir[i].alarm[j].holds)
				g->cell[g->dir[i].alarm[j].row].verdict =
					GATE_INCONCLUSIVE;
	return PROF_OK;
}

static enum prof_status
direction_init(struct direction *x, const struct guard *g, enum gate_side up,
	       struct prof_err *err)
{
	const struct gate_table *t = g->t;
	size_t n = t->n;

	x->up = up;
	x->n[0] = (double)t->n_side[up];
	x->n[1] = (double)t->n_side[!up];
	x->grant[up] = 1;
	x->grant[!up] = 1 + g->o->against;
	x->alarm = gate_zeros(t->arena, n, sizeof(*x->alarm));
	x->value = gate_zeros(t->arena, n * t->n_run, sizeof(*x->value));
	x->pooled = gate_zeros(t->arena, n, sizeof(*x->pooled));
	x->total = gate_zeros(t->arena, g->n_split, sizeof(*x->total));
	x->calm = gate_zeros(t->arena, g->n_split, sizeof(*x->calm));
	return x->alarm && x->value && x->pooled && x->total && x->calm
		       ? PROF_OK
		       : prof_nomem(err);
}

enum prof_status
gate_guard(const struct gate_table *t, struct prof_err *err)
{
	struct guard g = { .t = t, .o = t->o, .cell = t->cell };
	struct gate_model *m = t->m;
	enum prof_status st = PROF_OK;
	bool any = false;
	double seen;

	if (m->df <= 0)
		return PROF_OK;
	g.per = 1 / (double)t->n_side[0] + 1 / (double)t->n_side[1];
	m->n_split = g.n_split = count_ways(&g);
	m->own_level = g.n_split < FEW_WAYS || is_alone(t) ? t->o->alpha
							   : t->o->alpha / 2;
	seen = t->o->dist->t_quantile(m->own_level, m->df) +
	       t->o->dist->t_quantile(0.1, m->df);
	for (size_t r = 0; r < t->n; r++) {
		struct gate_cell *c = &t->cell[r];

		c->own_error = gate_own_error(t, c, t->row[r].value, 1);
		c->detectable = fmax(c->detectable, seen * c->own_error);
		any |= c->verdict == GATE_REGRESSED ||
		       c->verdict == GATE_IMPROVED;
	}
	for (int i = 0; any && st == PROF_OK && i < 2; i++)
		st = direction_init(&g.dir[i], &g, i ? GATE_BASE : GATE_NEW,
				    err);
	return any && st == PROF_OK ? judge_both(&g, err) : st;
}
