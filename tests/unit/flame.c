/*
 * flame.c - the tree of stacks on random profiles: every sample ends where
 * its own stack leads, no node twice, children in order, cut or not.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/report/flame/flame.h"
#include "lib/report/palette.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

#define N_PROFILE 300
#define MAX_STACK 40

/* Stacks over few locations, so that many begin in the same way. */
static struct profile *
shared_stacks(struct rng *rng, uint32_t n_location, uint32_t n_sample)
{
	struct profile *p = profile_new();
	struct line line[3] = { { 0 } };
	uint32_t stack[MAX_STACK];

	profile_add_type(p, "cpu", "nanoseconds");
	profile_add_function(p, &(struct function){ 0 });
	for (uint32_t i = 0; i < n_location; i++)
		profile_add_location(p,
				     &(struct location){ .mapping = PROF_NONE },
				     line, 1 + rng_draw(rng, 3));
	for (uint32_t i = 0; i < n_sample; i++) {
		uint32_t n = rng_draw(rng, rng_draw(rng, 8) ? 6 : MAX_STACK);
		int64_t value = 1;

		for (uint32_t k = 0; k < n; k++)
			stack[k] = rng_draw(rng, n_location);
		profile_add_sample(p, stack, n, &value, NULL, 0);
	}
	return p;
}

/* The path of a sample as the source says, from the root; returns its length.
 */
static uint32_t
path_of(const struct flame_source *src, uint32_t sample, uint32_t *path)
{
	const struct sample *s = &src->p->sample[sample];
	const uint32_t *stack = profile_stack(src->p, s);
	uint32_t n = 0, all[MAX_STACK * 3], m = 0;

	/* Leaf first. */
	for (uint32_t i = 0; i < s->n_stack; i++)
		for (uint32_t k = src->first[stack[i]];
		     k < src->first[stack[i] + 1]; k++)
			all[m++] = src->frame[k];
	for (uint32_t i = 0; i < m; i++) {
		uint32_t f = all[src->is_reversed ? i : m - 1 - i];

		if (src->rename)
			f = src->rename[f];
		if (f != FLAME_NONE &&
		    !(src->joins_equal && n && path[n - 1] == f))
			path[n++] = f;
	}
	return n;
}

static void
check_samples(const struct flame_source *src, const struct flame_tree *t,
	      uint32_t most, uint32_t cut)
{
	uint32_t path[MAX_STACK * 3];

	for (uint32_t i = 0; i < src->p->n_sample; i++) {
		uint32_t n = path_of(src, i, path), node = t->of[i];

		if (n > most) {
			assert_int_equal(t->frame[node], cut);
			node = t->parent[node];
			n = most;
		}
		while (n--) {
			assert_int_not_equal(node, 0);
			assert_int_equal(t->frame[node], path[n]);
			node = t->parent[node];
		}
		assert_int_equal(node, 0);
	}
}

static void
check_tree(const struct flame_tree *t, const uint32_t *rank)
{
	for (uint32_t i = 0; i < t->n_node; i++) {
		uint32_t last = FLAME_NONE, at = i + 1;

		for (; at < t->end[i]; at = t->end[at]) {
			uint32_t r = rank[t->frame[at]];

			assert_int_equal(t->parent[at], i);
			assert_true(last == FLAME_NONE || r > last);
			last = r;
		}
		assert_int_equal(at, t->end[i]);
	}
	assert_int_equal(t->end[0], t->n_node);
}

static void
shuffle(uint32_t *a, uint32_t n, struct rng *rng)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = rng_draw(rng, i), x = a[k];

		a[k] = a[i - 1];
		a[i - 1] = x;
	}
}

