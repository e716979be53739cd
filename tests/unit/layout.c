/* layout.c - a layout that crashes, fails or takes too long. */
#include "config.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graphviz/layout.h"
#include "graphviz/render.h"
#include "tests/unit/unit.h"

#define LARGE 1000000 /* more than a pipe holds */

/* Stands in for Graphviz. */
enum prof_status
render(const char *dot, size_t n, const char *format, struct buf *out,
       struct prof_err *err)
{
	assert_int_equal(n, strlen(dot));
	if (!strcmp(dot, "crash")) {
		buf_add(out, "half", 4);
		signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler */
		raise(SIGSEGV);
	}
	if (!strcmp(dot, "fail"))
		return prof_fail(err, PROF_EFORMAT, "graphviz: syntax error");
	if (!strcmp(dot, "hang"))
		for (;;)
			pause();
	buf_add(out, format, strlen(format));
	for (size_t i = 0; i < LARGE; i++)
		buf_add(out, ".", 1);
	return PROF_OK;
}

static enum prof_status
lay_out(const char *dot, double seconds, struct buf *out, struct prof_err *err)
{
	enum prof_status st;

	buf_add(out, "before", 6);
	st = layout(dot, strlen(dot), "svg", seconds, out, err);
	/* No child is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return st;
}

static void
test_good(void **state)
{
	struct buf out = { 0 };
	struct prof_err err;

	(void)state;
	assert_int_equal(lay_out("good", 0, &out, &err), PROF_OK);
	assert_int_equal(out.n, 6 + 3 + LARGE);
	assert_memory_equal(out.data, "beforesvg...", 12);
	buf_release(&out);
}

static void
test_bad(void **state)
{
	static const struct {
		const char *dot, *message;
		double seconds;
		enum prof_status st;
	} row[] = {
		{ "crash", "graphviz crashed at this graph: Segmentation fault",
		  0, PROF_EIO },
		{ "fail", "graphviz: syntax error", 1e9, PROF_EFORMAT },
		{ "hang", "the layout takes too long", 0.01, PROF_ELIMIT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct buf out = { 0 };
		struct prof_err err;

		assert_int_equal(
			lay_out(row[i].dot, row[i].seconds, &out, &err),
			row[i].st);
		assert_string_equal(err.msg, row[i].message);
		assert_int_equal(out.n, 6);
		buf_release(&out);
	}
}

UNIT_TESTS(cmocka_unit_test(test_good), cmocka_unit_test(test_bad))
