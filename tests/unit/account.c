/* account.c - what is said about what a recording did not see. */
#include "config.h"

#include <string.h>

#include "lib/model/account.h"
#include "tests/unit/unit.h"

static char said[4096];

static int
setup(void **state)
{
	(void)state;
	said[0] = '\0';
	return 0;
}

static void
hear(const char *sentence)
{
	size_t n = strlen(said);

	assert_true(n + strlen(sentence) + 2 < sizeof(said));
	strcat(strcat(said, sentence), "\n");
}

#define assert_said(text) assert_string_equal(said, text)

/* A recording at 100 Hz, of a command of which so much was sampled and used. */
static struct account
account(unsigned ticks, double used_s)
{
	double missed = used_s * 100 - ticks;

	return (struct account){
		.name = "cmd",
		.sampling = { .asked_hz = 100,
			      .achieved_hz = 100,
			      .ticks = ticks,
			      .signals = ticks,
			      .used_s = used_s,
			      .missed = missed > 0 ? (uint64_t)(missed + 0.5)
						   : 0 },
		.n_thread = 1,
		.n_program = 1,
		.is_cpu = true,
		.tick_s = 0.004,
	};
}

static void
say_missing(struct account *a)
{
	a->sampling.chance_s = account_chance_s(a);
	account_missing(a, hear);
}

static void
test_all_is_seen(void **state)
{
	struct account a = account(100, 1.0);

	(void)state;
	say_missing(&a);
	account_quality(&a.sampling, hear);
	assert_said("");
}

/* A last period without a tick is chance, and so is one of each process. */
static void
test_chance(void **state)
{
	struct account a = account(0, 0.008);

	(void)state;
	say_missing(&a);
	a = account(0, 0.1);
	a.n_thread = 100;
	say_missing(&a);
	/* A thousand threads that mostly sleep. */
	a = account(43, 0.54);
	a.n_thread = 1000;
	say_missing(&a);
	assert_said("");
	/* The errors of many add up as their root: no tick of 4,000 processes
	 * that use 2 ms each is none. */
	a = account(0, 8);
	a.n_thread = 4000;
	a.n_fork = 4000;
	say_missing(&a);
	assert_said("cmd: 0.00 of 8.00 s of CPU time were sampled (0 %): "
		    "processes were shorter than the kernel's tick, which "
		    "timers wait for (--clock=perf does not)\n");
	/* Children of 67 ms are not short. */
	setup(NULL);
	a = account(77, 0.87);
	a.n_thread = 13;
	a.n_fork = 12;
	say_missing(&a);
	assert_non_null(strstr(said, "(89 %): timers miss time on a busy"));
	/* More than chance is said, however long the command has run. */
	setup(NULL);
	a = account(9700, 100);
	say_missing(&a);
	assert_non_null(strstr(said, "cmd: 97.00 of 100.00 s of CPU time"));
}

/* What the recorder does not say of a profile, no report says, and the reverse.
 */
static void
test_reports_agree(void **state)
{
	(void)state;
	for (unsigned ticks = 0; ticks <= 100; ticks++) {
		struct account a = account(ticks, 1.0);
		bool is_said;

		a.n_thread = 1 + ticks % 7 * 20;
		said[0] = '\0';
		say_missing(&a);
		is_said = *said != '\0';
		said[0] = '\0';
		account_quality(&a.sampling, hear);
		assert_int_equal(*said != '\0', is_said);
	}
}

/* No more was used than the kernel billed. */
static void
test_too_much(void **state)
{
	struct account a = account(103, 1.0);

	(void)state;
	say_missing(&a);
	assert_said("");
	a = account(120, 1.0);
	say_missing(&a);
	assert_said("cmd: 1.20 s were sampled, but the kernel billed 1.00 s of "
		    "CPU time: it does not bill processes that nobody waits "
		    "for; else report this as an error of prof-record\n");
}

