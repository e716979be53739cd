/*
 * noise.c - how much a sum varies without a change: doc/gate.md, "Noise". The
 * residuals of a row are those of its share of the total, within each side. How
 * they depend on size is estimated from all functions by summing over a grid,
 * as an optimizer may fail to converge. The row's own residuals are weighed
 * against that estimate.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"

enum { N_CLUMP = 20, N_RUNS = 14, N_NU = 6 };
enum { MAX_LOUD = 3 }; /* rounds */

#define CLUMP_STEP 1.3
#define MIN_EVENTS 5.0 /* per run, of a function used to estimate noise */
#define MAX_SHARE 0.9  /* of the total: its share can hardly vary */
#define MAX_ROWS 256   /* used: those with the most events */
#define MIN_REFIT 10   /* rows needed to drop some */
#define LOUD 4.0       /* times the variance of the totals without it */
#define MAX_PRIOR_DF 1e4
#define MIN_RHO 1e-3
#define MIN_FREE 1e-6
#define HOPELESS 30.0   /* below the best log likelihood: ignored */
#define OUTLIER 0.2     /* tail probability that makes the prior count less */
#define FEW_ROWS 5      /* too few for a typical one */
#define ROW_EVENTS 20.0 /* per run, for a useful ratio */
#define MACHINE_NOISE 0.01
#define MACHINE_DF 4.0
#define MACHINE_OUTLIER 0.5

static const double grid_runs[N_RUNS] = { 0,   .005, .01, .015, .02, .03, .04,
					  .06, .08,  .12, .16,  .24, .34, .48 };
static const double grid_nu[N_NU] = { 1.5, 3, 6, 12, 24, 48 };

static double
prior_df(double clump, double runs, double nu, double size)
{
	double between = runs * size, rho = between / (clump + between);

	rho = fmax(rho, MIN_RHO);
	return fmin(nu / (rho * rho), MAX_PRIOR_DF);
}

double
gate_prior(const struct gate_model *m, double size, double *df)
{
	*df = prior_df(m->clump, m->runs, m->nu, size);
	return m->clump + m->runs * size;
}

/* --- sums and residuals of a row --- */

struct learning {
	const struct gate_table *t;
	struct gate_model *m; /* those of the table */
	struct gate_cell *cell;
	struct yard {           /* what shares are shares of */
		double *total;  /* of each run */
		double *target; /* what run i is scaled to */
	} whole, rest;          /* ... without functions that are loud */
	double *event;          /* h: worth of an event of run i */
	uint32_t *told;         /* rows used to estimate the noise */
	size_t n_told;
};

static double
side_mean(const struct gate_table *t, const double *v, int side)
{
	size_t from = side ? t->n_side[0] : 0;
	double sum = 0;

	for (size_t i = 0; i < t->n_side[side]; i++)
		sum += v[from + i];
	return sum / fmax((double)t->n_side[side], 1);
}

static int
side_of(const struct gate_table *t, size_t run)
{
	return run >= t->n_side[0];
}

static const struct yard *
yard_of(const struct learning *l, const struct gate_cell *c)
{
	return c->is_apart ? &l->rest : &l->whole;
}

/* Means, worth and events of row r. */
static void
set_sums(const struct learning *l, size_t r)
{
	const struct gate_table *t = l->t;
	const double *v = t->row[r].value;
	const double *q = t->row[r].square;
	double sum = 0, worth = 0;
	struct gate_cell *c = &l->cell[r];

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < t->n_run; i++) {
		sum += v[i];
		worth += q[i] / l->event[i];
	}
	c->mean[0] = side_mean(t, v, 0);
	c->mean[1] = side_mean(t, v, 1);
	c->worth = sum > 0 && worth > 0 ? worth / sum : 1;
	c->mix = 1;
	for (size_t i = 0; i < t->n_run; i++)
		c->events += v[i] / (c->worth * l->event[i]);
	c->events /= (double)t->n_run;
}

/* The share of row r, and its squared residuals over their variance by sampling
 * alone. */
