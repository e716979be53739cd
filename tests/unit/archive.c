/* archive.c - the names that profiles get in an archive. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "lib/model/profile.h"
#include "tests/unit/unit.h"

static const struct archive_options noon = { .now_s = 1795608896 };

/* A profile from url is the file want of the archive pattern. */
static void
is(const char *pattern, const char *url, const char *want)
{
	struct archive *a;
	struct prof_err err;
	struct source s;
	char *name;

	if (archive_open(&a, pattern, &noon, &err) != PROF_OK)
		fail_msg("%s: %s", pattern, err.msg);
	if (source_parse(&s, url, &err) != PROF_OK)
		fail_msg("%s: %s", url, err.msg);
	name = archive_name(a, &s, NULL);
	assert_string_equal(name, want);
	free(name);
	source_release(&s);
	archive_close(a);
}

static void
letters(void **state)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "%s/%%h", (char *)*state);
	is(pattern, "web1:80", "web1");
	is("%h/%t", "web1:80/pprof/heap", "web1/heap");
	is("a%%b/%h-%p", "web1:8080/x", "a%b/web1-8080");
	is("%Y/%m/%d/%H.%M.%S", "web1:80", "2026/11/25/12.14.56");
	is("%F-%j-%G-W%V-%u", "web1:80", "2026-11-25-329-2026-W48-3");
}

static void
hosts(void **state)
{
	(void)state;
	is("%h", "WEB1.Example:80/x", "web1.example");
	is("%h-%p", "https://web1/x", "web1-443");
	is("%h-%p", "http://web1/x", "web1-80");
	is("%h-%p", ":9001/x", "localhost-9001");
	is("%h-%p", "[::1]:80/x", "%3A%3A1-80");
	is("%h-%p", "http://[::1]/x", "%3A%3A1-80");
	is("%h", "me:secret@web1:80/x", "web1");
	is("%h", "http://../x", "%2E.");
	is("%h", "http://a%2fb/x", "a%252fb");
	is("%h", "http://a\\b/x", "a%5Cb");
}

static void
pages(void **state)
{
	(void)state;
	is("%t", "web1:80", "profile");
	is("%t", "web1:80/", "profile");
	is("%t", "web1:80/?seconds=5", "profile");
	is("%t", "web1:80/debug/pprof/heap?gc=1", "heap");
	is("%t", "web1:80/pprof/heap/#top", "heap");
	is("%t", "web1:80/..", "%2E.");
	is("%t", "web1:80/.hidden", "%2Ehidden");
	is("%t", "web1:80/a b", "a%2520b");
}

static void
long_names_are_cut(void **state)
{
	char url[600] = "", host[500];
	struct archive *a;
	struct prof_err err;
	struct source s;
	char *name;

	(void)state;
	memset(host, 'a', sizeof(host) - 1);
	host[sizeof(host) - 1] = 0;
	strcat(strcat(strcat(url, "http://"), host), "/x");
	assert_int_equal(archive_open(&a, "%h", &noon, &err), PROF_OK);
	assert_int_equal(source_parse(&s, url, &err), PROF_OK);
	name = archive_name(a, &s, NULL);
	assert_true(strlen(name) < 128);
	free(name);
	source_release(&s);
	archive_close(a);
}

static void
one_at_a_time(void **state)
{
	struct archive *a, *b;
	struct prof_err err;

	(void)state;
	assert_int_equal(archive_open(&a, "r/%h", &noon, &err), PROF_OK);
	assert_int_equal(archive_open(&b, "r/%t", &noon, &err), PROF_EIO);
	assert_null(b);
	archive_close(a);
	assert_int_equal(archive_open(&b, "r/%t", &noon, &err), PROF_OK);
	archive_close(b);
	archive_close(NULL);
}

static int
enter_scratch(void **state)
{
	static char scratch[] = "/tmp/test-archive.XXXXXX";

	*state = mkdtemp(scratch);
	return *state ? chdir(*state) : -1;
}

static int
leave_scratch(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	return system(command);
}

/* A second file of a name keeps the first, and its ending. */
static void
second_files_keep_their_ending(void **state)
{
	static const struct {
		const char *name, *want;
	} row[] = {
		{ "a.pb.gz", "a-2.pb.gz" },   { "a.pb.zst", "a-2.pb.zst" },
		{ "a.pb", "a-2.pb" },         { "a.prof.gz", "a-2.prof.gz" },
		{ "a.b.prof", "a.b-2.prof" }, { "a.gz", "a.gz-2" },
		{ "new.pb", "new.pb" },
	};
	struct profile *p = profile_new();
	const struct stream_format format = { .kind = STREAM_GZIP };
	struct prof_err err;
	struct archive *a;

	(void)state;
	assert_non_null(p);
	assert_int_equal(archive_open(&a, "u/%h", &noon, &err), PROF_OK);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char path[64];
		struct stat sb;
		FILE *f;

		if (strcmp(row[i].name, row[i].want)) {
			snprintf(path, sizeof(path), "u/%s", row[i].name);
			f = fopen(path, "w");
			assert_non_null(f);
			fclose(f);
		}
		snprintf(path, sizeof(path), "u/%s", row[i].want);
		assert_int_equal(stat(path, &sb), -1);
		assert_int_equal(archive_put(a, row[i].name, p, format, &err),
				 PROF_OK);
		assert_int_equal(stat(path, &sb), 0);
		snprintf(path, sizeof(path), "u/%s", row[i].name);
		assert_int_equal(stat(path, &sb), 0);
		assert_true(!sb.st_size == !!strcmp(row[i].name, row[i].want));
	}
	archive_close(a);
	profile_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters),
		cmocka_unit_test(hosts),
		cmocka_unit_test(pages),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(second_files_keep_their_ending),
	};

	return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
