/*
 * test.c - from sums to verdicts: doc/gate.md, "Test" and "Family". All rows
 * are one family: the level is chosen so that the chance of any false alarm is
 * alpha. Noise makes a row pass with a probability of at most the level and at
 * most its chance to reach a change that matters. Small functions cannot reach
 * one, so they do not lower the level.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "impl.h"

#define FAR 40.0 /* standard errors that no noise reaches */
#define MAX_DF 1e6
#define MIN_VARIANCE 1e-300
#define DETECT_MISS 0.1 /* a detectable change is missed this often */

/* The context of a test. */
struct tester {
	const struct gate_model *m;
	const struct gate_options *o;
	bool relative;   /* to the typical function */
	double event[2]; /* h, scaled as the row is */
	double against;
};

static struct tester
tester_of(const struct gate_model *m, const struct gate_options *o)
{
	struct tester t = { m, o, m->has_ratio, { 0 }, o->against };

	t.event[0] = m->event[0] * (m->has_ratio ? exp(m->ratio) : 1);
	t.event[1] = m->event[1];
	if (o->yardstick == GATE_SHARES)
		t.event[1] *= m->total[0] / m->total[1];
	return t;
}

/* Scale the means for the comparison. */
static void
scale_means(const struct tester *t, struct gate_cell *c)
{
	c->before = c->mean[0];
	c->after = c->mean[1];
	if (t->relative)
		c->before *= exp(t->m->ratio);
	if (t->o->yardstick == GATE_SHARES)
		c->after *= t->m->total[0] / t->m->total[1];
}

/*
 * The standard error of after - before at the means at[2], and its degrees of
 * freedom; after alone without of_change.
 */
static double
spread(const struct tester *t, const struct gate_cell *c, const double at[2],
       bool of_change, double *df)
{
	const struct gate_model *m = t->m;
	double free_share = t->relative ? 1 : c->free_share;
	double va = 0, vb = 0, vc = 0, v;

	for (int s = of_change ? 0 : 1; s < 2; s++) {
		double n = (double)m->n_side[s];

		va += (m->clump * c->worth * t->event[s] * at[s] +
		       m->runs * c->mix * at[s] * at[s]) /
		      n;
		if (!t->relative && t->o->yardstick != GATE_SHARES)
			vb += at[s] * at[s] * gate_machine_var(m, c, s) / n;
	}
	va *= c->factor * free_share;
	if (t->relative && of_change)
		vb = at[1] * at[1] * m->ratio_var;
	if (of_change)
		vc = pow(t->o->build_noise * (at[0] + at[1]) / 2, 2);
	v = fmax(va + vb + vc, MIN_VARIANCE);
	*df = v * v /
	      fmax(va * va / c->df_share + vb * vb /
						   (t->relative ? MAX_DF
						    : c->is_apart
							    ? m->rest_df
							    : m->machine_df),
		   MIN_VARIANCE);
	*df = fmin(*df, MAX_DF);
	return sqrt(v);
}

static double
seen_error(const struct tester *t, const struct gate_cell *c, bool of_change,
	   double *df)
{
	double at[2] = { c->before, c->after };

	for (int s = 0; s < 2; s++)
		at[s] += 0.5 * c->worth * t->event[s] * t->m->clump /
			 (double)t->m->n_side[s];
	return spread(t, c, at, of_change, df);
}

double
gate_error(const struct gate_model *m, const struct gate_options *o,
	   const struct gate_cell *c, bool of_change, double *df)
{
	struct tester t = tester_of(m, o);

	return seen_error(&t, c, of_change, df);
}

/*
 * One-sided test: was `more` larger than `less` times grant? exposure: events
 * per unit of value. Returns the larger p of the t-test, which is too sure at
 * small counts, and of the exact conditional test.
 */
static double
one_sided(const struct tester *t, const struct gate_cell *c, double stat,
	  int more, const double exposure[2], double grant)
{
	double e = exposure[more] * grant;
	double part = e / (e + exposure[!more]);
	double exact = t->o->dist->beta_lower(part, fmax(c->n[more], 1e-9),
					      c->n[!more] + 1);

	return fmax(exact, t->o->dist->t_upper(stat, c->df));
}

