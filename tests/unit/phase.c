/*
 * phase.c - tasks of any length get as many samples as they use periods, though
 * the kernel starts each clock with a whole period.
 */
#include "config.h"

#include <math.h>

#include "record/perf/phase.h"
#include "tests/unit/unit.h"

enum { PERIOD = 10000000, N_TASK = 100000 };

static void
test_lengths(void **state)
{
	static const uint64_t length[] = { 300000,   1000000,  5000000,
					   10000000, 14000000, 60000000 };
	struct phase p = { .period_ns = PERIOD };

	(void)state;
	for (size_t i = 0; i < sizeof(length) / sizeof(*length); i++) {
		double want = (double)length[i] / PERIOD * N_TASK, n = 0;

		for (int task = 0; task < N_TASK; task++) {
			uint64_t ns = phase_next(&p);

			for (uint64_t at = ns; at <= length[i]; at += ns)
				n += phase_takes(&p, ns, at);
		}
		/* Between one period and two it is a bit less. */
		if (fabs(n - want) > 0.07 * want)
			fail_msg("%.0f samples, not %.0f, of tasks of %.1f ms",
				 n, want, (double)length[i] / 1e6);
	}
}

/* The first task of a recording: each part of a period is as likely. */
static void
test_begin(void **state)
{
	int n[10] = { 0 };

	(void)state;
	for (int i = 0; i < N_TASK; i++) {
		struct phase p;
		uint64_t ns;

		phase_begin(&p, PERIOD);
		ns = phase_next(&p);
		assert_in_range(ns, 1, PERIOD);
		n[ns * 10 / (PERIOD + 1)]++;
	}
	/* Five deviations. */
	for (int i = 0; i < 10; i++)
		assert_in_range(n[i], N_TASK / 10 - 475, N_TASK / 10 + 475);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lengths),
					    cmocka_unit_test(test_begin) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
