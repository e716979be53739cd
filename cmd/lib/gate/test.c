/*
 * test.c - from counts to verdicts; see doc/gate.md for the reasons.
 *
 * Counts are Poisson with extra variance between runs, mu + rate * mu^2 where
 * the rate is learnt from all functions together and weighed against what the
 * function itself shows. The difference is tested at a level that makes a false
 * alarm anywhere as rare as alpha: the chance that noise alone makes a
 * function pass is at most the level, and at most its chance to reach the
 * smallest relevant change, so small functions, which can't, cost nothing.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"

#define MIN_MEAN 5.0     /* of a count per run that tells about the noise */
#define MAX_PRIOR 1.0    /* of what others may lend: times the own degrees */
#define MIN_CHANCE 1e-12 /* of a false alarm that is worth counting */
#define CAUTION 0.5      /* standard errors of an estimated variance */
#define DETECT_MISS 0.1  /* a detectable change is missed this often */

/* One test: a row and a kind. */
struct hypothesis {
	struct gate_cell *cell;
	const double *count; /* n_run, for telling equal ones */
	double chance;       /* that noise reaches the relevant change */
};

static double
mean_count(const struct gate *g, const double *count)
{
	double sum = 0;

	for (size_t i = 0; i < g->n_run; i++)
		sum += count[i];
	return sum / (double)g->n_run;
}

/* Pearson's sum over the runs, each side around its own rate. */
static double
chi_square(const struct gate *g, const double *count)
{
	double y[2] = { 0 }, x = 0;

	for (size_t i = 0; i < g->n_run; i++)
		y[g->run[i].side] += count[i];
	for (size_t i = 0; i < g->n_run; i++) {
		enum gate_side s = g->run[i].side;
		double want = y[s] / g->exposure[s] * g->run[i].exposure;

		if (want > 0)
			x += (count[i] - want) * (count[i] - want) / want;
	}
	return x;
}

static int
cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What one function says of the rate, and how much it weighs. */
struct vote {
	double rate, mu;
};

static int
cmp_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	return (x->rate > y->rate) - (x->rate < y->rate);
}

/* The rate at which half of the weight lies on either side; not below 0. */
static double
median_rate(struct vote *v, size_t n)
{
	double half = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		half += v[i].mu / 2;
	qsort(v, n, sizeof(*v), cmp_votes);
	for (size_t i = 0; i < n; i++) {
		sum += v[i].mu;
		if (sum >= half)
			return fmax(0, v[i].rate);
	}
	return 0;
}

/*
 * Learn the rate from the flat counts: they share no samples, so they are as
 * good as independent. The median, as some functions, collectors and locks,
 * are much noisier than others; they are left to their own counts.
 */
static enum prof_status
learn_noise(struct gate *g, double *count, struct prof_err *err)
{
	struct gate_noise *n = &g->noise;
	struct vote *vote;
	double median;

	n->df = (double)g->n_run - 2;
	n->mu = arena_array(g->arena, g->n_row + 1, sizeof(*n->mu));
	n->sum = arena_array(g->arena, g->n_row + 1, sizeof(*n->sum));
	vote = arena_array(g->arena, g->n_row + 1, sizeof(*vote));
	if (!n->mu || !n->sum || !vote)
		return prof_nomem(err);
	if (n->df <= 0)
		return PROF_OK;
	/* Of chi square over its degrees of freedom (Wilson and Hilferty). */
	median = pow(1 - 2 / (9 * n->df), 3);
	for (size_t r = 0; r < g->n_row; r++) {
		double mu;

		for (size_t i = 0; i < g->n_run; i++)
			count[i] = gate_run_count(&g->run[i], GATE_FLAT, r);
		mu = mean_count(g, count);
		if (mu < MIN_MEAN)
			continue;
		vote[n->n] = (struct vote){
			(chi_square(g, count) / n->df / median - 1) / mu, mu
		};
		n->mu[n->n++] = mu;
	}
	n->rate = median_rate(vote, n->n);
	qsort(n->mu, n->n, sizeof(*n->mu), cmp_double);
	n->sum[0] = 0;
	for (size_t i = 0; i < n->n; i++)
		n->sum[i + 1] = n->sum[i] + n->mu[i] * n->mu[i];
	return PROF_OK;
}

