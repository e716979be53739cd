/* changes.c - the laws of the table of changes, on random profiles. */
#include "config.h"

#include <string.h>

#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/ops/diff.h"
#include "lib/report/changes.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

enum { N_ROUND = 60, FLAGS = RANDOM_SIGNED | RANDOM_PLAIN };

static struct report_options
options(uint64_t round)
{
	static const enum granularity by[] = { BY_FUNCTION, BY_FILE_FUNCTION,
					       BY_FILE, BY_LINE };
	struct report_options o = {
		.divide_by = 1,
		.frames.granularity = by[round % 4],
		.graph.order = round % 3 ? GRAPH_BY_FLAT : GRAPH_BY_CUM,
	};

	return o;
}

/* The difference of two random profiles, as a report. */
static void
begin(uint64_t round, const struct report_options *o, struct report *r)
{
	struct diff_opts how = { .kind = DIFF_LABEL };
	struct profile *a = random_profile(2 * round, FLAGS);
	struct profile *b = random_profile(2 * round + 1, FLAGS), *d;
	struct diff_notes notes;

	assert_int_equal(profile_diff(a, b, &how, &d, &notes, NULL), PROF_OK);
	profile_free(a);
	profile_free(b);
	assert_int_equal(report_init(r, d, o, NULL), PROF_OK);
}

static struct changes *
changes_of(const struct report *r, bool keep_same)
{
	struct changes *c;

	assert_int_equal(changes_new(r, keep_same, &c, NULL), PROF_OK);
	return c;
}

static const struct change_row *
row_of(const struct changes *c, uint32_t key)
{
	for (size_t i = 0; i < c->n_row; i++)
		if (c->row[i].key == key)
			return &c->row[i];
	return NULL;
}

/* Frames of one profile with one granularity always have the same keys. */
static void
change_is_what_the_graph_says(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		struct report_options o = options(i);
		struct report r;
		struct frames *f;
		struct graph *g;

		begin(i, &o, &r);
		struct changes *c = changes_of(&r, true);
		assert_int_equal(report_graph(&r, &f, &g, NULL), PROF_OK);
		size_t n_changed = 0;
		for (size_t k = 0; k < c->n_row; k++)
			n_changed += change_size(c->row[k].flat) ||
				     change_size(c->row[k].cum);
		assert_int_equal(n_changed, g->n_node);
		for (size_t k = 0; k < g->n_node; k++) {
			const struct graph_node *n = &g->node[k];
			const struct change_row *row = row_of(c, n->key);

			assert_non_null(row);
			assert_int_equal(change_size(row->flat), n->flat.value);
			assert_int_equal(change_size(row->cum), n->cum.value);
		}
		graph_free(g);
		frames_free(f);
		changes_free(c);
		profile_free(r.p);
	}
}

/* One side of the rows against a report of that profile alone, by name. */
static void
check_side(const struct changes *c, uint64_t seed,
	   const struct report_options *o, bool is_base)
{
	struct profile *p = random_profile(seed, FLAGS);
	struct report r;
	struct frames *f;
	struct graph *g;

	assert_int_equal(report_init(&r, p, o, NULL), PROF_OK);
	assert_int_equal(report_graph(&r, &f, &g, NULL), PROF_OK);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct str *name = graph_name(g, &g->node[i]);
		int64_t left_flat = 0, left_cum = 0;

		for (size_t k = 0; k < g->n_node; k++) {
			if (strcmp(graph_name(g, &g->node[k])->s, name->s))
				continue;
			left_flat += g->node[k].flat.value;
			left_cum += g->node[k].cum.value;
		}
		for (size_t k = 0; k < c->n_row; k++) {
			const struct change_row *row = &c->row[k];

			if (strcmp(frames_text(c->frames, row->key)->s,
				   name->s))
				continue;
			left_flat -=
				is_base ? row->flat.before : row->flat.after;
			left_cum -= is_base ? row->cum.before : row->cum.after;
		}
		assert_int_equal(left_flat, 0);
		assert_int_equal(left_cum, 0);
	}
	graph_free(g);
	frames_free(f);
	profile_free(p);
}

static void
sides_are_what_each_profile_says(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		struct report_options o = options(i);
		struct report r;

		begin(i, &o, &r);
		struct changes *c = changes_of(&r, true);
		check_side(c, 2 * i, &o, true);
		check_side(c, 2 * i + 1, &o, false);
		changes_free(c);
		profile_free(r.p);
	}
}

static void
flat_adds_up(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		struct report_options o = options(i);
		struct report r;
		int64_t before = 0, after = 0;

		begin(i, &o, &r);
		struct base_mark mark = base_mark_of(r.p);
		struct changes *c = changes_of(&r, true);
		for (size_t k = 0; k < c->n_row; k++) {
			before += c->row[k].flat.before;
			after += c->row[k].flat.after;
		}
		for (size_t k = 0; k < r.p->n_sample; k++) {
			const struct sample *s = &r.p->sample[k];
			int64_t v = profile_value(r.p, k)[r.column];

			if (s->n_stack == 0)
				continue;
			if (base_mark_on(&mark, r.p, s))
				before += v;
			else
				after -= v;
		}
		assert_int_equal(before, 0);
		assert_int_equal(after, 0);
		changes_free(c);
		profile_free(r.p);
	}
}

static void
rows_are_in_order_and_all_are_counted(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		struct report_options o = options(i);
		struct report r;

		begin(i, &o, &r);
		struct changes *all = changes_of(&r, true);
		o.graph.node_fraction = 0.05;
		o.graph.node_count = 1 + (int64_t)(i % 7);
		struct changes *c = changes_of(&r, false);
		assert_int_equal(c->n_before + c->n_same + c->n_dropped,
				 all->n_row);
		assert_true(c->n_row <= (size_t)o.graph.node_count);
		for (size_t k = 0; k < c->n_row; k++) {
			struct change v = changes_main(c, &c->row[k]), w;

			assert_int_not_equal(change_size(v), 0);
			assert_true(units_abs(change_size(c->row[k].cum)) >=
				    c->cut);
			if (k == 0)
				continue;
			w = changes_main(c, &c->row[k - 1]);
			assert_true(units_abs(change_size(w)) >=
				    units_abs(change_size(v)));
		}
		changes_free(c);
		changes_free(all);
		profile_free(r.p);
	}
}

UNIT_TESTS(cmocka_unit_test(change_is_what_the_graph_says),
	   cmocka_unit_test(sides_are_what_each_profile_says),
	   cmocka_unit_test(flat_adds_up),
	   cmocka_unit_test(rows_are_in_order_and_all_are_counted))
