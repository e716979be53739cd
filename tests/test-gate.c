/*
 * test-gate.c - the parts of prof-gate where the command shows only the end:
 * how samples are counted, p-values against tables, the level, conditions,
 * budgets, and the laws: swapping the sides mirrors every verdict, scaling all
 * counts by exposure changes none.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "gate/stats.h"
#include "lib/gate/edges.h"
#include "lib/gate/impl.h"
#include "lib/gate/rule.h"
#include "lib/model/profile.h"
#include "random.h"

static struct profile *
parse(const char *text)
{
	struct prof_err err;
	struct profile *p;

	if (fixture_parse(text, &p, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	return p;
}

/* --- what is counted --- */

static const struct {
	const char *text, *column;
	double value, count; /* count < 0: refused */
} measures[] = {
	{ "# samples count cpu nanoseconds\na 3 30\n", NULL, 30, 3 },
	{ "# samples count cpu nanoseconds\na 3 30\n", "samples", 3, 3 },
	{ "# cpu nanoseconds\n@period cpu nanoseconds 10\na 30\n", NULL, 30,
	  3 },
	{ "# cpu milliseconds\n@period cpu microseconds 10000\na 30\n", NULL,
	  30, 3 },
	{ "# contentions count delay nanoseconds\na 4 1000\n", "delay", 1000,
	  4 },
	{ "# objects count space bytes\na 8 800\n", "space", 800, 8 },
	{ "# inuse_objects count inuse_space bytes\n@period space bytes 512\n"
	  "a 1000 16000\n",
	  NULL, 16000, 30.7672 },
	{ "# inuse_objects count inuse_space bytes\n@period space bytes 512\n"
	  "a 1000 16000\n",
	  "inuse_objects", 1000, 30.7672 },
	{ "# cpu nanoseconds\na 30\n", NULL, 0, -1 },
	{ "# cpu nanoseconds\n@period space bytes 10\na 30\n", NULL, 0, -1 },
};

static void
test_measure(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(measures) / sizeof(*measures); i++) {
		struct profile *p = parse(measures[i].text);
		struct gate_measure m;
		struct gate_total t;
		struct prof_err err;
		enum prof_status st;

		st = gate_measure(p, measures[i].column, &m, &err);
		assert_int_equal(st == PROF_OK, measures[i].count >= 0);
		if (st == PROF_OK) {
			assert_int_equal(gate_total(p, &m, &t, &err), PROF_OK);
			assert_true(t.value == measures[i].value);
			assert_true(fabs(t.count - measures[i].count) < 1e-3);
		}
		profile_free(p);
	}
}

/* --- comparisons --- */

#define MAX_RUN 12

struct fight {
	struct profile *p[MAX_RUN];
	size_t n;
	struct gate *g;
};

/* Counts of f and of the rest, for each run; the first n_base are base. */
static void
fight_init(struct fight *x, size_t n, size_t n_base, const int (*count)[2],
	   double exposure)
{
	struct gate_options o = { .alpha = 0.01,
				  .confidence = 0.95,
				  .min_change = 0.05,
				  .min_share = 0.01 };
	struct prof_err err;

	assert_int_equal(gate_new(&o, &x->g, &err), PROF_OK);
	x->n = n;
	for (size_t i = 0; i < n; i++) {
		struct gate_measure m;
		struct gate_total t;
		char text[200];

		snprintf(text, sizeof(text),
			 "# samples count\nmain;f %d\nmain;g %d\n", count[i][0],
			 count[i][1]);
		x->p[i] = parse(text);
		assert_int_equal(gate_measure(x->p[i], NULL, &m, &err),
				 PROF_OK);
		assert_int_equal(gate_total(x->p[i], &m, &t, &err), PROF_OK);
		assert_int_equal(gate_add(x->g,
					  i < n_base ? GATE_BASE : GATE_NEW,
					  x->p[i], &m, &t, exposure, &err),
				 PROF_OK);
	}
	assert_int_equal(gate_judge(x->g, stats_dist(), &err), PROF_OK);
}