/*
 * How many degrees of freedom the rate is worth for a function with mean mu.
 * Others with smaller counts say less about it, by the square of the ratio.
 */
static double
lent_df(const struct gate_noise *n, double mu)
{
	size_t lo = 0, hi = n->n;

	if (mu <= 0)
		return MAX_PRIOR * n->df;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (n->mu[mid] < mu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return fmin(MAX_PRIOR * n->df,
		    n->df * (n->sum[lo] / mu / mu + (double)(n->n - lo)));
}

static void
set_dispersion(const struct gate *g, const double *count, struct gate_cell *c)
{
	const struct gate_noise *n = &g->noise;
	double mu = mean_count(g, count), lent, df, extra;

	c->dispersion = 1;
	c->df = INFINITY;
	if (n->df <= 0)
		return;
	lent = lent_df(n, mu);
	df = n->df + lent;
	c->dispersion = (chi_square(g, count) + lent * (1 + n->rate * mu)) / df;
	c->dispersion = fmax(1, c->dispersion);
	/*
	 * Only what goes beyond Poisson was estimated (Satterthwaite), and
	 * that may be too low, at 1 in particular, by its own error.
	 */
	extra = c->dispersion - 1 + CAUTION * sqrt(2 / df);
	c->df = df * pow(c->dispersion / extra, 2);
	c->df = fmax(df, c->df);
}

/* Standard error of the difference of rates when there is none. */
static double
null_error(const struct gate *g, const struct gate_cell *c)
{
	double rate =
		(c->n_before + c->n_after) / (g->exposure[0] + g->exposure[1]);

	return sqrt(c->dispersion * rate *
		    (1 / g->exposure[0] + 1 / g->exposure[1]));
}

/* What a sample is worth, in values. */
static double
worth(const struct gate *g, const struct gate_cell *c)
{
	double n = c->n_before + c->n_after;
	double v = c->before * g->exposure[0] + c->after * g->exposure[1];

	return n > 0 ? v / n : 0;
}

static void
set_p(const struct gate *g, const struct gate_dist *d, struct gate_cell *c)
{
	double part = g->exposure[1] / (g->exposure[0] + g->exposure[1]);
	double before = round(c->n_before), after = round(c->n_after);
	double se = null_error(g, c), t;
	double up = d->binomial_upper(after, before + after, part);
	double down = d->binomial_upper(before, before + after, 1 - part);

	/* Given their sum, the counts of one profile a side are binomial. */
	c->p_up = up;
	c->p_down = down;
	if (g->noise.df <= 0 || se <= 0)
		return;
	t = (c->n_after / g->exposure[1] - c->n_before / g->exposure[0]) / se;
	/* At small counts the exact test knows better, if it is less sure. */
	c->p_up = fmax(up, d->t_upper(t, c->df));
	c->p_down = fmax(down, d->t_upper(-t, c->df));
}

void
gate_test_cell(const struct gate *g, const struct gate_dist *d,
	       const double *count, const double *value, struct gate_cell *c)
{
	double y[2] = { 0 }, v[2] = { 0 }, half;
	const double *e = g->exposure;

	for (size_t i = 0; i < g->n_run; i++) {
		y[g->run[i].side] += count[i];
		v[g->run[i].side] += value[i];
	}
	c->before = v[0] / e[0];
	c->after = v[1] / e[1];
	c->n_before = y[0];
	c->n_after = y[1];
	set_dispersion(g, count, c);
	set_p(g, d, c);
	/* Half a sample more on each side: none seen is not none. */
	half = d->t_quantile((1 - g->o.confidence) / 2, c->df) * worth(g, c) *
	       sqrt(c->dispersion *
		    ((y[0] + 0.5) / e[0] / e[0] + (y[1] + 0.5) / e[1] / e[1]));
	c->low = c->after - c->before - half;
	c->high = c->after - c->before + half;
}

void
gate_test_verdict(const struct gate *g, const struct gate_dist *d,
		  struct gate_cell *c)
{
	double change = c->after - c->before;
	double se = null_error(g, c) * worth(g, c);

	c->relevant = fmax(g->o.min_change * c->before,
			   g->o.min_share * g->total.before);
	c->detectable = fmax(d->t_quantile(c->limit, c->df) * se, c->relevant) +
			d->t_quantile(DETECT_MISS, c->df) * se;
	if (c->p_up <= c->limit && change >= c->relevant && change > 0)
		c->verdict = GATE_REGRESSED;
	else if (c->p_down <= c->limit && -change >= c->relevant && change < 0)
		c->verdict = GATE_IMPROVED;
	else if ((c->low > -c->relevant && c->high < c->relevant) ||
		 c->n_before + c->n_after <= 0)
		c->verdict = GATE_UNCHANGED;
	else
		c->verdict = GATE_INCONCLUSIVE;
}

/* --- the level --- */

/* The chance that noise alone grows c by as much as matters. */
static double
chance_of(const struct gate *g, const struct gate_dist *d,
	  const struct gate_cell *c)
{
	double e = g->exposure[0] + g->exposure[1];
	double value =
		(c->before * g->exposure[0] + c->after * g->exposure[1]) / e;
	double total = (g->total.before * g->exposure[0] +
			g->total.after * g->exposure[1]) /
		       e;
	double se = null_error(g, c) * worth(g, c);
	double relevant = fmax(g->o.min_change * value, g->o.min_share * total);

	return se > 0 ? d->t_upper(relevant / se, c->df) : 0;
}

static int
cmp_chance(const void *a, const void *b)
{
	const struct hypothesis *x = a, *y = b;

	return (x->chance > y->chance) - (x->chance < y->chance);
}

static bool
same_test(const struct hypothesis *a, const struct hypothesis *b, size_t n_run)
{
	return a->chance == b->chance &&
	       !memcmp(a->count, b->count, n_run * sizeof(*a->count));
}

/*
 * The largest level at which the chances, each capped by it, sum up to no more
 * than alpha. Functions with the same samples, main() and what it calls, are
 * one test; equal counts have equal chances, so they are neighbours.
 */
static double
find_level(struct gate *g, struct hypothesis *h, size_t n)
{
	double left = g->o.alpha, level = g->o.alpha;
	size_t n_unique = 0;

	qsort(h, n, sizeof(*h), cmp_chance);
	for (size_t i = 0; i < n; i++) {
		bool is_new = true;

		for (size_t k = n_unique; is_new && k > 0; k--) {
			if (h[k - 1].chance != h[i].chance)
				break;
			is_new = !same_test(&h[k - 1], &h[i], g->n_run);
		}
		if (is_new)
			h[n_unique++] = h[i];
	}
	g->n_test = n_unique;
	for (size_t i = 0; i < n_unique; i++) {
		level = left / (double)(n_unique - i);
		if (level <= h[i].chance)
			break;
		left -= h[i].chance;
		g->n_test--;
	}
	return fmin(level, g->o.alpha);
}

/* --- all rows --- */

struct judge {
	struct gate *g;
	const struct gate_dist *d;
	double *count; /* of one row, n_run */
	double *value;
	double *kept; /* counts of hypotheses, n_run each */
	struct hypothesis *h;
	size_t n_h;
};

static void
judge_total(struct judge *j)
{
	struct gate *g = j->g;

	for (size_t i = 0; i < g->n_run; i++) {
		j->count[i] = g->run[i].total.count;
		j->value[i] = g->run[i].total.value;
	}
	gate_test_cell(g, j->d, j->count, j->value, &g->total);
}

static void
judge_row(struct judge *j, size_t row)
{
	struct gate *g = j->g;

	for (int kind = 0; kind < 2; kind++) {
		struct gate_cell *c = &g->row[row].cell[kind];
		struct hypothesis *h = &j->h[j->n_h];
		double *kept = j->kept + j->n_h * g->n_run;

		for (size_t i = 0; i < g->n_run; i++) {
			j->count[i] = gate_run_count(&g->run[i], kind, row);
			j->value[i] = gate_run_value(&g->run[i], kind, row);
		}
		gate_test_cell(g, j->d, j->count, j->value, c);
		*h = (struct hypothesis){ c, kept, chance_of(g, j->d, c) };
		/* Many thousand of these cost together less than rounding. */
		if (!g->row[row].is_wanted || h->chance < MIN_CHANCE)
			continue;
		memcpy(kept, j->count, g->n_run * sizeof(*kept));
		j->n_h++;
	}
}

void
gate_settle_row(struct gate_row *r)
{
	const struct gate_cell *flat = &r->cell[GATE_FLAT];
	const struct gate_cell *cum = &r->cell[GATE_CUM];

	r->kind = GATE_CUM;
	if (flat->verdict > cum->verdict ||
	    (flat->verdict == cum->verdict && cum->before + cum->after > 0 &&
	     flat->verdict == GATE_REGRESSED &&
	     fabs(flat->after - flat->before) >=
		     fabs(cum->after - cum->before)))
		r->kind = GATE_FLAT;
	r->verdict = r->cell[r->kind].verdict;
}

static int
cmp_rows(const void *a, const void *b, void *ctx)
{
	const struct gate *g = ctx;
	const struct gate_row *x = &g->row[*(const uint32_t *)a];
	const struct gate_row *y = &g->row[*(const uint32_t *)b];
	const struct gate_cell *cx = &x->cell[x->kind], *cy = &y->cell[y->kind];
	double dx = fabs(cx->after - cx->before);
	double dy = fabs(cy->after - cy->before);

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? 1 : -1;
	if (x->is_carrier != y->is_carrier)
		return x->is_carrier ? 1 : -1;
	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strtab_cmp(&g->names, x->name, y->name);
}

static enum prof_status
settle(struct gate *g, struct prof_err *err)
{
	size_t n = 0;

	g->order = arena_array(g->arena, g->n_row, sizeof(*g->order));
	if (!g->order)
		return prof_nomem(err);
	for (uint32_t i = 0; i < g->n_row; i++) {
		if (!g->row[i].is_wanted)
			continue;
		gate_settle_row(&g->row[i]);
		g->n_verdict[g->row[i].verdict]++;
		g->order[n++] = i;
	}
	qsort_r(g->order, n, sizeof(*g->order), cmp_rows, g);
	g->n_order = n;
	g->verdict = GATE_UNCHANGED;
	if (g->n_verdict[GATE_IMPROVED])
		g->verdict = GATE_IMPROVED;
	if (g->n_verdict[GATE_INCONCLUSIVE])
		g->verdict = GATE_INCONCLUSIVE;
	if (g->n_verdict[GATE_REGRESSED])
		g->verdict = GATE_REGRESSED;
	return PROF_OK;
}

static enum prof_status
judge_rows(struct judge *j, struct prof_err *err)
{
	struct gate *g = j->g;
	enum prof_status st;

	for (size_t i = 0; i < g->n_run; i++)
		g->exposure[g->run[i].side] += g->run[i].exposure;
	st = learn_noise(g, j->count, err);
	if (st != PROF_OK)
		return st;
	judge_total(j);
	for (size_t r = 0; r < g->n_row; r++)
		judge_row(j, r);
	g->limit = find_level(g, j->h, j->n_h);
	g->total.limit = g->limit;
	gate_test_verdict(g, j->d, &g->total);
	for (size_t r = 0; r < g->n_row; r++) {
		for (int kind = 0; kind < 2; kind++) {
			g->row[r].cell[kind].limit = g->limit;
			gate_test_verdict(g, j->d, &g->row[r].cell[kind]);
		}
	}
	st = gate_explain(g, j->d, err);
	return st == PROF_OK ? settle(g, err) : st;
}

enum prof_status
gate_judge(struct gate *g, const struct gate_dist *d, struct prof_err *err)
{
	struct judge j = { .g = g, .d = d };
	size_t n = 2 * g->n_row + 1;
	enum prof_status st;

	if (!g->n_side[GATE_BASE] || !g->n_side[GATE_NEW])
		return prof_fail(err, PROF_EUSAGE, "no %s profile",
				 g->n_side[GATE_BASE] ? "new" : "base");
	j.count = calloc(g->n_run, sizeof(*j.count));
	j.value = calloc(g->n_run, sizeof(*j.value));
	j.kept = calloc(n * g->n_run, sizeof(*j.kept));
	j.h = calloc(n, sizeof(*j.h));
	if (j.count && j.value && j.kept && j.h)
		st = judge_rows(&j, err);
	else
		st = prof_nomem(err);
	free(j.h);
	free(j.kept);
	free(j.value);
	free(j.count);
	return st;
}
