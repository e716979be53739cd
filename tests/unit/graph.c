/*
 * graph.c - laws of graphs and units on random profiles, and the graph
 * against a plain rereading of its rules (naive_*), trimmed and not.
 */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

#define N_PROFILE 400
#define MAX_KEY 64

/* A few functions and locations, some inlined; stacks with much recursion. */
static struct profile *
recursive_profile(uint64_t seed, bool is_signed)
{
	struct rng rng = { seed };
	struct profile *p = profile_new();
	uint32_t n_function = 2 + rng_draw(&rng, 8);
	uint32_t n_location = 2 + rng_draw(&rng, 12);
	char name[16];

	profile_add_type(p, "n", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	for (uint32_t i = 0; i < n_function; i++) {
		struct function f = { .start_line = i };

		snprintf(name, sizeof(name), "f%u", rng_draw(&rng, n_function));
		f.name = f.system_name = profile_intern(p, name);
		f.file = profile_intern(p, i % 3 ? "a.c" : "b.c");
		profile_add_function(p, &f);
	}
	for (uint32_t i = 0; i < n_location; i++) {
		struct location l = { .address = 16 + rng_draw(&rng, 8),
				      .mapping = PROF_NONE };
		uint32_t n = rng_draw(&rng, 3) ? 1 : rng_draw(&rng, 4);
		struct line line[3];

		for (uint32_t k = 0; k < n; k++)
			line[k] = (struct line){ .function = rng_draw(
							 &rng, n_function),
						 .line = rng_draw(&rng, 3) };
		profile_add_location(p, &l, line, n);
	}
	for (uint32_t i = 1 + rng_draw(&rng, 30); i-- > 0;) {
		uint32_t stack[12], n = rng_draw(&rng, 12);
		int64_t value[2] = { rng_draw(&rng, 4), rng_draw(&rng, 1000) };

		if (is_signed && rng_draw(&rng, 3) == 0)
			value[1] = -value[1];
		for (uint32_t k = 0; k < n; k++)
			stack[k] = rng_draw(&rng, n_location);
		profile_add_sample(p, stack, n, value, NULL, 0);
	}
	return p;
}

/* --- the rules, read again --- */

struct naive {
	int64_t flat[MAX_KEY], cum[MAX_KEY];
	int64_t weight[MAX_KEY][MAX_KEY];
	bool has_edge[MAX_KEY][MAX_KEY];
	bool is_residual[MAX_KEY][MAX_KEY], is_outlined[MAX_KEY][MAX_KEY];
};

/* The keys of a stack from its root, and which were inlined: how many. */
static size_t
expand(const struct frames *f, const struct sample *s, uint32_t *key,
       bool *is_inlined)
{
	const uint32_t *stack = profile_stack(f->p, s);
	size_t n = 0;

	for (uint32_t i = s->n_stack; i-- > 0;)
		for (uint32_t at = f->first[stack[i] + 1];
		     at-- > f->first[stack[i]];) {
			is_inlined[n] = at + 1 < f->first[stack[i] + 1];
			key[n++] = f->node[at];
		}
	return n;
}

static void
naive_sample(struct naive *g, const uint32_t *key, const bool *is_inlined,
	     size_t n, const bool *kept, int64_t w)
{
	bool seen[MAX_KEY] = { 0 }, edge[MAX_KEY][MAX_KEY] = { { 0 } };
	uint32_t parent = MAX_KEY;
	bool gap = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t k = key[i];

		if (!kept[k]) {
			gap = true;
			continue;
		}
		if (!seen[k])
			g->cum[k] += w;
		seen[k] = true;
		if (parent != MAX_KEY && parent != k && !edge[parent][k]) {
			edge[parent][k] = g->has_edge[parent][k] = true;
			g->weight[parent][k] += w;
			g->is_residual[parent][k] |= gap;
			g->is_outlined[parent][k] |= !is_inlined[i];
		}
		parent = k;
		gap = false;
	}
	if (parent != MAX_KEY && !gap)
		g->flat[parent] += w;
}

