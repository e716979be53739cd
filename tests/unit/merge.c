/* merge.c - the laws of adding profiles, on random ones. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"
#include "lib/wire/codec.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

enum { N_ROUND = 60 };

/* The sum of n profiles, in the order of the digits of order: 2 is p[2]. */
static struct profile *
sum(enum columns_mode mode, struct profile *const *p, const char *order)
{
	struct merge *m = merge_new(mode);
	struct prof_err err = { 0 };
	struct profile *out;

	assert_non_null(m);
	for (; *order; order++)
		if (merge_add(m, p[*order - '0'], 1, &err) != PROF_OK)
			fail_msg("merge_add: %s", err.msg);
	assert_int_equal(merge_result(m, &out, NULL, &err), PROF_OK);
	merge_free(m);
	if (profile_check(out, &err) != PROF_OK)
		fail_msg("profile_check: %s", err.msg);
	return out;
}

static void
assert_same(struct profile *a, struct profile *b)
{
	struct buf x = { 0 }, y = { 0 };

	assert_int_equal(profile_encode(a, &x, NULL), PROF_OK);
	assert_int_equal(profile_encode(b, &y, NULL), PROF_OK);
	assert_int_equal(x.n, y.n);
	assert_memory_equal(x.data, y.data, x.n);
	buf_release(&x);
	buf_release(&y);
}

static void
any_order(enum columns_mode mode, unsigned flags)
{
	static const char *const orders[] = { "102", "120", "201", "210",
					      "021" };

	for (uint64_t round = 0; round < N_ROUND; round++) {
		struct profile *p[3], *want, *have;

		for (uint64_t i = 0; i < 3; i++)
			p[i] = random_profile(3 * round + i, flags);
		want = sum(mode, p, "012");
		for (size_t i = 0; i < 5; i++) {
			have = sum(mode, p, orders[i]);
			assert_same(want, have);
			profile_free(have);
		}
		profile_free(want);
		for (size_t i = 0; i < 3; i++)
			profile_free(p[i]);
	}
}

static void
order_does_not_matter(void **state)
{
	(void)state;
	any_order(COLUMNS_STRICT, 0);
	any_order(COLUMNS_STRICT, RANDOM_MOVED);
	any_order(COLUMNS_STRICT, RANDOM_SIGNED | RANDOM_UNITS);
}

static void
order_does_not_matter_to_columns(void **state)
{
	const unsigned all = RANDOM_COLUMNS | RANDOM_UNITS | RANDOM_MOVED;

	(void)state;
	any_order(COLUMNS_UNION, all | RANDOM_SIGNED);
}

static void
grouping_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < N_ROUND; round++) {
		unsigned flags = round % 2 ? RANDOM_UNITS : RANDOM_MOVED;
		struct profile *p[4], *want, *half[2], *have;

		for (uint64_t i = 0; i < 4; i++)
			p[i] = random_profile(1000 + 4 * round + i, flags);
		want = sum(COLUMNS_STRICT, p, "0123");
		half[0] = sum(COLUMNS_STRICT, p, "02");
		half[1] = sum(COLUMNS_STRICT, p, "31");
		have = sum(COLUMNS_STRICT, half, "01");
		assert_same(want, have);
		profile_free(have);
		profile_free(half[0]);
		half[0] = sum(COLUMNS_STRICT, p, "0");
		have = sum(COLUMNS_STRICT,
			   (struct profile *[]){ half[1], half[0], p[2] },
			   "012");
		assert_same(want, have);
		profile_free(have);
		for (size_t i = 0; i < 2; i++)
			profile_free(half[i]);
		profile_free(want);
		for (size_t i = 0; i < 4; i++)
			profile_free(p[i]);
	}
}

static void
the_sum_of_one_is_stable(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < N_ROUND; round++) {
		struct profile *p = random_profile(5000 + round, RANDOM_SIGNED);
		struct profile *once, *twice;

		assert_int_equal(profile_compact(p, &once, NULL), PROF_OK);
		assert_int_equal(profile_compact(once, &twice, NULL), PROF_OK);
		assert_same(once, twice);
		profile_free(p);
		profile_free(once);
		profile_free(twice);
	}
}

static void
a_weight_is_so_many_of_one(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < N_ROUND; round++) {
		struct profile *p[2] = { random_profile(7000 + round, 0),
					 random_profile(8000 + round, 0) };
		struct profile *want = sum(COLUMNS_STRICT, p, "00010"), *have;
		struct merge *m = merge_new(COLUMNS_STRICT);

		assert_int_equal(merge_add(m, p[1], 1, NULL), PROF_OK);
		assert_int_equal(merge_add(m, p[0], 4, NULL), PROF_OK);
		assert_int_equal(merge_result(m, &have, NULL, NULL), PROF_OK);
		assert_same(want, have);
		merge_free(m);
		profile_free(have);
		profile_free(want);
		profile_free(p[0]);
		profile_free(p[1]);
	}
}