static void
set_spread(const struct learning *l, size_t r)
{
	const struct gate_table *t = l->t;
	const struct gate_model *m = l->m;
	const double *v = t->row[r].value;
	struct gate_cell *c = &l->cell[r];
	const struct yard *y = yard_of(l, c);
	const double *total = c->is_apart ? m->rest : m->total;
	double mean[2] = { 0 }, chi = 0, n = 0, sum = 0, all = 0;

	c->size = c->own = 0;
	for (size_t i = 0; i < t->n_run; i++) {
		mean[side_of(t, i)] += v[i] * y->target[i] / y->total[i];
		sum += v[i];
		all += y->total[i];
	}
	c->free_share = fmax(1 - fmin(sum / all, 1), MIN_FREE);
	if (m->df > 0) {
		for (int s = 0; s < 2; s++)
			mean[s] /= fmax((double)t->n_side[s], 1);
	} else {
		mean[0] = mean[1] = (mean[0] + mean[1]) / 2;
	}
	for (size_t i = 0; i < t->n_run; i++) {
		int s = side_of(t, i);
		double scale = y->target[i] / total[s];
		double u = c->free_share * c->worth * l->event[i] * c->mean[s] *
			   scale * scale;
		double z = v[i] * y->target[i] / y->total[i] - mean[s];

		if (u <= 0)
			continue;
		n++;
		chi += z * z / u;
		c->size += c->free_share * c->mean[s] * c->mean[s] * scale *
			   scale / u;
	}
	c->size /= fmax(n, 1);
	for (int s = 0; s < 2; s++)
		if (c->mean[s] > 0)
			c->own += (double)t->n_side[s] - 1;
	if (m->df <= 0)
		c->own = c->mean[0] > 0 && c->mean[1] > 0;
	c->spread = chi / fmax(c->own, 1e-9);
}

/* --- one run a side: the ratio of the typical function --- */

struct vote {
	double value, weight, variance;
	uint32_t row;
};

static int
cmp_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Log ratios of new to base of the functions with enough events, ascending. */
static size_t
list_ratios(const struct learning *l, struct vote *vote)
{
	size_t n = 0;

	for (size_t r = 0; r < l->t->n; r++) {
		const struct gate_cell *c = &l->cell[r];

		if (l->t->row[r].is_flat && c->events >= ROW_EVENTS &&
		    c->mean[0] > 0 && c->mean[1] > 0)
			vote[n++] = (struct vote){
				.value = log(c->mean[1] / c->mean[0]),
				.weight = c->events,
				.row = (uint32_t)r,
			};
	}
	qsort(vote, n, sizeof(*vote), cmp_votes);
	return n;
}

static double
sum_weights(const struct vote *vote, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += vote[i].weight;
	return sum;
}

/* No vote may weigh more than an eighth of all. */
static void
cap_weights(struct vote *vote, size_t n)
{
	double most = sum_weights(vote, n) / 8;

	for (size_t i = 0; i < n; i++)
		vote[i].weight = fmin(vote[i].weight, most);
}

/* Their weighted median; 0 if there are too few. */
static double
median_ratio(const struct learning *l, struct vote *vote)
{
	size_t n = list_ratios(l, vote);
	double half, sum = 0;

	if (n < FEW_ROWS)
		return 0;
	cap_weights(vote, n);
	half = sum_weights(vote, n) / 2;
	for (size_t i = 0; i < n; i++) {
		sum += vote[i].weight;
		if (sum >= half)
			return vote[i].value;
	}
	return vote[n - 1].value;
}

/* The part of [low, high] that lies in [from, to]. */
static double
overlap(double low, double high, double from, double to)
{
	return fmax(0, fmin(high, to) - fmax(low, from));
}

/*
 * The mean log ratio of the middle half of the functions, by weight, and its
 * variance.
 */
static void
set_ratio(const struct learning *l, struct vote *vote)
{
	struct gate_model *m = l->m;
	size_t n = list_ratios(l, vote);
	double all, at = 0, sum = 0, kept = 0, spread = 0;

	if (n < FEW_ROWS)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct gate_cell *c = &l->cell[vote[i].row];
		double mean = (c->mean[0] + c->mean[1]) / 2, v = 0;

		for (int s = 0; s < 2; s++)
			v += (m->clump * c->worth * m->event[s] / mean +
			      m->runs) /
			     (double)m->n_side[s];
		vote[i].variance = c->factor * v;
		vote[i].weight = 1 / vote[i].variance;
	}
	for (int k = 0; k < 20; k++)
		cap_weights(vote, n);
	all = sum_weights(vote, n);
	for (size_t i = 0; i < n; i++) {
		double w = vote[i].weight;
		double in = overlap(at, at + w, all / 4, 3 * all / 4);

		at += w;
		sum += in * vote[i].value;
		kept += in;
		spread += w * w * vote[i].variance;
	}
	m->ratio = sum / kept;
	m->ratio_var = 1.2 * spread / (all * all);
	m->has_ratio = true;
}

