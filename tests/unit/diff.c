/* diff.c - the laws of differences, on random profiles; names. */
#include "config.h"

#include <string.h>

#include "lib/model/profile.h"
#include "lib/ops/diff.h"
#include "lib/ops/merge.h"
#include "lib/ops/names.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

enum { N_ROUND = 60 };

static struct profile *
sum(const struct profile *a, const struct profile *b)
{
	struct merge *m = merge_new(COLUMNS_STRICT);
	struct profile *out;

	assert_int_equal(merge_add(m, a, 1, NULL), PROF_OK);
	assert_int_equal(merge_add(m, b, 1, NULL), PROF_OK);
	assert_int_equal(merge_result(m, &out, NULL, NULL), PROF_OK);
	merge_free(m);
	return out;
}

/* new - base; both are freed. */
static struct profile *
diff(struct profile *base, struct profile *new, struct diff_opts opts,
     struct diff_notes *notes)
{
	struct prof_err err = { 0 };
	struct profile *out;

	if (profile_diff(base, new, &opts, &out, notes, &err) != PROF_OK)
		fail_msg("profile_diff: %s", err.msg);
	if (profile_check(out, &err) != PROF_OK)
		fail_msg("profile_check: %s", err.msg);
	profile_free(base);
	profile_free(new);
	return out;
}

static const struct diff_opts subtract = { .kind = DIFF_SUBTRACT,
					   .verdict = true };

static void
a_minus_a_is_nothing(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		struct diff_notes notes;
		struct profile *out = diff(random_profile(i, RANDOM_SIGNED),
					   random_profile(i, RANDOM_SIGNED),
					   subtract, &notes);

		assert_int_equal(out->n_sample, 0);
		assert_int_equal(out->n_location, 0);
		assert_false(notes.differ);
		profile_free(out);
	}
}

static void
a_plus_b_minus_b_is_a(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		unsigned flags = i % 2 ? RANDOM_SIGNED : 0;
		struct profile *a = random_profile(i, flags);
		struct profile *b = random_profile(i + 500, flags);
		struct profile *ab = sum(a, b), *rest;
		struct diff_notes notes;

		rest = diff(b, ab, subtract, &notes);
		rest = diff(rest, a, subtract, &notes);
		assert_int_equal(rest->n_sample, 0);
		assert_false(notes.differ);
		profile_free(rest);
	}
}

static void
a_labelled_difference_has_both_sides(void **state)
{
	struct diff_opts opts = { .kind = DIFF_LABEL, .verdict = true };
	struct diff_notes notes;

	(void)state;
	for (uint64_t i = 0; i < N_ROUND; i++) {
		struct profile *a = random_profile(i, 0), *compact, *out;
		size_t n_marked = 0;

		assert_int_equal(profile_compact(a, &compact, NULL), PROF_OK);
		out = diff(a, random_profile(i, 0), opts, &notes);
		assert_int_equal(out->n_sample, 2 * compact->n_sample);
		assert_false(notes.differ);
		for (size_t s = 0; s < out->n_sample; s++) {
			const struct sample *at = &out->sample[s];

			for (uint32_t k = 0; k < at->n_label; k++) {
				const struct label *l =
					&profile_label(out, at)[k];

				n_marked += !strcmp(profile_str(out, l->key),
						    "pprof::base");
			}
		}
		assert_int_equal(n_marked, compact->n_sample);
		profile_free(compact);
		profile_free(out);
	}
}