static void
naive_graph(struct naive *g, const struct frames *f, const bool *kept)
{
	memset(g, 0, sizeof(*g));
	for (size_t i = 0; i < f->p->n_sample; i++) {
		uint32_t key[64];
		bool is_inlined[64];
		size_t n = expand(f, &f->p->sample[i], key, is_inlined);
		int64_t w = profile_value(f->p, i)[1];

		if (w)
			naive_sample(g, key, is_inlined, n, kept, w);
	}
}

/* Is g what the rules say about the nodes that it has? */
static void
compare(const struct graph *g, const struct frames *f, int64_t edge_cut)
{
	static struct naive want;
	bool kept[MAX_KEY] = { 0 };
	size_t n_edge = 0;

	assert_true(f->n_key <= MAX_KEY);
	for (size_t i = 0; i < g->n_node; i++)
		kept[g->node[i].key] = true;
	naive_graph(&want, f, kept);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];

		assert_int_equal(n->cum.value, want.cum[n->key]);
		assert_int_equal(n->flat.value, want.flat[n->key]);
	}
	for (size_t i = 0; i < g->n_edge; i++) {
		const struct graph_edge *e = &g->edge[i];
		uint32_t a = g->node[e->from].key, b = g->node[e->to].key;

		assert_true(want.has_edge[a][b]);
		assert_int_equal(e->weight.value, want.weight[a][b]);
		assert_int_equal(e->is_residual, want.is_residual[a][b]);
		assert_int_equal(e->is_inlined, !want.is_outlined[a][b]);
	}
	for (uint32_t a = 0; a < f->n_key; a++)
		for (uint32_t b = 0; b < f->n_key; b++)
			n_edge += want.has_edge[a][b] &&
				  units_abs(want.weight[a][b]) >= edge_cut;
	assert_int_equal(g->n_edge, n_edge);
}

static struct graph *
make(const struct frames *f, const struct graph_options *o)
{
	struct prof_err err;
	struct graph *g;

	assert_int_equal(graph_new(f, o, &g, &err), PROF_OK);
	return g;
}

static int64_t
sum_flat(const struct graph *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < g->n_node; i++)
		sum += g->node[i].flat.value;
	return sum;
}

/* Laws of positive values. */
static void
check_laws(const struct graph *g, const struct profile *p)
{
	int64_t total = 0, in, out;

	for (size_t i = 0; i < p->n_sample; i++)
		if (p->sample[i].n_stack)
			total += profile_value(p, i)[1];
	assert_int_equal(sum_flat(g), total);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];

		in = out = 0;
		assert_true(n->cum.value >= n->flat.value);
		assert_true(n->cum.value <= total);
		for (uint32_t k = 0; k < n->n_in; k++) {
			assert_int_equal(g->edge[g->in[n->in + k]].to, i);
			in += g->edge[g->in[n->in + k]].weight.value;
		}
		for (uint32_t k = 0; k < n->n_out; k++) {
			const struct graph_edge *e =
				&g->edge[g->out[n->out + k]];

			assert_int_equal(e->from, i);
			assert_true(e->weight.value <= n->cum.value);
			out += e->weight.value;
		}
		/* What is not a node's own, it called for. */
		assert_true(out >= n->cum.value - n->flat.value);
		assert_true(in >= 0);
	}
}

