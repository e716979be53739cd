/* match.c - patterns: those of pprof, bad ones and hostile ones. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/match.h"
#include "tests/unit/unit.h"

static struct match *
pattern(const char *text, int flags)
{
	struct prof_err err = { 0 };
	struct match *m;

	if (match_new("test", text, flags, &m, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	return m;
}

static bool
matches(const char *re, const char *s, int flags)
{
	struct match *m = pattern(re, flags);
	struct prof_err err;
	bool yes;

	assert_int_equal(match_bytes(m, s, strlen(s), &yes, &err), PROF_OK);
	match_free(m);
	return yes;
}

static void
patterns_mean_what_they_mean_to_pprof(void **state)
{
	(void)state;
	assert_true(matches("b", "abc", 0));
	assert_false(matches("B", "abc", 0));
	assert_false(matches("^b", "abc", 0));
	assert_false(matches("c$", "abc\n", 0)); /* $ is the very end */
	assert_false(matches("a.b", "a\nb", 0));
	assert_true(matches("a|b", "b", MATCH_WHOLE));
	assert_false(matches("a|b", "ab", MATCH_WHOLE));
	assert_true(matches("a|ab", "ab", MATCH_WHOLE));
	/* A plus that is no second quantifier. */
	assert_true(matches("^f\\++\\Q++\\E+[]\\]++[:^alpha:]+]+{+(?i)A+?b$",
			    "f+++++]+1{aab", 0));
	/* Bytes, and characters where the pattern speaks of them. */
	assert_true(matches("a.*b",
			    "a\xff\xfe"
			    "b",
			    0));
	assert_true(matches("^caf.$", "caf\xc3\xa9", 0));
	assert_true(matches("^caf[^a-z]$", "caf\xc3\xa9", 0));
	assert_false(matches("^caf..$", "caf\xc3\xa9", 0));
	assert_true(matches("^caf..$", "caf\xc3?", 0));
	assert_true(matches("^[\xc3\xa4\xc3\xb6]$", "\xc3\xb6", 0));
	assert_true(matches("(?i)\xc3\x84", "\xc3\xa4", 0));
	assert_true(matches("^\\pL$", "\xc3\xa4", 0));
	assert_true(matches("\xc3\xa4", "\xff\xc3\xa4", 0));
}

static void
bad_patterns_are_refused(void **state)
{
	static const char *const bad[] = {
		"(a",      "a)",        "[a",
		"*a",      "a{2,1}",    "\\",
		"(*UTF)a", "(?P<n>a",   "((a{999}){999}){999}",
		"a++",     "a?+",       "a{2,}+",
		"[]+]*+",  "\\Q+\\E++",
	};
	struct prof_err err;
	struct match *m;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(match_new("focus", bad[i], 0, &m, &err),
				 PROF_EUSAGE);
		assert_null(m);
		assert_memory_equal(err.msg, "parsing focus regexp: ", 22);
	}
}

/* Patterns that take exponential time, or nearly, come to an end. */
static void
hostile_patterns_end(void **state)
{
	static const char *const hostile[] = {
		"(a+)+$",
		"(a|aa)+$",
		"(.*a){12}$",
		"^(([a-z])+.)+[A-Z]$",
	};
	size_t n = 100000;
	char *s = malloc(n + 1);
	struct prof_err err;
	bool yes;

	(void)state;
	memset(s, 'a', n);
	s[n - 1] = '!';
	s[n] = '\0';
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct match *m = pattern(hostile[i], 0);

		assert_int_equal(match_bytes(m, s, n, &yes, &err), PROF_ELIMIT);
		assert_non_null(strstr(err.msg, "too much work"));
		match_free(m);
	}

	/* Many names that each cost less than is allowed: together too much. */
	struct match *m = pattern("(a+)+$", 0);
	enum prof_status st = PROF_OK;
	size_t k;

	memset(s, 'a', 24);
	memcpy(s + 17, "!", 2);
	for (k = 0; k < 100000 && st == PROF_OK; k++)
		st = match_bytes(m, s, 18, &yes, &err);
	assert_int_equal(st, PROF_ELIMIT);
	assert_true(k > 1);
	match_free(m);
	free(s);
}

UNIT_TESTS(cmocka_unit_test(patterns_mean_what_they_mean_to_pprof),
	   cmocka_unit_test(bad_patterns_are_refused),
	   cmocka_unit_test(hostile_patterns_end))