/* One profile, read in one way: the whole tree, another order, and a cut. */
static void
check_source(const struct flame_source *src, struct rng *rng)
{
	uint32_t rank[64], keep[512], most = rng_draw(rng, 8);
	uint32_t n = (uint32_t)src->n_frame;
	struct flame_cut cut = { .keep = keep, .frame = n };
	struct flame_stacks s;
	struct flame_tree t;
	struct prof_err err;

	shuffle(rank, n, rng);
	assert_int_equal(flame_stacks_init(&s, src, &err), PROF_OK);
	assert_int_equal(flame_stacks_sort(&s, rank, &err), PROF_OK);
	assert_int_equal(flame_tree_init(&t, &s, NULL, &err), PROF_OK);
	assert_int_equal(t.n_node, flame_stacks_nodes(&s) + 1);
	check_samples(src, &t, UINT32_MAX, n);
	check_tree(&t, rank);

	shuffle(rank, n, rng);
	assert_int_equal(flame_tree_sort(&t, rank, n, src->p->n_sample, &err),
			 PROF_OK);
	check_samples(src, &t, UINT32_MAX, n);
	check_tree(&t, rank);
	flame_tree_release(&t);

	for (size_t i = 0; i < s.n; i++) {
		keep[i] = flame_stack_length(&s, s.order[i]);
		keep[i] = keep[i] < most ? keep[i] : most;
	}
	assert_int_equal(flame_tree_init(&t, &s, &cut, &err), PROF_OK);
	rank[n] = n;
	assert_int_equal(
		flame_tree_sort(&t, rank, n + 1, src->p->n_sample, &err),
		PROF_OK);
	check_samples(src, &t, most, n);
	check_tree(&t, rank);
	flame_tree_release(&t);
	flame_stacks_release(&s);
}

static void
trees_of_random_stacks(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_PROFILE; i++) {
		struct rng rng = { i };
		uint32_t first[64], frame[192], rename[64];
		uint32_t n_location = 1 + rng_draw(&rng, 20), n = 0;
		struct profile *p =
			shared_stacks(&rng, n_location, rng_draw(&rng, 400));
		struct flame_source src = {
			.p = p,
			.first = first,
			.frame = frame,
			.n_frame = 1 + rng_draw(&rng, 60),
			.is_reversed = rng_draw(&rng, 2),
			.joins_equal = rng_draw(&rng, 2),
			.rename = rng_draw(&rng, 2) ? rename : NULL,
		};

		for (uint32_t l = 0; l < n_location; l++) {
			first[l] = n;
			for (uint32_t k = 0; k < p->location[l].n_line; k++)
				frame[n++] =
					rng_draw(&rng, (uint32_t)src.n_frame);
		}
		first[n_location] = n;
		for (uint32_t f = 0; f < src.n_frame; f++)
			rename[f] =
				rng_draw(&rng, 5)
					? rng_draw(&rng, (uint32_t)src.n_frame)
					: FLAME_NONE;
		check_source(&src, &rng);
		profile_free(p);
	}
}

static void
packages_of_names(void **state)
{
	const char *top = getenv("abs_srcdir");
	char line[512];
	FILE *f;
	int n = 0;

	(void)state;
	snprintf(line, sizeof(line), "%s/tests/unit/packages.tsv",
		 top ? top : ".");
	f = fopen(line, "r");
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); n++) {
		char *want = strchr(line, '\t');
		size_t len;

		assert_non_null(want);
		*want++ = '\0';
		const char *got = palette_package(line, strlen(line), &len);

		if (len != strcspn(want, "\n") || memcmp(got, want, len))
			fail_msg("%s: %.*s, not %s", line, (int)len, got, want);
		/* The start of a name may be all there is. */
		for (size_t i = 0; i < strlen(line); i++) {
			char *part = malloc(i + 1);

			assert_non_null(part);
			memcpy(part, line, i);
			got = palette_package(part, i, &len);
			assert_true(got + len <= part + i);
			free(part);
		}
	}
	assert_true(n > 30);
	fclose(f);
}

UNIT_TESTS(cmocka_unit_test(packages_of_names),
	   cmocka_unit_test(trees_of_random_stacks))