static void
fight_release(struct fight *x)
{
	gate_free(x->g);
	for (size_t i = 0; i < x->n; i++)
		profile_free(x->p[i]);
}

static const struct gate_row *
row_of(const struct gate *g, const char *name)
{
	for (size_t i = 0; i < g->n_row; i++)
		if (!strcmp(gate_name(g, g->row[i].name)->s, name))
			return &g->row[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* One against one: binomial, by hand or by R's binom.test(). */
static void
test_exact(void **state)
{
	static const int few[][2] = { { 1, 100 }, { 9, 100 } };
	static const int none[][2] = { { 0, 100 }, { 5, 100 } };
	struct fight x;

	(void)state;
	fight_init(&x, 2, 1, few, 1);
	/* P(X >= 9), 10 trials, 1/2: 11 / 1024 */
	assert_true(fabs(row_of(x.g, "f")->cell[GATE_CUM].p_up - 11 / 1024.0) <
		    1e-9);
	fight_release(&x);
	fight_init(&x, 2, 1, none, 1);
	assert_true(fabs(row_of(x.g, "f")->cell[GATE_CUM].p_up - 1 / 32.0) <
		    1e-9);
	fight_release(&x);
}

/* Swapped sides have each other's p-values, and the opposite verdicts. */
static void
test_mirror(void **state)
{
	static const int there[][2] = {
		{ 1000, 4000 }, { 1030, 3990 }, { 1510, 4010 }, { 1490, 4005 }
	};
	static const int back[][2] = {
		{ 1510, 4010 }, { 1490, 4005 }, { 1000, 4000 }, { 1030, 3990 }
	};
	const struct gate_cell *a, *b;
	struct fight x, y;

	(void)state;
	fight_init(&x, 4, 2, there, 1);
	fight_init(&y, 4, 2, back, 1);
	a = &row_of(x.g, "f")->cell[GATE_CUM];
	b = &row_of(y.g, "f")->cell[GATE_CUM];
	assert_int_equal(a->verdict, GATE_REGRESSED);
	assert_int_equal(b->verdict, GATE_IMPROVED);
	assert_true(a->p_up == b->p_down && a->p_down == b->p_up);
	assert_true(a->dispersion == b->dispersion && a->df == b->df);
	fight_release(&x);
	fight_release(&y);
}

/* Exposure is a unit: it divides values, and decides nothing. */
static void
test_exposure(void **state)
{
	static const int count[][2] = {
		{ 1000, 4000 }, { 1100, 3990 }, { 1300, 4010 }, { 1290, 4005 }
	};
	const struct gate_cell *a, *b;
	struct fight x, y;

	(void)state;
	fight_init(&x, 4, 2, count, 1);
	fight_init(&y, 4, 2, count, 1000);
	a = &row_of(x.g, "f")->cell[GATE_FLAT];
	b = &row_of(y.g, "f")->cell[GATE_FLAT];
	assert_true(fabs(a->p_up - b->p_up) < 1e-12);
	assert_true(fabs(a->before - 1000 * b->before) < 1e-6);
	assert_true(fabs(a->detectable - 1000 * b->detectable) < 1e-6);
	assert_int_equal(a->verdict, b->verdict);
	fight_release(&x);
	fight_release(&y);
}

/* Runs that differ make the same difference of the means uncertain. */
static void
test_noise(void **state)
{
	static const int calm[][2] = { { 2000, 4000 }, { 2010, 4010 },
				       { 1990, 3990 }, { 2300, 4000 },
				       { 2310, 4010 }, { 2290, 3990 } };
	static const int wild[][2] = { { 1600, 4400 }, { 2000, 3700 },
				       { 2400, 3900 }, { 1900, 3800 },
				       { 2700, 4300 }, { 2300, 3900 } };
	struct fight x, y;

	(void)state;
	fight_init(&x, 6, 3, calm, 1);
	fight_init(&y, 6, 3, wild, 1);
	assert_int_equal(row_of(x.g, "f")->verdict, GATE_REGRESSED);
	assert_true(row_of(x.g, "f")->cell[GATE_CUM].dispersion == 1);
	assert_int_equal(row_of(y.g, "f")->verdict, GATE_INCONCLUSIVE);
	assert_true(row_of(y.g, "f")->cell[GATE_CUM].dispersion > 20);
	assert_true(y.g->noise.rate > 0.001);
	fight_release(&x);
	fight_release(&y);
}

/* The level is never above alpha, and alpha when one test is left. */
static void
test_level(void **state)
{
	static const int one[][2] = { { 500, 0 }, { 500, 0 } };
	static const int two[][2] = { { 500, 500 }, { 500, 500 } };
	struct fight x;

	(void)state;
	fight_init(&x, 2, 1, one, 1);
	/* main has the samples of f: one test. */
	assert_int_equal(x.g->n_test, 1);
	assert_true(x.g->limit == 0.01);
	fight_release(&x);
	fight_init(&x, 2, 1, two, 1);
	/* f and g have equal counts by chance, which costs no validity. */
	assert_true(x.g->n_test == 2 && fabs(x.g->limit - 0.005) < 1e-12);
	fight_release(&x);
}

/* --- rules --- */

static const struct {
	const char *text;
	bool holds; /* f: 6000 before, 8000 after, of 21000 and 23000 */
} conditions[] = {
	{ "cum > +5%", true },
	{ "cum > +33%", true },
	{ "cum > +34%", false },
	{ "flat>=+2000", true },
	{ "flat > +2000", false },
	{ "flat > 8000", false },
	{ "flat >= 8000", true },
	{ "flat < -5%", false },
	{ "flat > +9% of total", true },
	{ "flat > +10% of total", false },
	{ "flat > 34%", true },
	{ "flat > 35% of total", false },
	{ "!flat > 35%", true },
	{ "flat > 1 || flat > 9999999 && flat > 9999999", true },
	{ "(flat > 1 || flat > 9999999) && flat > 9999999", false },
	{ " ( cum>1 )&&!( cum<1||cum<2 ) ", true },
};

static void
test_conditions(void **state)
{
	static const int count[][2] = { { 6000, 15000 }, { 8000, 15000 } };
	struct fight x;

	(void)state;
	fight_init(&x, 2, 1, count, 1);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		struct rule_condition c;
		struct prof_err err;
		bool holds;

		if (rule_parse(conditions[i].text, &c, &err) != PROF_OK ||
		    rule_holds(&c, x.g, row_of(x.g, "f"), &holds, &err) !=
			    PROF_OK)
			fail_msg("%s: %s", conditions[i].text, err.msg);
		if (holds != conditions[i].holds)
			fail_msg("%s", conditions[i].text);
	}
	fight_release(&x);
}

static const struct {
	const char *text, *name; /* NULL: refused */
	enum gate_kind kind;
	bool is_change, is_percent, of_total;
	double number;
} budgets[] = {
	{ "f <= 5%", "f", GATE_CUM, false, true, true, 5 },
	{ "f flat < 5ms # why", "f", GATE_FLAT, false, false, false, 5 },
	{ "operator new <= +5%", "operator new", GATE_CUM, true, true, false,
	  5 },
	{ "std::map<int, T<4> >::at <= 1s", "std::map<int, T<4> >::at",
	  GATE_CUM, false, false, false, 1 },
	{ "a <= b <= 1s", NULL, 0, 0, 0, 0, 0 },
	{ "\"operator<= x\" cum <= 1s", "operator<= x", GATE_CUM, false, false,
	  false, 1 },
	{ "main.(*T).f#1 <= -2% of total", "main.(*T).f#1", GATE_CUM, true,
	  true, true, -2 },
	{ "f", NULL, 0, 0, 0, 0, 0 },
	{ "<= 5", NULL, 0, 0, 0, 0, 0 },
	{ "f <= ", NULL, 0, 0, 0, 0, 0 },
	{ "f <= 5 5", NULL, 0, 0, 0, 0, 0 },
	{ "\"f <= 5", NULL, 0, 0, 0, 0, 0 },
	{ "f <= nan", NULL, 0, 0, 0, 0, 0 },
};

/* Names with or without a pattern in them. */
static const struct {
	const char *text, *name, *pattern;
} patterns[] = {
	{ "/^a::/ <= 5", "/^a::/", "^a::" },
	{ "/a b/ flat < 5%", "/a b/", "a b" },
	{ "/src/a.c <= 5", "/src/a.c", NULL },
	{ "\"/a/\" <= 5", "/a/", NULL },
	{ "// <= 5", "//", NULL },
	{ "/ <= 5", "/", NULL },
};

static void
test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		const char *text = patterns[i].text;
		struct rule_budgets b;
		struct prof_err err;

		if (rule_budgets_parse(text, strlen(text), &b, &err) != PROF_OK)
			fail_msg("%s: %s", text, err.msg);
		assert_string_equal(b.rule[0].name, patterns[i].name);
		if (patterns[i].pattern)
			assert_string_equal(b.rule[0].pattern,
					    patterns[i].pattern);
		else
			assert_null(b.rule[0].pattern);
		rule_budgets_release(&b);
	}
}