/* Fill all of a cell but its verdict; see gate_cell. */
static void
test_cell(const struct tester *t, struct gate_cell *c)
{
	const struct gate_model *m = t->m;
	double grant = 1 + t->against, e[2], at[2], se, df;

	scale_means(t, c);
	for (int s = 0; s < 2; s++) {
		double n = (double)m->n_side[s];

		e[s] = n / t->event[s];
		c->n[s] = c->mean[s] * n / (c->worth * m->event[s] * m->clump);
		if (t->o->yardstick == GATE_SHARES)
			c->n[s] /= c->free_share;
	}
	c->expected = (c->before * e[0] + c->after * e[1]) / (e[0] + e[1]);
	at[0] = at[1] = c->expected;
	c->se = spread(t, c, at, true, &c->df);
	c->t = (c->after - grant * c->before) / c->se;
	c->p_slower = c->p_faster = 1;
	if (c->n[0] + c->n[1] > 0) {
		c->p_slower = one_sided(t, c, c->t, 1, e, grant);
		c->p_faster =
			one_sided(t, c, (c->before / grant - c->after) / c->se,
				  0, e, grant);
	}
	se = seen_error(t, c, true, &df);
	se *= t->o->dist->t_quantile((1 - t->o->confidence) / 2, df);
	c->low = c->after - c->before - se;
	c->high = c->after - c->before + se;
}

void
gate_test_set(const struct gate *g, const double *value, const double *square,
	      struct gate_cell *c)
{
	const struct gate_model *m = &g->model;
	struct gate_model plain = *m;
	struct tester t;
	double sum = 0, all = 0, worth = 0, prior_df;

	*c = (struct gate_cell){ .factor = 1, .mix = 1 };
	for (size_t i = 0; i < g->n_run; i++) {
		int s = i >= g->n_side[0];

		c->mean[s] += value[i] / (double)m->n_side[s];
		sum += value[i];
		all += g->all[i];
		worth += square[i] * g->all[i] / g->all_square[i];
	}
	c->worth = sum > 0 && worth > 0 ? worth / sum : 1;
	c->free_share = fmax(1 - sum / all, 1e-9);
	for (int s = 0; s < 2; s++)
		c->size += c->mean[s] / (c->worth * m->event[s]) / 2;
	gate_prior(m, c->size, &prior_df);
	c->df_share = prior_df + m->df;
	plain.has_ratio = false;
	t = tester_of(&plain, &g->o);
	t.against = 0;
	test_cell(&t, c);
	if (sum <= 0)
		c->p_slower = c->p_faster = 1;
	c->own_error = gate_own_error(g->table, c, value, 1);
}

double
gate_visible(const struct gate *g, double share, double longer)
{
	const struct gate_dist *d = g->o.dist;
	struct gate_model m = g->model;
	struct gate_cell c = {
		.factor = 1, .mix = 1, .worth = 1, .free_share = 1 - share
	};
	struct tester t;
	double need;

	m.has_ratio = false;
	for (int s = 0; s < 2; s++) {
		m.event[s] /= longer;
		c.mean[s] = share * m.total[s];
		c.size += c.mean[s] / m.event[s] / 2;
	}
	gate_prior(&m, c.size, &c.df_share);
	c.df_share += m.df;
	t = tester_of(&m, &g->o);
	test_cell(&t, &c);
	need = fmax(d->t_quantile(m.level, c.df) * c.se,
		    fmax(g->o.min_change * c.before,
			 g->o.min_share * c.before / share)) +
	       d->t_quantile(DETECT_MISS, c.df) * c.se;
	if (m.df > 0)
		need = fmax(need, (d->t_quantile(m.own_level, m.df) +
				   d->t_quantile(DETECT_MISS, m.df)) *
					  c.se);
	return need / c.before;
}

/* --- the family --- */

struct family {
	double *chance; /* ascending, of the rows with any */
	double *sum;    /* of the first i of them */
	size_t n;
};

