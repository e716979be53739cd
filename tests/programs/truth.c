/*
 * truth.c - workloads whose profile is known, for tests/live/truth.t:
 *
 *	truth SCENARIO SECONDS [itimer|wall]
 *
 * The work of a scenario is shared between part_a, part_b and part_c in shares
 * that the program prints, in percent. "recursion" does the first part in
 * falls(), which calls itself, at each of its FALLS depths alike, and the
 * second below BOUNCES calls of ping() and pong() in turn. The threads of
 * "waits-N" work in part_a(), sleep in sleeps() and wait for each other in
 * blocks(); what is known of those is what they read off the clocks, of CPU
 * time or with "wall" of real time. The sum of it in seconds is printed behind
 * the shares, and their CPU time behind that. With "itimer" the program counts
 * its own ticks of ITIMER_PROF and prints what that makes of the shares, for
 * comparison.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define KEEP(x) __asm__ volatile("" : "+r"(x)) /* nothing is left out */

enum {
	STEP = 20000, /* some 20 microseconds */
	FALLS = 8,
	BOUNCES = 40,
	MOST_THREADS = 64,
};

static inline uint64_t
work(uint64_t x, int n)
{
	for (int i = 0; i < n; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		KEEP(x);
	}
	return x;
}

#define PART(name)                                                             \
	uint64_t name(uint64_t x);                                             \
	NOINLINE uint64_t name(uint64_t x)                                     \
	{                                                                      \
		return work(x, STEP);                                          \
	}
PART(part_a)
PART(part_b)
PART(part_c)

static uint64_t (*const part[])(uint64_t) = { part_a, part_b, part_c };
static double seconds;
static _Thread_local volatile int now_in; /* the part that this thread is in */
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

uint64_t falls(uint64_t x, int n);
uint64_t ping(uint64_t x, int n);
uint64_t pong(uint64_t x, int n);

NOINLINE uint64_t
falls(uint64_t x, int n)
{
	x = work(x, STEP / FALLS);
	if (n > 1)
		x = falls(x, n - 1);
	KEEP(x); /* not a jump */
	return x;
}

NOINLINE uint64_t
ping(uint64_t x, int n)
{
	x = n > 1 ? pong(x, n - 1) : part_b(x);
	KEEP(x);
	return x;
}

NOINLINE uint64_t
pong(uint64_t x, int n)
{
	x = n > 1 ? ping(x, n - 1) : part_b(x);
	KEEP(x);
	return x;
}