static void
test_graph(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < N_PROFILE; seed++) {
		bool is_signed = seed % 3 == 0;
		struct profile *p = recursive_profile(seed * 7919, is_signed);
		struct frames_options fo = { .granularity = seed % 5,
					     .no_inlines = seed % 7 == 0 };
		struct graph_options o = { .column = 1,
					   .edges = GRAPH_ALL_EDGES };
		struct prof_err err;
		struct frames *f;
		struct graph *g;
		int64_t sum;

		assert_int_equal(frames_new(p, &fo, &f, &err), PROF_OK);
		g = make(f, &o);
		sum = sum_flat(g);
		if (!is_signed) {
			compare(g, f, 0);
			check_laws(g, p);
		}
		graph_free(g);

		/* The cut goes through the sketch. */
		o.node_fraction = 0.2;
		o.edge_fraction = 0.1;
		o.node_count = (int64_t)(seed % 6);
		g = make(f, &o);
		if (g->n_dropped_node || (!is_signed && g->n_before))
			compare(g, f,
				units_abs(units_times(sum, o.edge_fraction)));
		graph_free(g);
		frames_free(f);
		profile_free(p);
	}
}

/* In a call tree everything adds up exactly: recursion is not folded. */
static void
test_call_tree(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < N_PROFILE; seed++) {
		struct profile *p = recursive_profile(seed * 104729, false);
		struct frames_options fo = { .granularity = BY_FUNCTION };
		struct graph_options o = { .column = 1,
					   .edges = GRAPH_ALL_EDGES,
					   .order = GRAPH_BY_ENTROPY,
					   .call_tree = true };
		struct prof_err err;
		struct frames *f;
		struct graph *g;

		assert_int_equal(frames_new(p, &fo, &f, &err), PROF_OK);
		g = make(f, &o);
		for (size_t i = 0; i < g->n_node; i++) {
			const struct graph_node *n = &g->node[i];
			int64_t sum = n->flat.value;

			assert_true(n->n_in <= 1);
			for (uint32_t k = 0; k < n->n_out; k++)
				sum += g->edge[g->out[n->out + k]].weight.value;
			assert_int_equal(sum, n->cum.value);
		}
		graph_free(g);
		/* Trimmed, it is still a forest. */
		o.node_fraction = 0.05;
		o.node_count = 5;
		g = make(f, &o);
		for (size_t i = 0; i < g->n_node; i++)
			assert_true(g->node[i].n_in <= 1);
		graph_free(g);
		frames_free(f);
		profile_free(p);
	}
}

static void
test_units(void **state)
{
	static const struct {
		int64_t v;
		const char *from, *to, *text;
	} row[] = {
		{ 1500000000, "nanoseconds", "auto", "1.50s" },
		{ 94290000, "nanoseconds", "ms", "94.29ms" },
		{ 100, "bytes", "kb", "0.10kB" },
		{ 100, "Bytes", "MB", "0" },
		{ 13, "objects", "objects", "13objects" },
		{ 660, "count", "minimum", "660" },
		{ 20, "count", "ms", "20ms" },
		{ 5000000000, "ns", "foo", "5s" },
		{ 2048, "bytes", "ms", "2048B" },
		{ -150000000, "nanoseconds", "minimum", "-150ms" },
		{ 0, "nanoseconds", "auto", "0" },
		{ 7200, "s", "auto", "2hrs" },
		{ 3, "min", "auto", "3" },
		{ INT64_MIN, "nanoseconds", "auto", "-9223372036.85s" },
		{ 1000, "nanogcu", "auto", "1u*GCU" },
	};
	static const struct {
		int64_t v, total;
		const char *text;
	} percent[] = {
		{ 300, 660, "45.45%" },
		{ 60, 660, " 9.09%" },
		{ 9009, 1000000, "  0.9%" },
		{ 12, 100000, "0.012%" },
		{ 0, 5, "    0%" },
		{ 5, 0, "    0%" },
		{ 9996, 10000, "  100%" },
		{ -2, 1, "200.00%" },
		{ 25, 10000000000, "2.5e-07%" },
	};
	char text[UNITS_PERCENT], got[128];
	struct quantity q;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		units_format(&q, row[i].v, row[i].from, row[i].to);
		snprintf(got, sizeof(got), "%s%s", q.number, q.unit);
		assert_string_equal(got, row[i].text);
	}
	for (size_t i = 0; i < sizeof(percent) / sizeof(percent[0]); i++) {
		units_percent(text, percent[i].v, percent[i].total);
		assert_string_equal(text, percent[i].text);
	}
	assert_int_equal(units_times(INT64_MAX, 2), INT64_MAX);
	assert_int_equal(units_times(INT64_MIN, 2), INT64_MIN);
	assert_int_equal(units_times(-7, 0.5), -3);
	assert_int_equal(units_add(INT64_MIN, -1), INT64_MIN);
	assert_int_equal(units_mean(INT64_MIN, -1), INT64_MAX);
	assert_int_equal(units_mean(-7, 2), -3);
}

