/*
 * label.c - a sample has the name that its thread had then: before the first
 * name of its own, after its end, and when another thread got its number.
 */
#include "config.h"

#include "record/perf/label.h"
#include "record/tally.h"
#include "tests/unit/unit.h"

enum { PID = INT32_MAX - 9, FIRST, SECOND }; /* /proc has none of these */

static void
test_names(void **state)
{
	const struct perf_task first = { PID, PID, FIRST, PID },
			       second = { PID, PID, SECOND, FIRST },
			       child = { SECOND, PID, SECOND, PID };
	struct tally *t = tally_new();
	struct labeler *l = labeler_new(t, PERF_LABEL_THREAD);
	uint32_t named, worker;

	(void)state;
	assert_non_null(t);
	assert_non_null(l);
	labeler_name(l, PID, "program");
	labeler_fork(l, &first);
	named = labeler_number(l, PID, PID, 0, false);
	assert_int_equal(labeler_number(l, PID, FIRST, 0, false), named);
	labeler_name(l, FIRST, "worker");
	worker = labeler_number(l, PID, FIRST, 0, false);
	assert_int_not_equal(worker, named);
	labeler_fork(l, &second);
	labeler_exit(l, FIRST);
	labeler_exit(l, SECOND);
	assert_int_equal(labeler_number(l, PID, FIRST, 0, false), worker);
	assert_int_equal(labeler_number(l, PID, SECOND, 0, false), worker);
	labeler_fork(l, &child);
	assert_int_equal(labeler_number(l, SECOND, SECOND, 0, false), named);
	/* Not kept forever. */
	for (int i = 0; i < 5000; i++)
		labeler_exit(l, i);
	assert_int_not_equal(labeler_number(l, PID, FIRST, 0, false), worker);
	labeler_free(l);
	tally_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