/* A profile with one sample, "f 1 V", in columns as named. */
static struct profile *
one(const char *columns, const char *values)
{
	struct profile *p;
	char text[300];

	snprintf(text, sizeof(text), "# %s\nmain;f %s\n", columns, values);
	assert_int_equal(fixture_parse(text, &p, NULL), PROF_OK);
	return p;
}

static void
large_sums_saturate_in_the_end(void **state)
{
	struct profile *p[3] = {
		one("n count", "9223372036854775807"),
		one("n count", "5"),
		one("n count", "-9223372036854775807"),
	};
	struct profile *out = sum(COLUMNS_STRICT, p, "010");
	struct merge_notes notes;
	struct merge *m = merge_new(COLUMNS_STRICT);

	(void)state;
	assert_int_equal(out->value[0], INT64_MAX);
	profile_free(out);
	/* Nothing is lost on the way. */
	out = sum(COLUMNS_STRICT, p, "00122");
	assert_int_equal(out->value[0], 5);
	profile_free(out);

	assert_int_equal(merge_add(m, p[2], 1000000, NULL), PROF_OK);
	assert_int_equal(merge_result(m, &out, &notes, NULL), PROF_OK);
	assert_int_equal(notes.n_saturated, 1);
	assert_int_equal(out->value[0], INT64_MIN);
	profile_free(out);
	merge_free(m);
	for (int i = 0; i < 3; i++)
		profile_free(p[i]);
}

/* A profile of one sample, in function f at address 0x10 of a mapping, or of
 * none. */
static struct profile *
one_address(const char *build_id)
{
	struct profile *p = profile_new();
	struct function f = { .id = 1 };
	struct mapping m = { .start = 0x1000, .limit = 0x2000 };
	struct location l = { .address = 0x10, .mapping = PROF_NONE };
	struct line line = { .line = 7 };
	uint32_t at;

	profile_add_type(p, "cpu", "nanoseconds");
	f.name = profile_intern(p, "f");
	profile_add_function(p, &f);
	if (build_id) {
		m.build_id = profile_intern(p, build_id);
		l.mapping = profile_add_mapping(p, &m);
		l.address += m.start;
	}
	at = profile_add_location(p, &l, &line, 1);
	profile_add_sample(p, &at, 1, (int64_t[]){ 1 }, NULL, 0);
	return p;
}

/* Its address is 0x10 as well, but relative to something that is new. */
static void
an_unknown_mapping_is_not_none(void **state)
{
	struct profile *p[3] = { one_address(NULL), one_address("aa"),
				 one_address("bb") };
	struct profile *out = sum(COLUMNS_STRICT, p, "012012");

	(void)state;
	assert_int_equal(out->n_location, 3);
	assert_int_equal(out->n_mapping, 2);
	assert_int_equal(out->n_sample, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(out->value[i], 2);
	profile_free(out);
	for (size_t i = 0; i < 3; i++)
		profile_free(p[i]);
}

/*
 * Words that profiles have: a start line that is the name's number, a callee
 * next to its caller, pages, a pair in one word. Of any key, the low bits tell
 * them apart nearly as well as chance would (31 of 32).
 */
static void
regular_words_do_not_collide(void **state)
{
	enum { N = 4096, N_KEY = 300 };
	static uint8_t seen[N * 16];
	struct rng rng = { 1 };

	(void)state;
	for (int k = 0; k < N_KEY * 4; k++) {
		uint64_t key[2] = { 0 };
		size_t n = 0;

		for (int i = 0; i < 4; i++)
			key[i % 2] =
				key[i % 2] << 32 | rng_draw(&rng, UINT32_MAX);
		memset(seen, 0, sizeof(seen));
		for (uint64_t i = 0; i < N; i++) {
			const uint64_t word[4][2] = { { i, i ^ 1 },
						      { i, i + 1 },
						      { 0, i << 12 },
						      { i << 32, i } };
			uint64_t h =
				hash_mix(key, word[k % 4][0], word[k % 4][1]) %
				sizeof(seen);

			n += !seen[h];
			seen[h] = 1;
		}
		assert_true(n > N * 15 / 16);
	}
}

UNIT_TESTS(cmocka_unit_test(order_does_not_matter),
	   cmocka_unit_test(order_does_not_matter_to_columns),
	   cmocka_unit_test(grouping_does_not_matter),
	   cmocka_unit_test(the_sum_of_one_is_stable),
	   cmocka_unit_test(a_weight_is_so_many_of_one),
	   cmocka_unit_test(large_sums_saturate_in_the_end),
	   cmocka_unit_test(an_unknown_mapping_is_not_none),
	   cmocka_unit_test(regular_words_do_not_collide))