static void
names_lose_their_numbers(void **state)
{
	static const char *const pair[][2] = {
		{ "f.cold", "f" },
		{ "f.part.0", "f" },
		{ "f.isra.0.part.12.cold", "f" },
		{ "f(int) [clone .part.0] [clone .cold.3]", "f(int)" },
		{ "f.llvm.1234567", "f" },
		{ "f.llvm", "f.llvm" },
		{ "runtime.clone", "runtime.clone" },
		{ ".cold", ".cold" },
		{ "a.cold.b", "a.cold.b" },
		{ "main.f.func2", "main.f.func" },
		{ "main.f.func2.1.3", "main.f.func" },
		{ "main.f.gowrap12", "main.f.gowrap" },
		{ "main.func1Name", "main.func1Name" },
		{ "sha256.block.1", "sha256.block.1" },
		{ "f()::{lambda(int)#2}::operator()",
		  "f()::{lambda(int)#}::operator()" },
		{ "f()::'lambda3'(int)", "f()::'lambda'(int)" },
		{ "f::$_12::operator()", "f::$_::operator()" },
		{ "a::b::h0123456789abcdef", "a::b" },
		{ "::h0123456789abcdef", "::h0123456789abcdef" },
		{ "a::b::h0123456789abcde", "a::b::h0123456789abcde" },
		{ "_ZN1a1b17h0123456789abcdefE", "_ZN1a1bE" },
		{ "C.lambda$run$0", "C.lambda$run$" },
		{ "C.run$0", "C.run$0" },
		{ "", "" },
		{ "1", "1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		unsigned char used[NAMES_N_RULE] = { 0 };
		char text[100];
		size_t n, n_used = 0;

		strcpy(text, pair[i][0]);
		n = names_normalize_text(text, strlen(text), used);
		text[n] = '\0';
		assert_string_equal(text, pair[i][1]);
		for (size_t k = 0; k < NAMES_N_RULE; k++)
			n_used += used[k];
		assert_true(!n_used == !strcmp(pair[i][0], pair[i][1]));
		/* What is normal stays as it is. */
		assert_int_equal(names_normalize_text(text, n, used), n);
	}
}

static void
names_of_rust_lose_their_generics(void **state)
{
	static const char *const pair[][2] = {
		{ "m::count::<>", "m::count" },
		{ "alloc::vec::Vec<T>::push", "alloc::vec::Vec::push" },
		{ "<alloc::vec::Vec<u8>>::push", "alloc::vec::Vec::push" },
		{ "<a::S<T> as b::T<fn() -> c::D<u8>>>::f::<E<u8>>::g",
		  "<a::S as b::T>::f::g" },
		{ "<a::S as b::T>::f::{{closure}}",
		  "<a::S as b::T>::f::{closure}" },
		{ "<a::S as b::T>::f::{closure#}::{closure#}",
		  "<a::S as b::T>::f::{closure}::{closure}" },
		{ "core::str::<impl str>::len", "core::str::<impl str>::len" },
		{ "<&u64 as a::Hash>::hash", "<&u64 as a::Hash>::hash" },
		{ "a::f<T", "a::f<T" },
		{ "<a", "<a" },
		{ "<>", "<>" },
		{ "<", "<" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		char text[100];
		size_t n;

		strcpy(text, pair[i][0]);
		n = names_cut_generics(text, strlen(text));
		text[n] = '\0';
		assert_string_equal(text, pair[i][1]);
	}
}

/* Only a mangled name tells that a name is of Rust. */
static void
names_of_cxx_keep_their_arguments(void **state)
{
	static const char *const system[][2] = {
		{ "_RNvCs_1f", "f" },
		{ "_ZN1f17h0123456789abcdefE", "f" },
		{ "_Z1fIiEvv", "f<int>" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct names_rule rule[NAMES_N_RULE] = { 0 };
		struct profile *p;

		assert_int_equal(
			fixture_parse("# n count\nf<int> 1\n", &p, NULL),
			PROF_OK);
		p->function[0].system_name = profile_intern(p, system[i][0]);
		assert_int_equal(names_normalize(p, rule), 0);
		assert_string_equal(profile_str(p, p->function[0].name),
				    system[i][1]);
		profile_free(p);
	}
}

UNIT_TESTS(cmocka_unit_test(a_minus_a_is_nothing),
	   cmocka_unit_test(a_plus_b_minus_b_is_a),
	   cmocka_unit_test(a_labelled_difference_has_both_sides),
	   cmocka_unit_test(names_lose_their_numbers),
	   cmocka_unit_test(names_of_rust_lose_their_generics),
	   cmocka_unit_test(names_of_cxx_keep_their_arguments))