/* The referee of fractions is printf(). */
static void
same_as_printf(double x)
{
	char got[DECIMAL_FRACTION], want[DECIMAL_FRACTION];
	size_t n = decimal_hundredths(got, x);

	assert_int_equal(n, snprintf(want, sizeof(want), "%.2f", x));
	assert_string_equal(got, want);
	n = decimal_two_digits(got, x);
	assert_int_equal(n, snprintf(want, sizeof(want), "%.2g", x));
	assert_string_equal(got, want);
}

static void
test_fractions(void **state)
{
	static const double special[] = {
		0,     -0.0,    1,          0.125,     0.375,
		2.675, 0.0001,  0.00009999, 0.099951,  0.995,
		9.95,  9.949,   99.995,     999999999, 1e9,
		1e22,  DBL_MAX, DBL_MIN,    HUGE_VAL,  (double)NAN
	};

	(void)state;
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		same_as_printf(special[i]);
		same_as_printf(-special[i]);
	}
	/* Hundredths, and ties of them, with their neighbours. */
	for (unsigned i = 0; i < 20000; i++) {
		double x = i / 200.0;

		same_as_printf(x);
		same_as_printf(nextafter(x, 0));
		same_as_printf(nextafter(x, 1e9));
		same_as_printf(x / 7e4);
	}
}

/* The printed file of a function in a/b.c and so on. */
static void
test_paths(void **state)
{
	static const struct {
		const char *path, *trim, *source, *want;
	} row[] = {
		{ "a//b/../c.c", NULL, NULL, "a/c.c" },
		{ "/../x.c", NULL, NULL, "/x.c" },
		{ "../../x.c", NULL, NULL, "../../x.c" },
		{ "./a/./", NULL, NULL, "a" },
		{ "a/..", NULL, NULL, "." },
		{ "/src/demo/work.c", "/src:/foo", NULL, "demo/work.c" },
		{ "/src/demo/work.c", "/foo:/src/", NULL, "demo/work.c" },
		{ "/srcx/work.c", "/src", NULL, "/srcx/work.c" },
		{ "/proc/self/cwd/./a.c", "/x", NULL, "a.c" },
		{ "/proc/self/cwd/a.c", NULL, NULL, "/proc/self/cwd/a.c" },
		{ "/src/demo/work.c", NULL, "/y:/x/demo", "work.c" },
		{ "/demo/demo/w.c", NULL, "/x/demo/", "demo/w.c" },
		{ "/src/demo/work.c", NULL, "", "/src/demo/work.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct frames_options fo = { .granularity = BY_FILE,
					     .trim_path = row[i].trim,
					     .source_path = row[i].source };
		struct profile *p = profile_new();
		struct function fn = { .file = profile_intern(p, row[i].path) };
		struct location l = { .mapping = PROF_NONE };
		struct line line = { 0 };
		struct prof_err err;
		struct frames *f;

		profile_add_function(p, &fn);
		profile_add_location(p, &l, &line, 1);
		assert_int_equal(frames_new(p, &fo, &f, &err), PROF_OK);
		assert_string_equal(frames_text(f, 0)->s, row[i].want);
		frames_free(f);
		profile_free(p);
	}
}

UNIT_TESTS(cmocka_unit_test(test_graph), cmocka_unit_test(test_call_tree),
	   cmocka_unit_test(test_units), cmocka_unit_test(test_fractions),
	   cmocka_unit_test(test_paths))