/* --- the grid --- */

/*
 * Log likelihood, at a point of the grid, of the residuals of the rows used.
 * Each row adds log gamma((d + d0) / 2) - log gamma(d0 / 2) + d / 2 log(u) - (d
 * + d0) / 2 log(1 + x u), u = d / (d0 s0). For even d the first three terms are
 * the log of a product; one logarithm serves several rows.
 */
static double
log_likelihood(const struct learning *l, double d, double clump, double runs,
	       double nu)
{
	bool even = d <= 40 && fmod(d, 2) == 0; /* products do not overflow */
	double sum = 0, product = 1;
	int sign;

	for (size_t i = 0; i < l->n_told; i++) {
		const struct gate_cell *c = &l->cell[l->told[i]];
		double s0 = clump + runs * c->size;
		double d0 = prior_df(clump, runs, nu, c->size);
		double u = d / (d0 * s0);

		sum -= (d + d0) / 2 * log1p(c->spread * u);
		if (!even) {
			sum += lgamma_r((d + d0) / 2, &sign) -
			       lgamma_r(d0 / 2, &sign) + d / 2 * log(u);
			continue;
		}
		for (double k = 0; k < d / 2; k++)
			product *= (d0 / 2 + k) * u;
		if (product > 1e100 || product < 1e-100) {
			sum += log(product);
			product = 1;
		}
	}
	return sum + log(product);
}

/* Posterior means of clump, runs and 1 / nu, with a uniform prior over the
 * grid. */
static void
fit_noise(const struct learning *l, double d)
{
	static const size_t n = N_RUNS * N_NU;
	double ll[N_CLUMP][N_RUNS * N_NU], best = -INFINITY;
	double weight = 0, clump = 0, runs = 0, rate = 0, a = 1;
	int n_clump = 0;

	for (; n_clump < N_CLUMP; a *= CLUMP_STEP) {
		double here = -INFINITY;

		for (size_t k = 0; k < n; k++) {
			double sd = grid_runs[k / N_NU];

			ll[n_clump][k] = log_likelihood(l, d, a, sd * sd,
							grid_nu[k % N_NU]);
			here = fmax(here, ll[n_clump][k]);
		}
		n_clump++;
		best = fmax(best, here);
		if (here < best - HOPELESS)
			break;
	}
	a = 1;
	for (int i = 0; i < n_clump; i++, a *= CLUMP_STEP)
		for (size_t k = 0; k < n; k++) {
			double w = exp(ll[i][k] - best);
			double sd = grid_runs[k / N_NU];

			weight += w;
			clump += w * a;
			runs += w * sd * sd;
			rate += w / grid_nu[k % N_NU];
		}
	l->m->clump = clump / weight;
	l->m->runs = runs / weight;
	l->m->nu = weight / rate;
}

static int
cmp_told(const void *a, const void *b, void *ctx)
{
	const struct gate_cell *cell = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (cell[x].events != cell[y].events)
		return cell[x].events < cell[y].events ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* One run a side: drop rows that changed: their change would count as noise. */
static void
drop_changed(struct learning *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_told; i++) {
		const struct gate_cell *c = &l->cell[l->told[i]];
		double d0, s0 = gate_prior(l->m, c->size, &d0);

		if (l->t->o->dist->f_upper(c->spread / s0, 1, d0) > 0.05)
			l->told[kept++] = l->told[i];
	}
	l->n_told = kept;
}

static void
set_noise(struct learning *l)
{
	struct gate_model *m = l->m;
	double d = m->df > 0 ? m->df : 1;

	l->n_told = 0;
	for (size_t r = 0; r < l->t->n; r++) {
		const struct gate_cell *c = &l->cell[r];

		if (l->t->row[r].is_flat && c->is_apart &&
		    c->events >= MIN_EVENTS && c->own == d &&
		    1 - c->free_share < MAX_SHARE)
			l->told[l->n_told++] = (uint32_t)r;
	}
	qsort_r(l->told, l->n_told, sizeof(*l->told), cmp_told, l->cell);
	if (l->n_told > MAX_ROWS)
		l->n_told = MAX_ROWS;
	m->clump = 1;
	m->runs = 0.03 * 0.03;
	m->nu = 3;
	if (!l->n_told)
		return;
	fit_noise(l, d);
	if (m->df <= 0 && l->n_told >= MIN_REFIT) {
		drop_changed(l);
		fit_noise(l, d);
	}
}