static void
test_budgets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(budgets) / sizeof(*budgets); i++) {
		struct rule_budgets b;
		struct prof_err err;
		enum prof_status st;
		const struct rule_limit *l;

		st = rule_budgets_parse(budgets[i].text,
					strlen(budgets[i].text), &b, &err);
		if ((st == PROF_OK) != (budgets[i].name != NULL))
			fail_msg("%s: %s", budgets[i].text,
				 st == PROF_OK ? "taken" : err.msg);
		if (st == PROF_OK) {
			l = &b.rule[0].limit;
			assert_int_equal(b.n_rule, 1);
			assert_string_equal(b.rule[0].name, budgets[i].name);
			assert_int_equal(l->kind, budgets[i].kind);
			assert_int_equal(l->is_change, budgets[i].is_change);
			assert_int_equal(l->is_percent, budgets[i].is_percent);
			assert_int_equal(l->of_total, budgets[i].of_total);
			assert_true(l->number == budgets[i].number);
		}
		rule_budgets_release(&b);
	}
}

/* --- who calls whom --- */

/* Random stacks of 40 functions. */
static struct profile *
random_calls(uint64_t seed)
{
	struct rng r = { seed };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct profile *p;

	assert_non_null(out);
	fputs("# samples count\n", out);
	for (int i = 0; i < 300; i++) {
		for (uint32_t n = 1 + rng_draw(&r, 8); n > 0; n--)
			fprintf(out, "f%u%s", rng_draw(&r, 40),
				n > 1 ? ";" : " ");
		fprintf(out, "%u\n", 1 + rng_draw(&r, 9));
	}
	fclose(out);
	p = parse(text);
	free(text);
	return p;
}

