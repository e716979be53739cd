/*
 * gate.c - the parts of prof-gate where the command shows only the end:
 * the numbers of the method against those of an independent implementation
 * (testdata/README), what is explained, what is counted, limits, budgets,
 * and the laws: swapping the sides mirrors every verdict, a factor common to
 * all runs changes none.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/gate/impl.h"
#include "lib/gate/rule.h"
#include "lib/gate/stats.h"
#include "lib/model/profile.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

#define MAX_ROW 64
#define MAX_RUN 64

static const struct gate_options defaults = GATE_DEFAULTS;

static struct profile *
parse(const char *text)
{
	struct prof_err err;
	struct profile *p;

	if (fixture_parse(text, &p, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	return p;
}

/* A file of testdata, to be closed. */
static FILE *
open_data(const char *name)
{
	const char *folder = getenv("abs_srcdir");
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/testdata/%s", folder ? folder : ".",
		 name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("no %s", path);
	return in;
}

/* Read n numbers. */
static void
read_numbers(FILE *in, double *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fscanf(in, "%lf", &to[i]), 1);
}

static void
expect_word(FILE *in, const char *word)
{
	char have[32];

	assert_int_equal(fscanf(in, "%31s", have), 1);
	assert_string_equal(have, word);
}

/* --- the method in numbers --- */

struct vector {
	char name[40];
	struct gate_options o;
	struct gate_table t;
	double value[MAX_ROW * MAX_RUN], square[MAX_ROW * MAX_RUN];
	struct gate_series row[MAX_ROW];
	double scale[MAX_RUN];
	bool is_guarded;
};

static bool
read_vector(FILE *in, struct vector *v)
{
	static const char *const yardstick[] = { "none", "total", "machine" };
	char word[32];

	v->o = defaults;
	if (fscanf(in, " case %39s shape %zu %zu %zu options %31s %lf %lf",
		   v->name, &v->t.n, &v->t.n_run, &v->t.n_side[0], word,
		   &v->o.against, &v->o.min_share) != 7)
		return false;
	assert_true(v->t.n <= MAX_ROW && v->t.n_run <= MAX_RUN);
	for (int i = 0; i < 3; i++)
		if (!strcmp(word, yardstick[i]))
			v->o.yardstick = (enum gate_yardstick)i;
	v->t.n_side[1] = v->t.n_run - v->t.n_side[0];
	for (size_t i = 0; i < v->t.n; i++) {
		assert_int_equal(fscanf(in, "%31s", word), 1);
		v->row[i] = (struct gate_series){
			.value = v->value + i * v->t.n_run,
			.square = v->square + i * v->t.n_run,
			.is_flat = !strcmp(word, "flat"),
			.is_test = true
		};
		read_numbers(in, v->value + i * v->t.n_run, v->t.n_run);
		expect_word(in, "square");
		read_numbers(in, v->square + i * v->t.n_run, v->t.n_run);
	}
	v->t.row = v->row;
	v->t.scale = v->scale;
	return true;
}

/* Test the rows, with the guards. */
static void
judge_vector(struct vector *v, struct gate_model *m, struct gate_cell *cell)
{
	struct arena *a = arena_new();

	assert_non_null(a);
	v->o.dist = stats_dist();
	v->t.o = &v->o;
	v->t.m = m;
	v->t.cell = cell;
	v->t.arena = a;
	assert_int_equal(gate_test(&v->t, NULL), PROF_OK);
	if (v->is_guarded)
		assert_int_equal(gate_guard(&v->t, NULL), PROF_OK);
	arena_free(a);
}

/* To six digits; what is smaller than any use, to none. */
static void
expect_near(const struct vector *v, size_t row, const char *what, double have,
	    double want)
{
	double off = fabs(have - want);

	if (!isnan(want) && off > 1e-6 * fabs(want) + 1e-250 &&
	    (strcmp(what, "t") || off > 1e-9))
		fail_msg("%s, row %zu: %s is %.9g, not %.9g", v->name, row,
			 what, have, want);
}

/* To the six digits that were printed. */
static void
expect_digits(const struct vector *v, size_t row, const char *what, double have,
	      double want)
{
	if (fabs(have - want) > 6e-6 * fabs(want))
		fail_msg("%s, row %zu: %s is %.9g, not %.9g", v->name, row,
			 what, have, want);
}

