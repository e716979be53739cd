/*
 * truth.c - workloads whose profile is known, for tests/truth.sh:
 *
 *	truth SCENARIO SECONDS [itimer]
 *
 * The work of a scenario is shared between part_a, part_b and part_c in shares
 * that the program prints, in percent, before it starts. With "itimer" it
 * counts its own ticks of ITIMER_PROF instead and prints what that makes of
 * the shares, for comparison.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define STEP 20000 /* some 20 microseconds */

#define PART(name)                                                             \
	uint64_t name(uint64_t x);                                             \
	NOINLINE uint64_t name(uint64_t x)                                     \
	{                                                                      \
		for (int i = 0; i < STEP; i++) {                               \
			x = x * UINT64_C(6364136223846793005) + 1;             \
			__asm__ volatile("" : "+r"(x));                        \
		}                                                              \
		return x;                                                      \
	}
PART(part_a)
PART(part_b)
PART(part_c)

static uint64_t (*const part[])(uint64_t) = { part_a, part_b, part_c };
static double seconds;
static _Thread_local int now_in; /* the part that this thread is in */
static volatile long itimer_ticks[4];

static double
clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
do_part(int i)
{
	static _Thread_local uint64_t x;

	now_in = i + 1;
	x = part[i](x);
	now_in = 0;
}

/* One thread that does n steps of part i. */
struct job {
	int part;
	long n;
};

static void *
run_job(void *arg)
{
	const struct job *job = arg;

	for (long i = 0; i < job->n; i++)
		do_part(job->part);
	return NULL;
}

/* Steps that take about a second of CPU time here. */
static long
steps_per_second(void)
{
	double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	long n = 0;

	while (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start < 0.05) {
		part_a(1);
		n++;
	}
	return n * 20;
}

/* Two threads, one part each. */
static void
two_threads(double share_a, long total)
{
	struct job job[2] = { { 0, (long)(share_a * (double)total) },
			      { 1, (long)((1 - share_a) * (double)total) } };
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run_job, &job[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* n threads that all do all parts, 60 to 30 to 10, in random order. */
static void *
mixed(void *arg)
{
	long n = *(const long *)arg;
	uint32_t r = (uint32_t)(uintptr_t)&r >> 4;

	for (long i = 0; i < n; i++) {
		r = r * 1664525 + 1013904223;
		do_part((r >> 16) % 100 < 60   ? 0
			: (r >> 16) % 100 < 90 ? 1
					       : 2);
	}
	return NULL;
}

static void
many_threads(int n_thread, long total)
{
	pthread_t t[64];
	long each = total / n_thread;

	for (int i = 0; i < n_thread; i++)
		pthread_create(&t[i], NULL, mixed, &each);
	for (int i = 0; i < n_thread; i++)
		pthread_join(t[i], NULL);
}

/* Two threads that hand over to each other after a burst of 60 us and 20 us. */
static sem_t turn[2];
static long n_burst;

static void *
bursts(void *arg)
{
	int me = *(const int *)arg;

	for (long i = 0; i < n_burst; i++) {
		while (sem_wait(&turn[me]) != 0)
			;
		for (int k = me ? 1 : 3; k > 0; k--)
			do_part(me);
		sem_post(&turn[!me]);
	}
	return NULL;
}

static void
bursting_threads(long total)
{
	static const int me[2] = { 0, 1 };
	pthread_t t[2];

	n_burst = total / 4;
	sem_init(&turn[0], 0, 1);
	sem_init(&turn[1], 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, bursts, (void *)(uintptr_t)&me[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* Threads that live for less than a tick. */
static void
short_threads(long total)
{
	struct job job[2] = { { 0, 30 }, { 1, 10 } };
	pthread_t t;

	for (long i = 0; i < total / 40; i++)
		for (int k = 0; k < 2; k++) {
			pthread_create(&t, NULL, run_job, &job[k]);
			pthread_join(t, NULL);
		}
}

static void
on_itimer(int sig)
{
	(void)sig;
	itimer_ticks[now_in]++;
}

static void
start_itimer(void)
{
	struct sigaction sa = { .sa_handler = on_itimer,
				.sa_flags = SA_RESTART };
	struct itimerval tick = { { 0, 1000 }, { 0, 1000 } };

	sigaction(SIGPROF, &sa, NULL);
	setitimer(ITIMER_PROF, &tick, NULL);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long total;

	seconds = argc > 2 ? atof(argv[2]) : 0;
	if (!(seconds > 0)) {
		fprintf(stderr, "usage: truth SCENARIO SECONDS [itimer]\n");
		return 2;
	}
	total = (long)(seconds * (double)steps_per_second());
	if (argc > 3)
		start_itimer();
	else if (strncmp(what, "threads-", 8) == 0)
		puts("60 30 10");
	else
		puts(strcmp(what, "half") == 0     ? "50 50 0"
		     : strcmp(what, "eighty") == 0 ? "80 20 0"
						   : "75 25 0");
	fflush(stdout);
	if (strcmp(what, "half") == 0)
		two_threads(0.5, total);
	else if (strcmp(what, "eighty") == 0)
		two_threads(0.8, total);
	else if (strcmp(what, "bursts") == 0)
		bursting_threads(total);
	else if (strcmp(what, "short") == 0)
		short_threads(total);
	else if (strncmp(what, "threads-", 8) == 0)
		many_threads(atoi(what + 8), total);
	if (argc > 3) {
		double sum = (double)(itimer_ticks[1] + itimer_ticks[2] +
				      itimer_ticks[3]);

		printf("%.1f %.1f %.1f\n", 100 * (double)itimer_ticks[1] / sum,
		       100 * (double)itimer_ticks[2] / sum,
		       100 * (double)itimer_ticks[3] / sum);
	}
	return 0;
}