/* Two profiles of random calls, judged. */
static struct gate *
random_fight(uint64_t seed, struct profile *p[2])
{
	struct gate_options o = { .alpha = 0.01, .confidence = 0.95 };
	struct gate *g;

	assert_int_equal(gate_new(&o, &g, NULL), PROF_OK);
	for (uint64_t i = 0; i < 2; i++) {
		struct gate_measure m;
		struct gate_total t;

		p[i] = random_calls(2 * seed + i);
		assert_int_equal(gate_measure(p[i], NULL, &m, NULL), PROF_OK);
		assert_int_equal(gate_total(p[i], &m, &t, NULL), PROF_OK);
		assert_int_equal(
			gate_add(g, (enum gate_side)i, p[i], &m, &t, 1, NULL),
			PROF_OK);
	}
	assert_int_equal(gate_judge(g, stats_dist(), NULL), PROF_OK);
	return g;
}

static const struct gate_edge *
find_edge(const struct gate_edges *e, const struct gate_edge *like)
{
	const uint32_t *at;
	size_t n = gate_index_of(&e->callers, like->callee, &at);

	for (size_t k = 0; k < n; k++)
		if (e->edge[at[k]].caller == like->caller)
			return &e->edge[at[k]];
	return NULL;
}

static bool
is_same_edge(const struct gate_edge *a, const struct gate_edge *b)
{
	return a && b && a->value[0] == b->value[0] &&
	       a->value[1] == b->value[1] && a->is_called == b->is_called;
}

