/*
 * overhead.c - work of a fixed amount, for `make bench BENCH=record`:
 *
 *	overhead stack|alloc CHUNKS
 *
 * "stack" computes below 30 frames, "alloc" allocates and frees all the time,
 * in chunks of some 100 microseconds. It prints three numbers:
 *
 *	the CPU time of the process, user and system, in seconds, from main on;
 *	how much of each second interrupts took, in microseconds: how much
 *	longer chunks were than the median of their neighbours, save what is
 *	beyond a hundred microseconds, which is no interrupt;
 *	how much of each second SIGPROF took, in microseconds. It is blocked
 *	during one of each two windows of five chunks, drawn by lot, so that all
 *	signals come in the other ones: by how much those are longer.
 *
 * The first is what counts, and is blurred by programs that share caches and
 * cores, and by where things lie in memory; the second is not, but needs chunks
 * that are alike; the third is neither, and sees nothing but signals.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	DEPTH = 30,
	STEPS = 60000, /* some 60 microseconds */
	ALLOCS = 1500,
	LIVE = 4096,
	NEAR = 32,
	WINDOW = 5,
	MOST_NS = 100000,
};

typedef uint64_t work_fn(uint64_t x);

static uint64_t
compute(uint64_t x)
{
	for (int i = 0; i < STEPS; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static uint64_t
allocate(uint64_t x)
{
	static char *live[LIVE];

	for (int i = 0; i < ALLOCS; i++) {
		char **p = &live[x >> 33 & (LIVE - 1)];

		free(*p);
		*p = malloc(16 + (x >> 50) % 1000);
		if (*p)
			**p = (char)x;
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
	}
	return x;
}

static int64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Of a pair of windows: are signals blocked in the first? */
static bool
is_first_blocked(long pair)
{
	uint64_t x = (uint64_t)pair * UINT64_C(0x9e3779b97f4a7c15);

	return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 63;
}

static bool
is_blocked(long chunk)
{
	return is_first_blocked(chunk / (2 * WINDOW)) ==
	       (chunk / WINDOW % 2 == 0);
}

/* Behind the back of the code that has the signal. */
static void
block(bool on)
{
	uint64_t set = UINT64_C(1) << (SIGPROF - 1);

	syscall(SYS_rt_sigprocmask, on ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL,
		sizeof(set));
}

/* Times of n chunks into ns, below so many frames. */
static uint64_t below(int depth, work_fn *work, uint32_t *ns, long n,
		      uint64_t x);

/* What the compiler does not know, it cannot unroll. */
static uint64_t (*volatile deeper)(int, work_fn *, uint32_t *, long,
				   uint64_t) = below;

static uint64_t
below(int depth, work_fn *work, uint32_t *ns, long n, uint64_t x)
{
	int64_t last, now;

	if (depth > 0)
		return deeper(depth - 1, work, ns, n, x) + 1;
	last = cpu_ns();
	for (long i = 0; i < n; i++) {
		if (i % WINDOW == 0)
			block(is_blocked(i));
		x = work(x);
		now = cpu_ns();
		ns[i] = (uint32_t)(now - last);
		last = now;
	}
	block(false);
	return x;
}

static int
by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds of interrupts per nanosecond. */
static double
interrupts(const uint32_t *ns, long n)
{
	double excess = 0, whole = 0;

	for (long i = 0; i + NEAR <= n; i += NEAR) {
		uint32_t sorted[NEAR];
		double median;

		memcpy(sorted, ns + i, sizeof(sorted));
		qsort(sorted, NEAR, sizeof(*sorted), by_size);
		median = sorted[NEAR / 2];
		for (int k = 0; k < NEAR; k++)
			if (ns[i + k] < median + MOST_NS) {
				excess += ns[i + k] - median;
				whole += ns[i + k];
			}
	}
	return excess / whole;
}

/* The same of SIGPROF alone. */
static double
signals(const uint32_t *ns, long n)
{
	double excess = 0, whole = 0;

	for (long i = 0; i + 2 * WINDOW <= n; i += 2 * WINDOW) {
		double with = 0, without = 0;

		for (long k = i; k < i + 2 * WINDOW; k++)
			*(is_blocked(k) ? &without : &with) += ns[k];
		if (with - without < MOST_NS && without - with < MOST_NS) {
			excess += with - without;
			whole += 2 * without;
		}
	}
	return excess / whole;
}

static double
used(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

int
main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;
	work_fn *work;
	uint32_t *ns;
	double start;

	if (n < NEAR) {
		fprintf(stderr, "usage: overhead stack|alloc CHUNKS\n");
		return 2;
	}
	work = !strcmp(argv[1], "alloc") ? allocate : compute;
	ns = calloc((size_t)n, sizeof(*ns));
	if (!ns)
		return 2;
	below(DEPTH, work, ns, NEAR, 1);
	start = used();
	if (below(DEPTH, work, ns, n, 1) == 42)
		return 3;
	printf("%.6f %.1f %.1f\n", used() - start, 1e6 * interrupts(ns, n),
	       1e6 * signals(ns, n));
	return 0;
}