static void
do_recursion(int i)
{
	static _Thread_local uint64_t x;

	now_in = i + 1;
	x = i == 0 ? falls(x, FALLS) : i == 1 ? ping(x, BOUNCES) : part_c(x);
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

/*
 * Steps that take about a second of CPU time here; it is in no part. The most
 * of ten tries: CPU time goes on while the host runs another machine.
 */
static long
steps_per_second(void)
{
	uint64_t x = 1;
	long most = 0;

	for (int i = 0; i < 10; i++) {
		double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
		long n = 0;

		while (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start < 0.005) {
			x = work(x, STEP);
			n++;
		}
		most = n > most ? n : most;
	}
	return most * 200;
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

static uint32_t
next_random(uint32_t *r)
{
	*r = *r * 1664525 + 1013904223;
	return *r >> 16;
}

/* n threads that all do all parts, 60 to 30 to 10, in random order. */
struct mix {
	void (*step)(int i);
	long n;
};

static void *
mixed(void *arg)
{
	const struct mix *mix = arg;
	uint32_t r = (uint32_t)(uintptr_t)&r >> 4;

	for (long i = 0; i < mix->n; i++) {
		uint32_t x = next_random(&r) % 100;

		mix->step(x < 60 ? 0 : x < 90 ? 1 : 2);
	}
	return NULL;
}

static void
many_threads(int n_thread, long total, void (*step)(int i))
{
	struct mix mix = { step, total / n_thread };
	pthread_t t[MOST_THREADS];

	for (int i = 0; i < n_thread; i++)
		pthread_create(&t[i], NULL, mixed, &mix);
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

/* Threads that live for less than a tick. Their lengths change, for the ticks
 * have a rhythm, too; each length has one that makes up for it. */
static void
short_threads(long total)
{
	uint32_t r = (uint32_t)(uintptr_t)&r >> 4;
	long off = 0;

	for (long i = 0; i < total / 40; i++) {
		off = i & 1 ? -off : (long)(next_random(&r) % 9) - 4;
		for (int k = 0; k < 2; k++) {
			struct job job = { k, k ? 10 + off : 30 + 3 * off };
			pthread_t t;

			pthread_create(&t, NULL, run_job, &job);
			pthread_join(t, NULL);
		}
	}
}

/* Where the time of a thread goes, in seconds of waiting_clock. */
struct waiter {
	bool is_alone;
	double seconds; /* that it shall take */
	double spent[3], last;
	double cpu; /* seconds of CPU time in all */
};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static clockid_t waiting_clock;

/* All time since the last call was part i's, or, if i < 0, nobody's. No system
 * call for the wall clock, and so no place where the kernel likes to let others
 * go first: that would be in no part, and in the account of the next. */
static void
charge(struct waiter *w, int i)
{
	double now = clock_seconds(waiting_clock);

	if (i >= 0)
		w->spent[i] += now - w->last;
	w->last = now;
}

static void
work_steps(struct waiter *w, uint32_t n)
{
	while (n-- > 0)
		do_part(0);
	charge(w, 0);
}

void sleeps(struct waiter *w, uint32_t us);
void blocks(struct waiter *w);

NOINLINE void
sleeps(struct waiter *w, uint32_t us)
{
	struct timespec t = { .tv_nsec = (long)us * 1000 };

	now_in = 2;
	while (nanosleep(&t, &t) != 0)
		;
	now_in = 0;
	charge(w, 1);
}

NOINLINE void
blocks(struct waiter *w)
{
	now_in = 3;
	pthread_mutex_lock(&gate);
	now_in = 0;
	charge(w, 2);
}

/* Lengths at random, so that no clock keeps time with them; and always some
 * work before a wait, as a sampler of waits may take a thread that has done
 * nothing to be where it was. */
static void *
waits(void *arg)
{
	struct waiter *w = arg;
	uint32_t r = (uint32_t)(uintptr_t)&r >> 4;
	double end;

	w->cpu = -clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	charge(w, -1);
	end = w->last + w->seconds;
	while (w->last < end) {
		work_steps(w, 50 + next_random(&r) % 250);
		sleeps(w, 1000 + next_random(&r) % 10000);
		work_steps(w, 50 + next_random(&r) % 100);
		if (w->is_alone)
			continue;
		blocks(w);
		work_steps(w, 50);
		sleeps(w, 1000 + next_random(&r) % 5000);
		pthread_mutex_unlock(&gate);
	}
	w->cpu += clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void
waiting_threads(int n_thread, bool is_silent)
{
	static struct waiter w[MOST_THREADS];
	double sum[3] = { 0 }, all = 0, cpu = 0;
	pthread_t t[MOST_THREADS];

	for (int i = 0; i < n_thread; i++) {
		w[i].is_alone = n_thread == 1;
		w[i].seconds = waiting_clock == CLOCK_MONOTONIC
				       ? seconds
				       : seconds / n_thread;
		pthread_create(&t[i], NULL, waits, &w[i]);
	}
	for (int i = 0; i < n_thread; i++) {
		pthread_join(t[i], NULL);
		cpu += w[i].cpu;
		for (int k = 0; k < 3; k++) {
			sum[k] += w[i].spent[k];
			all += w[i].spent[k];
		}
	}
	if (!is_silent)
		printf("%.3f %.3f %.3f %.6f %.6f\n", 100 * sum[0] / all,
		       100 * sum[1] / all, 100 * sum[2] / all, all, cpu);
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

/* What is known before it starts; NULL: nothing. */
static const char *
known_shares(const char *what)
{
	if (!strcmp(what, "half"))
		return "50 50 0";
	if (!strcmp(what, "eighty"))
		return "80 20 0";
	if (!strcmp(what, "bursts") || !strcmp(what, "short"))
		return "75 25 0";
	if (!strncmp(what, "waits-", 6))
		return NULL;
	return "60 30 10";
}

static int
run(const char *what, const char *how)
{
	long total = (long)(seconds * (double)steps_per_second());
	bool is_itimer = !strcmp(how, "itimer");
	const char *number = strchr(what, '-');
	int n_thread = number ? atoi(number + 1) : 1;

	if (n_thread < 1 || n_thread > MOST_THREADS)
		return 2;
	waiting_clock = !strcmp(how, "wall") ? CLOCK_MONOTONIC
					     : CLOCK_THREAD_CPUTIME_ID;
	if (is_itimer)
		start_itimer();
	else if (known_shares(what))
		puts(known_shares(what));
	fflush(stdout);
	if (!strcmp(what, "half"))
		two_threads(0.5, total);
	else if (!strcmp(what, "eighty"))
		two_threads(0.8, total);
	else if (!strcmp(what, "bursts"))
		bursting_threads(total);
	else if (!strcmp(what, "short"))
		short_threads(total);
	else if (!strcmp(what, "recursion"))
		many_threads(1, total, do_recursion);
	else if (!strncmp(what, "threads-", 8))
		many_threads(n_thread, total, do_part);
	else if (!strncmp(what, "waits-", 6))
		waiting_threads(n_thread, is_itimer);
	else
		return 2;
	return 0;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "";
	double sum;

	seconds = argc > 2 ? atof(argv[2]) : 0;
	if (!(seconds > 0) || run(argv[1], how) != 0) {
		fprintf(stderr,
			"usage: truth SCENARIO SECONDS [itimer|wall]\n");
		return 2;
	}
	if (!strcmp(how, "itimer")) {
		sum = (double)(itimer_ticks[1] + itimer_ticks[2] +
			       itimer_ticks[3]);
		printf("%.1f %.1f %.1f\n", 100 * (double)itimer_ticks[1] / sum,
		       100 * (double)itimer_ticks[2] / sum,
		       100 * (double)itimer_ticks[3] / sum);
	}
	return 0;
}