static void
test_reasons(void **state)
{
	static const char timers[] =
		"cmd: 0.50 of 1.00 s of CPU time were sampled (50 %): timers "
		"miss time on a busy machine (--clock=perf does not), and of "
		"threads that sleep in a rhythm; threads and processes that "
		"are not started by libc's functions have none\n";
	struct account a = account(50, 1.0);

	(void)state;
	say_missing(&a);
	assert_said(timers);
	setup(NULL);
	a.is_perf_clock = true;
	a.sampling.signals = a.sampling.perf_signals = 50;
	say_missing(&a);
	assert_non_null(strstr(said, "perf_event stand still"));
	assert_null(strstr(said, "come from timers"));
	setup(NULL);
	a.sampling.perf_signals = 20;
	say_missing(&a);
	assert_non_null(strstr(said, "60 % of the samples come from timers"));
	a.sampling.perf_signals = 50;
	setup(NULL);
	a.early_s = 0.3;
	say_missing(&a);
	assert_non_null(strstr(said, "programs start before the sampler"));
	setup(NULL);
	a.lacks_kernel = true;
	say_missing(&a);
	assert_non_null(strstr(said, "kernel.perf_event_paranoid is above 1"));
	setup(NULL);
	a.sampling.untimed = 2;
	say_missing(&a);
	assert_non_null(strstr(said, "threads got no timer: see ulimit -i"));
	setup(NULL);
	a = account(50, 1.0);
	a.sampling.is_mixed = true;
	say_missing(&a);
	assert_non_null(strstr(said, "of each thread on each processor"));
	assert_null(strstr(said, "are not started by libc's functions"));
	setup(NULL);
	a.culprit = "sudo[7] ran without the sampler";
	a.sampling.ticks += 7;
	a.sampling.lost = 7; /* not sampled */
	say_missing(&a);
	assert_said("cmd: 0.50 of 1.00 s of CPU time were sampled (50 %): "
		    "sudo[7] ran without the sampler\n");
	setup(NULL);
	a = account(50, 1.0);
	a.sampling.is_outside = true;
	say_missing(&a);
	assert_non_null(
		strstr(said, "use less than a period of 10 ms are missed"));
}

/* The kernel bills a process when its parent waits for it; until then /proc is
 * all that is known. */
static void
test_unbilled_processes(void **state)
{
	struct account a = account(100, 1.0);

	(void)state;
	a.culprit = "x[7] ran without the sampler";
	a.unseen_s = 0.04;
	say_missing(&a);
	assert_said("");
	a.unseen_s = 0.2;
	say_missing(&a);
	assert_said("cmd: x[7] ran without the sampler\n");
	setup(NULL);
	a.is_cpu = false;
	a.unseen_s = 0;
	say_missing(&a);
	assert_said("cmd: x[7] ran without the sampler\n");
}

static void
test_no_sampler(void **state)
{
	struct account a = account(0, 1.0);

	(void)state;
	a.n_program = 0;
	say_missing(&a);
	assert_said("cmd: ran without the sampler; was LD_PRELOAD changed?\n");
	setup(NULL);
	a.is_limited = true;
	say_missing(&a);
	assert_said("cmd: ran without the sampler; libsample got no memory in "
		    "it: see ulimit -v\n");
	setup(NULL);
	a.culprit = "x[7] is different";
	say_missing(&a);
	assert_said("cmd: ran without the sampler; x[7] is different\n");
}

static void
test_left(void **state)
{
	struct account a = account(100, 1.0);

	(void)state;
	a.n_left = 1;
	say_missing(&a);
	a.n_left = 3;
	say_missing(&a);
	a.n_left = 0;
	a.has_left = true;
	say_missing(&a);
	assert_said("cmd: left 1 process behind, not recorded from here on: "
		    "see --wait\n"
		    "cmd: left 3 processes behind, not recorded from here on: "
		    "see --wait\n"
		    "cmd: left processes behind, not recorded from here on: "
		    "see --wait\n");
}

static void
test_quality(void **state)
{
	struct sampling s = { .asked_hz = 100, .achieved_hz = 100 };

	(void)state;
	s.lost = s.truncated = s.untimed = 9;
	account_quality(&s, hear);
	account_copies(&s, 512, hear);
	assert_said(""); /* no ticks: a merge of nothing */
	s.ticks = 1000;
	s.untimed = 0;
	account_quality(&s, hear);
	account_copies(&s, 512, hear);
	assert_said("");
	s.merged = 10;
	s.sample_us = 12000;
	s.achieved_hz = 80;
	account_quality(&s, hear);
	assert_said("sampled at 80 Hz, not 100 as asked: a stack takes 12 ms, "
		    "the period is 10 ms, and the program has half of the "
		    "time: sums are right, but coarser\n");
	setup(NULL);
	s.merged = 0;
	s.lost = s.truncated = s.unwind_failed = 10;
	s.untimed = 2;
	s.achieved_hz = 49;
	account_quality(&s, hear);
	assert_said("1% of the samples were lost\n"
		    "1% of the stacks are truncated: too many frames\n"
		    "1% of the stacks end before their root\n"
		    "2 threads were not sampled\n"
		    "sampled at 49 Hz, not 100 as asked: coarser, and biased "
		    "where threads sleep in a rhythm (--clock=perf keeps to "
		    "the rate)\n");
	setup(NULL);
	s = (struct sampling){ .ticks = 90, .truncated = 9, .is_mixed = true };
	account_quality(&s, hear);
	assert_said("10% of the stacks are truncated: too many frames, or "
		    "longer than prof-record's --stack-size\n");
	setup(NULL);
	s = (struct sampling){ .asked_hz = 100,
			       .achieved_hz = 100,
			       .ticks = 90,
			       .missed = 10,
			       .chance_s = 0.1 };
	account_quality(&s, hear);
	assert_said("");
	s.chance_s = 0.09;
	account_quality(&s, hear);
	assert_said("10% of the CPU time was not sampled: it is in [not "
		    "sampled]\n");
	setup(NULL);
	s = (struct sampling){ .ticks = 100,
			       .truncated = 6,
			       .is_outside = true };
	account_quality(&s, hear);
	account_copies(&s, 512, hear);
	assert_said("6% of the stacks are truncated: longer than prof-record's "
		    "--stack-size\n"
		    "6% of the stacks are longer than the 512 bytes that were "
		    "copied: see --stack-size\n");
	setup(NULL);
	s = (struct sampling){ .ticks = 100,
			       .lost = 60,
			       .asked_hz = 100,
			       .achieved_hz = 40,
			       .is_outside = true };
	account_quality(&s, hear);
	assert_said("60% of the samples were lost\n");
	setup(NULL);
	account_copies(&s, 512, hear);
	assert_said("60% of the samples were lost: prof-record did not get a "
		    "processor in time to read them\n");
	setup(NULL);
	s.lost = 0;
	account_quality(&s, hear);
	assert_said("sampled at 40 Hz, not 100 as asked: sums are right, but "
		    "coarser\n");
}

