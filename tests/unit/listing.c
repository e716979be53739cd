/*
 * listing.c - blocks, lines, ranges and sums of listings that pprof gives
 * at random, or that the text fixtures cannot say: start lines.
 */
#include "config.h"

#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/listing.h"
#include "tests/unit/unit.h"

static bool
all(const struct str *name, void *ctx)
{
	(void)name;
	(void)ctx;
	return true;
}

static struct profile *
begin(void)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	assert_int_equal(profile_add_type(p, "samples", "count"), 0);
	return p;
}

/* A location of function name, which begins at line start, at line line. */
static uint32_t
add_location(struct profile *p, const char *name, int64_t start, int64_t line)
{
	struct function f = {
		.name = profile_intern(p, name),
		.file = profile_intern(p, "work.c"),
		.start_line = start,
	};
	struct line l = { .line = line };
	struct location at = { .mapping = PROF_NONE };

	l.function = profile_add_function(p, &f);
	return profile_add_location(p, &at, &l, 1);
}

static void
add_sample(struct profile *p, int64_t value, size_t n, const uint32_t *stack)
{
	profile_add_sample(p, stack, n, &value, NULL, 0);
}

static struct listing *
list(struct profile *p, const struct graph_options *o, struct frames **f)
{
	const struct frames_options by = { .granularity = BY_LINE,
					   .by_object = true };
	struct listing *l;
	struct prof_err err;

	assert_int_equal(frames_new(p, &by, f, &err), PROF_OK);
	assert_int_equal(listing_new(*f, o, false, all, NULL, &l, &err),
			 PROF_OK);
	return l;
}

static void
end(struct profile *p, struct frames *f, struct listing *l)
{
	listing_free(l);
	frames_free(f);
	profile_free(p);
}

/* Two functions of one name: the range has both, in any order of samples. */
static void
ranges(void **state)
{
	const struct graph_options o = { 0 };

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct profile *p = begin();
		uint32_t known = add_location(p, "ov", 10, 50);
		uint32_t unknown = add_location(p, "ov", 0, 20);
		struct frames *f;
		struct listing *l;

		add_sample(p, 1, 1, turn ? &known : &unknown);
		add_sample(p, 2, 1, turn ? &unknown : &known);
		l = list(p, &o, &f);
		assert_int_equal(l->n_block, 1);
		assert_int_equal(l->block[0].first, 10);
		assert_int_equal(l->block[0].last, 55);
		assert_int_equal(l->block[0].n_line, 2);
		assert_int_equal(l->block[0].cum, 3);
		end(p, f, l);
	}
}

/* Neither the end of the numbers nor what is before the first line wraps. */
static void
extremes(void **state)
{
	const struct graph_options o = { 0 };
	struct profile *p = begin();
	uint32_t last = add_location(p, "last", 0, INT64_MAX);
	uint32_t least = add_location(p, "least", 0, INT64_MIN);
	struct listing *l;
	struct frames *f;

	(void)state;
	add_sample(p, INT64_MAX, 1, &last);
	add_sample(p, INT64_MAX, 1, &last);
	add_sample(p, INT64_MIN, 1, &least);
	l = list(p, &o, &f);
	assert_int_equal(l->n_block, 2);
	assert_int_equal(l->block[0].last, INT64_MAX);
	assert_int_equal(l->block[0].flat, INT64_MAX);
	assert_int_equal(l->block[1].first, 1);
	assert_int_equal(l->block[1].last, INT64_MIN + LISTING_MARGIN);
	end(p, f, l);
}

/* What a block counts is what its lines show. */
static void
negative(void **state)
{
	const struct graph_options o = { .drop_negative = true };
	struct profile *p = begin();
	uint32_t up = add_location(p, "f", 1, 5);
	uint32_t down = add_location(p, "f", 1, 8);
	uint32_t even = add_location(p, "even", 1, 8);
	struct listing *l;
	struct frames *f;

	(void)state;
	add_sample(p, 7, 1, &up);
	add_sample(p, -3, 1, &down);
	add_sample(p, 2, 1, &even);
	add_sample(p, -2, 1, &even);
	l = list(p, &o, &f);
	assert_int_equal(l->n_block, 1);
	assert_int_equal(l->block[0].flat, 7);
	assert_int_equal(l->block[0].n_line, 1);
	assert_int_equal(l->block[0].last, 10);
	end(p, f, l);
}

UNIT_TESTS(cmocka_unit_test(ranges), cmocka_unit_test(extremes),
	   cmocka_unit_test(negative))