static void
check_vector(FILE *in, struct vector *v)
{
	struct gate_cell cell[MAX_ROW];
	struct gate_model m;
	double want[12];
	char verdict[32];

	judge_vector(v, &m, cell);
	expect_word(in, "model");
	read_numbers(in, want, 7);
	expect_near(v, 0, "clump", m.clump, want[0]);
	expect_near(v, 0, "runs", m.runs, want[1]);
	expect_near(v, 0, "nu", m.nu, want[2]);
	expect_near(v, 0, "machine", m.machine, want[3]);
	expect_near(v, 0, "level", m.level, want[4]);
	expect_near(v, 0, "ratio", m.ratio, want[5]);
	expect_near(v, 0, "variance of it", m.has_ratio ? m.ratio_var : -1,
		    want[6]);
	for (size_t i = 0; i < v->t.n; i++) {
		const struct gate_cell *c = &cell[i];

		expect_word(in, "row");
		assert_int_equal(fscanf(in, "%31s", verdict), 1);
		read_numbers(in, want, 12);
		expect_near(v, i, "spread", c->spread, want[0]);
		expect_near(v, i, "prior df", c->prior_df, want[1]);
		expect_near(v, i, "dispersion", c->dispersion, want[2]);
		expect_near(v, i, "se", c->se, want[3]);
		expect_near(v, i, "t", c->t, want[4]);
		expect_near(v, i, "df", c->df, want[5]);
		expect_near(v, i, "p slower", c->p_slower, want[6]);
		expect_near(v, i, "p faster", c->p_faster, want[7]);
		expect_near(v, i, "adjusted", c->adjusted, want[8]);
		expect_near(v, i, "low", c->low, want[9]);
		expect_near(v, i, "high", c->high, want[10]);
		expect_near(v, i, "detectable", c->detectable, want[11]);
		assert_string_equal(gate_verdict_name(c->verdict), verdict);
	}
}

static void
test_vectors(void **state)
{
	FILE *in = open_data("gate-vectors");
	static struct vector v;
	int n = 0;

	(void)state;
	for (; read_vector(in, &v); n++)
		check_vector(in, &v);
	fclose(in);
	assert_int_equal(n, 20);
}

/* --- the guards --- */

/* Counts of rows 1 to 3 by run; row 0 is their sum. */
static bool
read_guarded(FILE *in, struct vector *v)
{
	size_t n_side[2], n;

	if (fscanf(in, " guard %zu %zu", &n_side[0], &n_side[1]) != 2)
		return false;
	n = n_side[0] + n_side[1];
	assert_true(n <= MAX_RUN);
	*v = (struct vector){ .is_guarded = true,
			      .o = GATE_DEFAULTS,
			      .t = { .n = 4,
				     .n_run = n,
				     .n_side = { n_side[0], n_side[1] },
				     .row = v->row,
				     .scale = v->scale } };
	for (size_t r = 0; r < 4; r++) {
		v->row[r] = (struct gate_series){ .value = v->value + r * n,
						  .square = v->value + r * n,
						  .is_flat = r > 0,
						  .is_test = true };
		if (r)
			read_numbers(in, v->value + r * n, n);
		for (size_t i = 0; r && i < n; i++)
			v->value[i] += v->value[r * n + i];
	}
	return true;
}

/* What becomes of row 1, and of the sum. */
static void
test_guards(void **state)
{
	FILE *in = open_data("gate-guards");
	static struct vector v;
	int n = 0;

	(void)state;
	for (; read_guarded(in, &v); n++) {
		double want[4], total[2];
		struct gate_cell c[4];
		struct gate_model m;

		snprintf(v.name, sizeof(v.name), "guarded %d", n + 1);
		judge_vector(&v, &m, c);
		read_numbers(in, want, 4);
		expect_digits(&v, 1, "adjusted", c[1].adjusted, want[0]);
		assert_int_equal(c[1].n_extreme, (int)want[1]);
		assert_int_equal(c[1].n_split, (int)want[2]);
		expect_digits(&v, 1, "p own", c[1].p_own, want[3]);
		expect_word(in, gate_verdict_name(c[1].verdict));
		read_numbers(in, total, 2);
		if (total[0] > 0)
			assert_int_equal(c[0].n_extreme, (int)total[0]);
		if (total[1] > 0)
			expect_digits(&v, 0, "p own", c[0].p_own, total[1]);
	}
	fclose(in);
	assert_int_equal(n, 12);
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
			assert_true(fabs(t.events - measures[i].count) < 1e-3);
		}
		profile_free(p);
	}
}

/* --- comparisons --- */