/* With room for few edges, those of the rows that are left are all there. */
static void
test_edges(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gate_edges all, few;
		struct profile *p[2];
		struct gate *g = random_fight(seed, p);
		uint32_t row[40];
		size_t half;

		for (uint32_t r = 0; r < g->n_row; r++)
			row[r] = r;
		half = g->n_row / 2;
		all = few = (struct gate_edges){ .g = g,
						 .marked = row,
						 .n_marked = half,
						 .gone = row + half,
						 .n_gone = g->n_row - half,
						 .max_edge = 1000000 };
		few.max_edge = 100;
		assert_int_equal(gate_edges_build(&all, NULL), PROF_OK);
		assert_int_equal(gate_edges_build(&few, NULL), PROF_OK);
		assert_int_equal(all.n_marked, half);
		assert_true(few.n_marked < half && few.n_gone < all.n_gone);
		assert_true(few.n_edge < all.n_edge);
		for (size_t k = 0; k < few.n_edge; k++)
			assert_true(is_same_edge(
				&few.edge[k], find_edge(&all, &few.edge[k])));
		for (size_t k = 0; k < all.n_edge; k++) {
			const struct gate_edge *e = &all.edge[k];

			assert_int_equal(
				find_edge(&few, e) != NULL,
				few.role[e->callee] ||
					(e->caller && few.role[e->caller - 1] &
							      ROLE_MARKED));
		}
		gate_edges_release(&all);
		gate_edges_release(&few);
		gate_free(g);
		profile_free(p[0]);
		profile_free(p[1]);
	}
}

/*
 * Group 0 is one row, 1 another one, 2 both, 3 all rows: what rows say, no more
 * than both together, and the total.
 */
static void
test_groups(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct profile *p[2];
		struct gate *g = random_fight(seed, p);
		uint64_t of_row[40] = { 0 };
		struct gate_group sum[4];
		double room[4][4][2] = { { { 0 } } };

		for (size_t k = 0; k < 4; k++)
			sum[k] =
				(struct gate_group){ { room[k][0], room[k][1] },
						     { room[k][2],
						       room[k][3] } };
		for (size_t r = 0; r < g->n_row; r++)
			of_row[r] =
				8 | (r == 5 ? 1 | 4 : 0) | (r == 9 ? 2 | 4 : 0);
		assert_int_equal(gate_sum_groups(g, of_row, sum, NULL), 0);
		for (size_t i = 0; i < 2; i++) {
			const struct gate_run *run = &g->run[i];

			for (int k = 0; k < 2; k++) {
				double a = run->count[k][5];
				double b = run->count[k][9];
				double both = sum[2].count[k][i];

				assert_true(sum[0].count[k][i] == a);
				assert_true(sum[1].count[k][i] == b);
				assert_true(both <= a + b && both >= a &&
					    both >= b);
				assert_true(k == GATE_CUM || both == a + b);
				assert_true(sum[3].count[k][i] ==
					    run->total.count);
				assert_true(sum[3].value[k][i] ==
					    run->total.value);
			}
		}
		gate_free(g);
		profile_free(p[0]);
		profile_free(p[1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_measure),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_exposure),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
