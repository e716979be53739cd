/* source.c - what operands of prof-fetch name. */
#include "config.h"

#include <stdlib.h>

#include "net/source.h"
#include "tests/unit/unit.h"

/* text is the URL want, without secrets; NULL: it is a file. */
static void
is(const char *text, const char *want)
{
	struct prof_err err;
	struct source s;
	char *url;

	if (!want) {
		assert_int_equal(source_parse(&s, text, &err), PROF_EUSAGE);
		return;
	}
	if (source_parse(&s, text, &err) != PROF_OK)
		fail_msg("%s: %s", text, err.msg);
	url = source_url(&s, NULL, 0, false);
	assert_string_equal(url, want);
	free(url);
	source_release(&s);
}

static void
without_a_scheme_there_is_a_port(void **state)
{
	(void)state;
	is("host:80", "http://host:80");
	is("host:80/", "http://host:80/");
	is("host:80/pprof/heap", "http://host:80/pprof/heap");
	is("host:80?debug=1", "http://host:80?debug=1");
	is("host:80/x?token=s&seconds=5&debug=1&s3cret&a=",
	   "http://host:80/x?token=...&seconds=5&debug=1&...&a=");
	is("[::1]:80/x", "http://[::1]:80/x");
	is("me:pw@host:80/x", "http://host:80/x");
	is(":9001/x", "http://localhost:9001/x");
	is("host:/x", "http://host/x");
	is("host:80/a b\xc3\xa9#top", "http://host:80/a%20b%C3%A9");
	is("localhost", NULL);
	is("host/path", NULL);
	is("host/path:80", NULL);
	is("host:http/x", NULL);
	is("host:65536", NULL);
	is("host:123456", NULL);
	is("a:b:80", NULL);
	is("::1:80", NULL);
	is("[::1", NULL);
	is("a b:80", NULL);
	is("", NULL);
	is("/tmp/x:80", NULL);
	is("./x:80", NULL);
}

static void
schemes(void **state)
{
	struct prof_err err;
	struct source s;

	(void)state;
	is("http://host", "http://host");
	is("HTTP://host/x", "http://host/x");
	is("https+insecure://host:1/x", "https+insecure://host:1/x");
	is("http://:80/x", "http://localhost:80/x");
	is("http:///x", NULL);
	is("file:///x", NULL);
	assert_int_equal(source_parse(&s, "ftp://host/x", &err), PROF_ENOTSUP);
	assert_int_equal(source_parse(&s, "https+insecure://host", &err),
			 PROF_OK);
	assert_true(s.is_insecure);
	source_release(&s);
	assert_int_equal(source_parse(&s, "https://127.0.0.1:1", &err),
			 PROF_OK);
	assert_true(s.is_local && !s.is_insecure && s.is_bare);
	source_release(&s);
}

static void
seconds_are_replaced(void **state)
{
	struct source s;
	char *url;

	(void)state;
	assert_int_equal(
		source_parse(&s, "u:p@h:80/x?seconds=5&gc=1&seconds=6", NULL),
		PROF_OK);
	assert_int_equal(s.seconds, 5);
	url = source_url(&s, "/page", 9, true);
	assert_string_equal(url, "http://u:p@h:80/page?gc=1&seconds=9");
	free(url);
	source_release(&s);
	assert_int_equal(source_parse(&s, "h:80?seconds=12", NULL), PROF_OK);
	assert_true(s.is_bare);
	assert_int_equal(s.seconds, 12);
	source_release(&s);
	assert_int_equal(source_parse(&s, "h:80?seconds=x", NULL), PROF_OK);
	assert_int_equal(s.seconds, 0);
	source_release(&s);
}

UNIT_TESTS(cmocka_unit_test(without_a_scheme_there_is_a_port),
	   cmocka_unit_test(schemes), cmocka_unit_test(seconds_are_replaced))
