/* symbolz.c - where a profile came from, and what that server says. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/formats/symbolz.h"
#include "lib/model/origin.h"
#include "lib/model/profile.h"
#include "tests/unit/unit.h"

/* --- the page to ask --- */

static void
asks(const char *url, const char *want)
{
	char *page = symbolz_url(url);

	if (!want) {
		assert_null(page);
		return;
	}
	assert_non_null(page);
	assert_string_equal(page, want);
	free(page);
}

static void
the_page_is_beside_the_profile(void **state)
{
	(void)state;
	asks("http://h:80/pprof/heap", "http://h:80/pprof/symbol");
	asks("http://h:80/svc/pprof/profile?seconds=3",
	     "http://h:80/svc/pprof/symbol");
	asks("http://h:80/pprof/wall", "http://h:80/pprof/symbol");
	asks("http://h:80/pprof/growth/", "http://h:80/pprof/symbol");
	asks("https://h/debug/pprof/heap?gc=1#x",
	     "https://h/debug/pprof/symbol");
	asks("http://h:80/a/debug/pprof/x/y",
	     "http://h:80/a/debug/pprof/x/symbol");
	asks("http://h:80/debug/pprof/", "http://h:80/debug/pprof/symbol");
	asks("http://h:80/profilez", "http://h:80/symbolz");
	asks("http://h:80/a/b", "http://h:80/a/symbolz");
	asks("http://h:80", "http://h:80/symbolz");
	asks("http://h:80/", "http://h:80/symbolz");
	asks("http://h:80?x=/pprof/heap", "http://h:80/symbolz");
	asks("http://[::1]:80/pprof/heap", "http://[::1]:80/pprof/symbol");
	asks("h:80/pprof/heap", NULL);
	asks("http:///pprof/heap", NULL);
	asks("", NULL);
}

/* --- questions and answers --- */

static void
addresses_are_joined_by_plus(void **state)
{
	uint64_t addr[] = { 0x401100, 1, UINT64_MAX };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(symbolz_query(&b, addr, 3), 0);
	assert_string_equal((char *)b.data, "0x401100+0x1+0xffffffffffffffff");
	buf_release(&b);
}

static void
take(void *ctx, uint64_t addr, const char *name, size_t len)
{
	char *out = ctx;
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, "%" PRIx64 "=%.*s;", addr, (int)len, name);
}

static void
reads(const char *reply, const char *want)
{
	char have[256] = "";
	/* A copy without NUL, so that a sanitizer sees what is read past. */
	size_t n = strlen(reply);
	char *copy = malloc(n + 1);

	assert_non_null(copy);
	memcpy(copy, reply, n);
	copy = realloc(copy, n ? n : 1);
	symbolz_parse(copy, n, take, have);
	free(copy);
	assert_string_equal(have, want);
}

static void
answers_are_lines(void **state)
{
	(void)state;
	reads("num_symbols: 1\n0x401100\tmain\n0x2 a b\r\n",
	      "401100=main;2=a b;");
	reads("0x1 last", "1=last;");
	reads("0x0000000000000000012\tx\n", "12=x;");
	reads("0xABCDEF x<0x1>\n", "abcdef=x<0x1>;");
	reads("see 0x1z 0x2 y\n", "2=y;");
	reads("0x1\n0x2 \n0x\n0x z\n\n0", "");
	reads("0x11112222333344445 long\n0x1 a\n", "1=a;");
	reads("<html>404 not found</html>", "");
	reads("", "");
	symbolz_parse(NULL, 0, take, NULL);
}

static void
the_probe_is_a_number(void **state)
{
	static const struct {
		const char *reply;
		int want;
	} row[] = {
		{ "num_symbols: 1\n", 1 },
		{ "x\nnum_symbols:017", 1 },
		{ "num_symbols: 999999999999999999999999", 1 },
		{ "num_symbols: 0\n", 0 },
		{ "num_symbols:\t00", 0 },
		{ "num_symbols: ", -1 },
		{ "num_symbols: x1", -1 },
		{ "<html>", -1 },
		{ "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(
			symbolz_probe(row[i].reply, strlen(row[i].reply)),
			row[i].want);
}

/* --- origins --- */

static struct profile *
profile_with(const char *file, const char *build_id, uint64_t start,
	     const char *comment)
{
	struct profile *p = profile_new();
	struct mapping m = { .start = start, .limit = start + 4096 };

	assert_non_null(p);
	m.file = profile_intern(p, file);
	m.build_id = profile_intern(p, build_id);
	assert_int_equal(profile_add_mapping(p, &m), 0);
	if (comment)
		assert_int_equal(profile_add_comment(p, comment), 0);
	return p;
}

/* The sources of mapping 0, best first, are want. */
static void
sources(struct profile *p, const char *want)
{
	struct origins o;
	struct prof_err err;
	char have[512] = "";
	size_t i;

	assert_int_equal(origins_read(&o, p, &err), PROF_OK);
	for (size_t rank = 0; (i = origins_find(&o, p, 0, rank)) < o.n;
	     rank++) {
		size_t n = strlen(have);

		snprintf(have + n, sizeof(have) - n, "%s@%" PRIx64 ";",
			 o.origin[i].url, o.origin[i].start);
	}
	origins_release(&o);
	profile_free(p);
	assert_string_equal(have, want);
}

static void
what_is_written_is_read(void **state)
{
	struct prof_err err;
	struct profile *p = profile_with("/a b%c", "", 0x1000, NULL);
	struct location l = { .address = 0x1001 };
	(void)state;

	profile_add_location(p, &l, NULL, 0);
	assert_int_equal(origin_add(p, "http://h:1/pprof/heap", &err), PROF_OK);
	assert_string_equal(profile_str(p, p->comment[0]),
			    "# source: http://h:1/pprof/heap "
			    "1000=file:/a%20b%25c");
	sources(p, "http://h:1/pprof/heap@1000;");
}

static void
the_same_place_comes_first(void **state)
{
	struct profile *p =
		profile_with("/x", "ab", 0x3000,
			     "# source: http://a:1/x 2000=build-id:ab "
			     "1=file:/x 3000=build-id:abc");

	(void)state;
	profile_add_comment(p, "# source: http://b:1/x 3000=build-id:ab");
	profile_add_comment(p, "source: http://c:1/x 3000=build-id:ab");
	sources(p, "http://b:1/x@3000;http://a:1/x@2000;");
}

static void
strange_words_are_passed_over(void **state)
{
	(void)state;
	sources(profile_with("", "", 0,
			     "# source: u =file: 0=file 0x1=file: "
			     "11112222333344445=file: 1=id:  "
			     "2=file:%00 FF=file:"),
		"u@ff;");
	sources(profile_with("%%2", "", 0, "# source: u 5=file:%%2"), "u@5;");
	sources(profile_with("x", "", 0, "# source: "), "");
	sources(profile_with("x", "", 0, "# source: u"), "");
}

UNIT_TESTS(cmocka_unit_test(the_page_is_beside_the_profile),
	   cmocka_unit_test(addresses_are_joined_by_plus),
	   cmocka_unit_test(answers_are_lines),
	   cmocka_unit_test(the_probe_is_a_number),
	   cmocka_unit_test(what_is_written_is_read),
	   cmocka_unit_test(the_same_place_comes_first),
	   cmocka_unit_test(strange_words_are_passed_over))