/* --- a row between the others and itself; the machine --- */

static void
set_dispersion(const struct learning *l, struct gate_cell *c)
{
	const struct gate_model *m = l->m;

	c->prior = gate_prior(m, c->size * c->mix, &c->prior_df);
	if (m->df <= 0) {
		c->dispersion = c->prior;
		c->df_share = fmax(c->prior_df, 1.5);
	} else if (c->own > 0) {
		double tail = l->t->o->dist->f_upper(c->spread / c->prior,
						     c->own, c->prior_df);

		c->prior_df *= fmin(1, tail / OUTLIER);
		c->df_share = c->prior_df + c->own;
		c->dispersion = (c->prior_df * c->prior + c->own * c->spread) /
				c->df_share;
	} else {
		c->dispersion = c->prior;
		c->df_share = c->prior_df;
	}
	c->dispersion = fmax(1, c->dispersion);
	c->factor = c->dispersion / c->prior;
}

/*
 * The noise of a cum row against that of one function: were the noises of its
 * leaves independent, their variances would add up.
 */
static double
mix_of(const struct learning *l, const struct gate_series *s)
{
	double mix = 0;

	for (size_t i = 0; i < s->n_part; i++)
		mix += s->part[i].square *
		       fmax(1, l->cell[s->part[i].row].factor);
	return mix;
}

/* Flat rows first: cum rows are made of them. */
static void
set_dispersions(const struct learning *l)
{
	const struct gate_table *t = l->t;

	for (size_t r = 0; r < t->n; r++)
		if (!t->row[r].n_part)
			set_dispersion(l, &l->cell[r]);
	for (size_t r = 0; r < t->n; r++) {
		if (!t->row[r].n_part)
			continue;
		/* One run a side: the leaves' noise is a guess already. */
		if (l->m->df > 0)
			l->cell[r].mix = mix_of(l, &t->row[r]);
		set_dispersion(l, &l->cell[r]);
	}
}

/* The variance of the totals beyond sampling. */
static double
machine_of(const struct learning *l, const struct yard *y, const double mean[2],
	   double *df)
{
	const struct gate_table *t = l->t;
	const struct gate_model *m = l->m;
	bool single = m->df <= 0;
	double noise = single ? l->t->o->single_noise : MACHINE_NOISE;
	double sum = 0, sampling = 0, prior, prior_df = MACHINE_DF;

	for (size_t i = 0; i < t->n_run; i++) {
		double side = mean[side_of(t, i)];
		double off = (y->total[i] - side) / side;

		sum += single ? 0 : off * off;
		sampling += l->event[i] / side;
	}
	sampling *= m->clump / (double)t->n_run;
	prior = sampling + noise * noise;
	if (!single)
		prior_df *= fmin(1, l->t->o->dist->f_upper(sum / m->df / prior,
							   m->df, MACHINE_DF) /
					    MACHINE_OUTLIER);
	*df = m->df + prior_df;
	return fmax(0, (sum + prior_df * prior) / *df - sampling);
}

/* --- functions that are loud --- */

/*
 * A large function that varies by itself makes the totals vary, and with them
 * the shares of all other functions, so that nothing else would be found. Is r
 * one, so that it adds more to the totals than all else does?
 */
static bool
is_loud(const struct learning *l, size_t r)
{
	const struct gate_model *m = l->m;
	const struct gate_cell *c = &l->cell[r];
	double total = (m->total[0] + m->total[1]) / (m->total[1] > 0 ? 2 : 1);
	double event = (m->event[0] + m->event[1]) / (m->total[1] > 0 ? 2 : 1);
	double mean = (c->mean[0] + c->mean[1]) / (m->total[1] > 0 ? 2 : 1);
	double df, more = c->spread - gate_prior(m, c->size, &df);

	if (!l->t->row[r].is_flat || c->own < m->df)
		return false;
	more *= c->free_share * c->worth * event * mean / (total * total);
	return more > LOUD * (m->clump * event / total +
			      MACHINE_NOISE * MACHINE_NOISE);
}