static int
cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
gate_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), cmp_double);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* The family-wise p: bounds the chance that noise gives any row such a p. */
static double
adjust(const struct family *f, double p)
{
	size_t lo = 0, hi = f->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (f->chance[mid] <= p)
			lo = mid + 1;
		else
			hi = mid;
	}
	return fmin(1, f->sum[lo] + p * (double)(f->n - lo));
}

/* The p whose adjusted value is alpha. */
static double
find_level(const struct family *f, double alpha)
{
	double left = alpha, level = alpha;

	for (size_t i = 0; i < f->n; i++) {
		level = left / (double)(f->n - i);
		if (level <= f->chance[i])
			break;
		left -= f->chance[i];
	}
	return fmin(level, alpha);
}

/* The chance that noise alone grows a row by a change that matters. */
static double
chance_of(const struct tester *t, const struct gate_cell *c, double total)
{
	double rel =
		fmax(t->o->min_change * c->expected, t->o->min_share * total);

	if (c->events <= 0 || rel > FAR * c->se)
		return 0;
	return t->o->dist->t_upper(rel / c->se, c->df);
}

static enum gate_verdict
verdict_of(const struct gate_cell *c, double level, bool single)
{
	double change = c->after - c->before;

	if (c->p_slower <= level && change >= c->relevant && change > 0)
		return single ? GATE_SUSPECT : GATE_REGRESSED;
	if (c->p_faster <= level && -change >= c->relevant && change < 0)
		return GATE_IMPROVED;
	if (c->low > -c->relevant && c->high < c->relevant)
		return GATE_UNCHANGED;
	return GATE_INCONCLUSIVE;
}

static void
judge(const struct gate_table *table, const struct tester *t, struct family *f)
{
	struct gate_model *m = table->m;
	struct gate_cell *cell = table->cell;

	for (size_t r = 0; r < table->n; r++) {
		struct gate_cell *c = &cell[r];

		test_cell(t, c);
		if (table->row[r].is_test)
			c->chance = chance_of(t, c, cell[0].expected);
		if (c->chance > 0)
			f->chance[f->n++] = c->chance;
	}
	qsort(f->chance, f->n, sizeof(*f->chance), cmp_double);
	for (size_t i = 0; i < f->n; i++)
		f->sum[i + 1] = f->sum[i] + f->chance[i];
	m->level = find_level(f, t->o->alpha);
	m->n_test = f->n;
	for (size_t r = 0; r < table->n; r++) {
		struct gate_cell *c = &cell[r];

		c->adjusted = adjust(f, c->p_slower);
		c->adjusted_faster = adjust(f, c->p_faster);
		c->relevant = fmax(t->o->min_change * c->before,
				   t->o->min_share * cell[0].before);
		c->detectable =
			fmax(t->o->dist->t_quantile(m->level, c->df) * c->se,
			     c->relevant) +
			t->o->dist->t_quantile(DETECT_MISS, c->df) * c->se;
		c->verdict = verdict_of(
			c, table->row[r].is_test ? m->level : -1, m->df <= 0);
	}
}

static void
set_scale(const struct gate_table *table, const struct tester *t)
{
	for (size_t i = 0; i < table->n_run; i++) {
		table->scale[i] = 1;
		if (t->relative && i < table->n_side[0])
			table->scale[i] = exp(t->m->ratio);
		if (t->o->yardstick == GATE_SHARES)
			table->scale[i] =
				t->m->total[0] / table->row[0].value[i];
	}
}

enum prof_status
gate_test(const struct gate_table *table, struct prof_err *err)
{
	enum prof_status st = gate_learn(table, err);
	struct family f = {
		.chance = gate_zeros(table->arena, table->n, sizeof(double)),
		.sum = gate_zeros(table->arena, table->n + 1, sizeof(double)),
	};
	struct tester t;

	if (st != PROF_OK)
		return st;
	if (!f.chance || !f.sum)
		return prof_nomem(err);
	t = tester_of(table->m, table->o);
	set_scale(table, &t);
	judge(table, &t, &f);
	return PROF_OK;
}