/* All rows together are what is missing. */
static void
test_rows(void **state)
{
	struct account_share share[5] = { { "b", 30 },
					  { "a", 10 },
					  { "b", 20 } };

	(void)state;
	assert_int_equal(account_rows(share, 3, 100, "rest"), 3);
	assert_string_equal(share[0].name, "a");
	assert_int_equal(share[0].ns, 10);
	assert_string_equal(share[1].name, "b");
	assert_int_equal(share[1].ns, 50);
	assert_string_equal(share[2].name, "rest");
	assert_int_equal(share[2].ns, 40);
	/* More is known than is missing: others were sampled too often. */
	assert_int_equal(account_rows(share, 3, 50, "rest"), 3);
	assert_int_equal(share[0].ns + share[1].ns + share[2].ns, 50);
	share[0].ns = 0;
	assert_int_equal(account_rows(share, 1, 7, "a"), 1);
	assert_int_equal(share[0].ns, 7);
	assert_int_equal(account_rows(share, 0, 0, "rest"), 0);
}

static void
test_locks(void **state)
{
	(void)state;
	account_locks(1, 100000, hear);
	assert_said("");
	account_locks(0, 100000, hear);
	assert_said("no wait for a lock was sampled: one in 100us of waiting "
		    "is, on average; see --lock=NS\n");
}

static void
test_heap(void **state)
{
	struct account_heap a = { .name = "cmd",
				  .is_hooked = true,
				  .period = 512 << 10,
				  .grown_kib = 1024,
				  .memory_kib = 18 * 1024 };

	(void)state;
	account_heap(&a, hear);
	assert_said("no call of malloc() was sampled: one in 512kB is, on "
		    "average; see --heap=BYTES\n");
	setup(NULL);
	a.memory_kib = 101 * 1024;
	a.lost_bytes = 3 << 20;
	account_heap(&a, hear);
	assert_said("3MB of allocations are in no sample, for want of room in "
		    "the shared memory: a larger --heap=BYTES takes fewer "
		    "samples\n"
		    "cmd: 100MB of 101MB of memory are not in the profile: "
		    "they come from mmap() or from an allocator in the program "
		    "itself, not from malloc()\n");
}

static void
test_closing(void **state)
{
	struct sampling s = {
		.asked_hz = 100, .ticks = 200, .signals = 100, .lost = 3
	};

	(void)state;
	account_closing(&s, -0.2, "CPU time", 1, hear);
	account_closing(&s, 0, NULL, 2, hear);
	account_closing(&(struct sampling){ 0 }, 0, "CPU time", 0, hear);
	assert_said("100 samples, 1.77 s of CPU time at 50 Hz, 3 lost, 1 "
		    "process\n"
		    "100 samples, 3 lost, 2 processes\n"
		    "0 samples, 0.00 s of CPU time at 0 Hz, 0 lost, 0 "
		    "processes\n");
}

int
main(void)
{
#define ROW(test) cmocka_unit_test_setup(test, setup)
	const struct CMUnitTest tests[] = {
		ROW(test_all_is_seen),   ROW(test_chance),
		ROW(test_reports_agree), ROW(test_too_much),
		ROW(test_reasons),       ROW(test_unbilled_processes),
		ROW(test_no_sampler),    ROW(test_left),
		ROW(test_quality),       ROW(test_heap),
		ROW(test_locks),         ROW(test_closing),
		ROW(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