/* Does row r have samples of a loud one? */
static bool
has_loud(const struct learning *l, size_t r)
{
	const struct gate_series *s = &l->t->row[r];

	for (size_t i = 0; i < s->n_part; i++)
		if (l->cell[s->part[i].row].is_loud)
			return true;
	return !r || l->cell[r].is_loud;
}

static void
set_targets(const struct learning *l, const struct yard *y, double mean[2],
	    double shift)
{
	const struct gate_table *t = l->t;

	for (int s = 0; s < 2; s++)
		mean[s] = side_mean(t, y->total, s);
	for (size_t i = 0; i < t->n_run; i++) {
		int s = side_of(t, i);

		y->target[i] = l->m->df > 0
				       ? mean[s]
				       : y->total[i] * exp(s ? -shift : shift);
	}
}

/* Judge what others share by what is left without the loud ones; returns
 * whether any was found. */
static bool
set_apart(struct learning *l)
{
	const struct gate_table *t = l->t;
	bool any = false;

	if (l->m->df <= 0 || l->n_told < MIN_REFIT ||
	    l->t->o->yardstick == GATE_SHARES)
		return false;
	for (size_t r = 1; r < t->n; r++) {
		if (l->cell[r].is_loud || !is_loud(l, r))
			continue;
		any = l->cell[r].is_loud = true;
		for (size_t i = 0; i < t->n_run; i++)
			l->rest.total[i] -= t->row[r].value[i];
	}
	if (!any)
		return false;
	set_targets(l, &l->rest, l->m->rest, 0);
	for (size_t r = 0; r < t->n; r++) {
		l->cell[r].is_apart = !has_loud(l, r);
		set_spread(l, r);
	}
	return true;
}

static void
learn(struct learning *l, struct vote *vote)
{
	const struct gate_table *t = l->t;
	struct gate_model *m = l->m;
	double shift = 0;
	int again = MAX_LOUD;

	/* The guards learn from all runs as one side. */
	*m = (struct gate_model){ .df = (double)t->n_run -
					(t->n_side[1] ? 2 : 1) };
	for (size_t i = 0; i < t->n_run; i++) {
		l->whole.total[i] = l->rest.total[i] = t->row[0].value[i];
		l->event[i] = t->row[0].square[i] / t->row[0].value[i];
	}
	for (int s = 0; s < 2; s++) {
		m->n_side[s] = t->n_side[s];
		m->event[s] = side_mean(t, l->event, s);
	}
	for (size_t r = 0; r < t->n; r++)
		set_sums(l, r);
	if (m->df <= 0)
		shift = median_ratio(l, vote) / 2;
	set_targets(l, &l->whole, m->total, shift);
	set_targets(l, &l->rest, m->rest, shift);
	for (size_t r = 0; r < t->n; r++) {
		l->cell[r].is_apart = r > 0;
		set_spread(l, r);
	}
	do
		set_noise(l);
	while (again-- > 0 && set_apart(l));
	set_dispersions(l);
	m->rest_machine = machine_of(l, &l->rest, m->rest, &m->rest_df);
	m->machine = machine_of(l, &l->whole, m->total, &m->machine_df);
	if (l->t->o->yardstick == GATE_TYPICAL ||
	    (m->df <= 0 && l->t->o->yardstick == GATE_VALUES))
		set_ratio(l, vote);
}

enum prof_status
gate_learn(const struct gate_table *t, struct prof_err *err)
{
	struct learning l = { .t = t, .m = t->m, .cell = t->cell };
	double *runs = gate_zeros(t->arena, 5 * t->n_run, sizeof(*runs));
	struct vote *vote = gate_zeros(t->arena, t->n, sizeof(*vote));

	l.told = gate_zeros(t->arena, t->n, sizeof(*l.told));
	if (!vote || !runs || !l.told)
		return prof_nomem(err);
	l.event = runs;
	l.whole = (struct yard){ runs + t->n_run, runs + 2 * t->n_run };
	l.rest = (struct yard){ runs + 3 * t->n_run, runs + 4 * t->n_run };
	learn(&l, vote);
	return PROF_OK;
}