/* The texts of fixtures, compared; the first n_base are base. */
static enum prof_status
compare(const struct gate_options *o, char *const *text, size_t n,
	size_t n_base, double exposure, struct gate **out, struct prof_err *err)
{
	struct gate_options judging = *o;
	enum prof_status st;

	judging.dist = stats_dist();
	st = gate_new(&judging, out, err);
	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		struct profile *p = parse(text[i]);
		struct gate_measure m;
		struct gate_total t;

		st = gate_measure(p, NULL, &m, err);
		if (st == PROF_OK)
			st = gate_total(p, &m, &t, err);
		if (st == PROF_OK)
			st = gate_add(*out, i < n_base ? GATE_BASE : GATE_NEW,
				      p, &m, &t, exposure, err);
		profile_free(p);
	}
	return st == PROF_OK ? gate_judge(*out, err) : st;
}

static struct gate_row *
row_of(struct gate *g, const char *name)
{
	if (!strcmp(name, "total"))
		return &g->total;
	for (size_t i = 0; i < g->n_row; i++)
		if (!strcmp(gate_name(g, g->row[i].name)->s, name))
			return &g->row[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* --- what became of work --- */

/* The stacks of a case as the texts of its ten profiles. */
static void
read_runs(FILE *in, char *text[10])
{
	FILE *out[10];
	size_t size[10];
	char stack[200];

	for (int i = 0; i < 10; i++) {
		out[i] = open_memstream(&text[i], &size[i]);
		assert_non_null(out[i]);
		fputs("# samples count\n", out[i]);
	}
	while (fscanf(in, " stack %199s", stack) == 1)
		for (int i = 0; i < 10; i++) {
			int n;

			assert_int_equal(fscanf(in, "%d", &n), 1);
			fprintf(out[i], "%s %d\n", stack, n);
		}
	for (int i = 0; i < 10; i++)
		fclose(out[i]);
}

static const char *
label_word(enum gate_label l)
{
	static const char *const word[] = { "fails",
					    "moved-along-a-call",
					    "outlined",
					    "inlined",
					    "renamed-or-split",
					    "wrapper",
					    "new-caller-or-moved" };

	return word[l];
}

/* The lines of a case about rows; returns how many regressed. */
static int
check_rows_of(FILE *in, struct gate *g, const char *name)
{
	char word[100], kind[10], label[40];
	int n = 0;

	while (fscanf(in, " alias %99s", word) == 1) {
		const struct gate_row *r = row_of(g, word);

		assert_int_equal(fscanf(in, "%99s", word), 1);
		assert_ptr_equal(&g->row[r->to], row_of(g, word));
	}
	for (; fscanf(in, " regressed %99s %9s %39s", word, kind, label) == 3;
	     n++) {
		enum gate_kind k = !strcmp(kind, "cum") ? GATE_CUM : GATE_FLAT;
		const struct gate_row *r;
		double net;

		if (strcmp(label, "fails"))
			read_numbers(in, &net, 1);
		if (!g)
			continue;
		r = row_of(g, word);
		if (r->cell[k]->verdict != GATE_REGRESSED ||
		    strcmp(label_word(r->why[k].label), label))
			fail_msg("%s: %s %s is %s, %s, not %s", name, word,
				 kind, gate_verdict_name(r->cell[k]->verdict),
				 label_word(r->why[k].label), label);
		if (r->why[k].label && fabs(r->why[k].net - net) > 1e-6)
			fail_msg("%s: %s: net %g, not %g", name, word,
				 r->why[k].net, net);
	}
	return n;
}

static bool
fails(const struct gate *g)
{
	if (g->total.verdict == GATE_REGRESSED)
		return true;
	for (size_t r = 0; r < g->n_row; r++)
		if (g->row[r].verdict == GATE_REGRESSED && !g->row[r].is_moved)
			return true;
	return false;
}

static void
test_moves(void **state)
{
	FILE *in = open_data("gate-moves");
	char name[100];
	int n = 0;

	(void)state;
	for (; fscanf(in, " move %99s", name) == 1; n++) {
		char *text[10];
		struct gate *g = NULL;
		struct prof_err err;
		enum prof_status st;
		int want;

		read_runs(in, text);
		st = compare(&defaults, text, 10, 5, 1, &g, &err);
		assert_int_equal(fscanf(in, " exit %d", &want), 1);
		if ((st == PROF_OK ? fails(g) : 2) != want)
			fail_msg("%s: exit %d wanted, %s", name, want,
				 st == PROF_OK ? "not so" : err.msg);
		check_rows_of(in, st == PROF_OK ? g : NULL, name);
		gate_free(g);
		for (int i = 0; i < 10; i++)
			free(text[i]);
	}
	fclose(in);
	assert_int_equal(n, 21);
}

/* --- laws --- */

static struct gate *
fight(size_t n, size_t n_base, const int (*count)[2], double exposure,
      double weight)
{
	char *text[MAX_RUN];
	struct prof_err err;
	struct gate *g;

	for (size_t i = 0; i < n; i++) {
		text[i] = malloc(200);
		assert_non_null(text[i]);
		snprintf(text[i], 200,
			 "# samples count cpu nanoseconds\n"
			 "main;f %d %.0f\nmain;g %d %.0f\n",
			 count[i][0], count[i][0] * weight, count[i][1],
			 count[i][1] * weight);
	}
	if (compare(&defaults, text, n, n_base, exposure, &g, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < n; i++)
		free(text[i]);
	return g;
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
	struct gate *x = fight(4, 2, there, 1, 1), *y = fight(4, 2, back, 1, 1);
	const struct gate_cell *a = row_of(x, "f")->cell[GATE_CUM];
	const struct gate_cell *b = row_of(y, "f")->cell[GATE_CUM];

	(void)state;
	assert_int_equal(a->verdict, GATE_REGRESSED);
	assert_int_equal(b->verdict, GATE_IMPROVED);
	assert_true(fabs(a->p_slower / b->p_faster - 1) < 1e-9);
	assert_true(fabs(a->dispersion / b->dispersion - 1) < 1e-9);
	assert_true(fabs(a->df / b->df - 1) < 1e-9);
	/* main has the samples of all: the same test as the total. */
	assert_ptr_equal(row_of(x, "main")->cell[GATE_CUM],
			 x->total.cell[GATE_CUM]);
	gate_free(x);
	gate_free(y);
}

/* A factor common to all is a unit: it decides nothing. */
static void
test_unit(void **state)
{
	static const int count[][2] = {
		{ 1000, 4000 }, { 1100, 3990 }, { 1300, 4010 }, { 1290, 4005 }
	};
	struct gate *x = fight(4, 2, count, 1, 1);
	struct gate *y = fight(4, 2, count, 1000, 1e7);
	const struct gate_cell *a = row_of(x, "f")->cell[GATE_FLAT];
	const struct gate_cell *b = row_of(y, "f")->cell[GATE_FLAT];

	(void)state;
	assert_true(fabs(a->p_slower / b->p_slower - 1) < 1e-9);
	assert_true(fabs(a->before * 1e7 / b->before - 1) < 1e-9);
	assert_true(fabs(a->detectable * 1e7 / b->detectable - 1) < 1e-9);
	assert_int_equal(a->verdict, b->verdict);
	gate_free(x);
	gate_free(y);
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
	struct gate *x = fight(6, 3, calm, 1, 1), *y = fight(6, 3, wild, 1, 1);

	(void)state;
	assert_int_equal(row_of(x, "f")->verdict, GATE_REGRESSED);
	assert_int_equal(row_of(y, "f")->verdict, GATE_INCONCLUSIVE);
	assert_true(row_of(y, "f")->cell[GATE_CUM]->dispersion > 10);
	gate_free(x);
	gate_free(y);
}

/* The noise of work is made of that of its leaves, three tenths of it shared.
 */
static void
test_mix(void **state)
{
	static char text[][60] = {
		"# samples count\nmain;work;f 300\nmain;work;g 95\nmain;h "
		"500\n",
		"# samples count\nmain;work;f 410\nmain;work;g 105\nmain;h "
		"490\n",
		"# samples count\nmain;work;f 200\nmain;work;g 101\nmain;h "
		"505\n",
		"# samples count\nmain;work;f 290\nmain;work;g 99\nmain;h "
		"505\n",
	};
	char *const at[] = { text[0], text[1], text[2], text[3] };
	struct gate *g;
	struct prof_err err;
	double f = 1200.0 / 1600, mix;

	(void)state;
	assert_int_equal(compare(&defaults, at, 4, 2, 1, &g, &err), PROF_OK);
	mix = f * f * fmax(1, row_of(g, "f")->cell[GATE_FLAT]->factor) +
	      (1 - f) * (1 - f) *
		      fmax(1, row_of(g, "g")->cell[GATE_FLAT]->factor);
	assert_true(fabs(row_of(g, "work")->cell[GATE_CUM]->mix - mix) < 1e-9);
	assert_true(row_of(g, "work")->cell[GATE_FLAT]->p_slower == 1);
	assert_true(row_of(g, "f")->cell[GATE_CUM]->mix == 1);
	assert_true(g->total.cell[GATE_CUM]->mix == 1);
	gate_free(g);
}

/* --- rules --- */

/* f: 6000 before, 8000 after, of 21000 and 23000. Is its value within? */
static const struct {
	const char *text;
	bool is_within;
} limits[] = {
	{ "f <= +5%", false },
	{ "f <= +33%", false },
	{ "f cum <= +34%", true },
	{ "f flat < +2000ns", false },
	{ "f flat <= +2us", true },
	{ "f flat <= 8000ns", true },
	{ "f flat < 8us", false },
	{ "f flat <= -5%", false },
	{ "f flat <= +9% of total", false },
	{ "f flat <= +10% of total", true },
	{ "f flat <= 34%", false },
	{ "f flat <= 35% of total", true },
};

static enum prof_status
matches_none(void *ctx, size_t i, const struct str *name, bool *matches,
	     struct prof_err *err)
{
	(void)ctx;
	(void)i;
	(void)name;
	(void)err;
	*matches = false;
	return PROF_OK;
}

static void
test_limits(void **state)
{
	static const int count[][2] = { { 6000, 15000 }, { 8000, 15000 } };
	const struct rule_matcher matcher = { matches_none, NULL };
	struct gate *g = fight(2, 1, count, 1, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const char *text = limits[i].text;
		struct rule_budgets b;
		struct rule_budget *r;
		struct prof_err err;

		if (rule_budgets_parse(text, strlen(text), &b, &err) !=
			    PROF_OK ||
		    rule_check(&b, g, &matcher, &err) != PROF_OK)
			fail_msg("%s: %s", text, err.msg);
		r = b.rule;
		if ((r->limit.is_strict
			     ? r->value < r->bound
			     : r->value <= r->bound) != limits[i].is_within)
			fail_msg("%s", text);
		rule_budgets_release(&b);
	}
	gate_free(g);
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

/* --- groups --- */

/* Random stacks of 40 functions. */
static char *
random_calls(uint64_t seed)
{
	struct rng r = { seed };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fputs("# samples count\n", out);
	for (int i = 0; i < 300; i++) {
		for (uint32_t n = 1 + rng_draw(&r, 8); n > 0; n--)
			fprintf(out, "f%u%s", rng_draw(&r, 40),
				n > 1 ? ";" : " ");
		fprintf(out, "%u\n", 1 + rng_draw(&r, 9));
	}
	fclose(out);
	return text;
}

/* A group of one row is that row, of all rows the total, of two at most both.
 */
static void
test_groups(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		char *text[2] = { random_calls(2 * seed),
				  random_calls(2 * seed + 1) };
		struct gate_options o = defaults;
		unsigned char in[4][41] = { { 0 } };
		double value[4][2], square[4][2];
		struct prof_err err;
		struct gate *g;

		o.exact_names = true;
		if (compare(&o, text, 2, 1, 1, &g, &err) != PROF_OK)
			fail_msg("%s", err.msg);
		in[0][5] = in[1][9] = in[2][5] = in[2][9] = 1;
		memset(in[3], 1, sizeof(in[3]));
		for (size_t i = 0; i < 4; i++)
			gate_sum_stacks(g, in[i], value[i], square[i]);
		for (size_t i = 0; i < 2; i++) {
			assert_true(value[0][i] ==
				    gate_sums(g, g->value, 5, GATE_CUM)[i]);
			assert_true(square[1][i] ==
				    gate_sums(g, g->square, 9, GATE_CUM)[i]);
			assert_true(value[2][i] <= value[0][i] + value[1][i]);
			assert_true(value[2][i] >= value[0][i]);
			assert_true(value[3][i] == g->run[i].total.value);
		}
		gate_free(g);
		free(text[0]);
		free(text[1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),  cmocka_unit_test(test_guards),
		cmocka_unit_test(test_moves),    cmocka_unit_test(test_measure),
		cmocka_unit_test(test_mirror),   cmocka_unit_test(test_unit),
		cmocka_unit_test(test_noise),    cmocka_unit_test(test_mix),
		cmocka_unit_test(test_limits),   cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_patterns), cmocka_unit_test(test_groups),
	};

	/* Without GSL there are no distributions to test with. */
	if (!stats_dist()) {
		puts("1..0 # SKIP this build has no GSL");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
