/*
 * demo.c - a program whose profile is known beforehand: the subject of `make
 * demo` and of the sampler's tests.
 *
 *	demo [SECONDS [THREADS]]
 *
 * Every thread does rounds of work until it has used SECONDS of CPU time
 * (default 2; default 4 threads). A round is 100 equal pieces in random order:
 * 60 by encode(), 30 by walk(), 10 by checksum(). The order is random, because
 * a sampler that ticks at a regular pace sees only some phases of work that
 * has a regular pace of its own. walk() is recursive, its piece spread over a
 * tree of 31 calls. Rounds are never cut short, so the shares hold for any
 * length of run. Built with -O2 and without frame pointers.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

enum {
	NODES = 31, /* calls of walk() for one piece */
	TREE_DEPTH = 5,
	NODE = 1024,          /* steps of work in one of them */
	PIECE = NODES * NODE, /* some 30 microseconds */
	ROUND = 100,
	MAX_THREADS = 256
};

/*
 * A chain of multiplications, each waiting for the one before: its time is
 * the multiplier's latency, whatever the alignment of the loop. A macro and
 * not an inline function, so that the time belongs to the function around it.
 */
#define WORK(x, steps)                                                         \
	do {                                                                   \
		for (int step_ = 0; step_ < (steps); step_++) {                \
			(x) = (x)*UINT64_C(6364136223846793005) + 1;           \
			__asm__ volatile("" : "+r"(x));                        \
		}                                                              \
	} while (0)

struct worker {
	pthread_t thread;
	double seconds;
	uint64_t result; /* keeps the work from being optimised away */
};

uint64_t encode(uint64_t x);
uint64_t walk(uint64_t x, int depth);
uint64_t checksum(uint64_t x);
uint64_t request(uint64_t x);

NOINLINE uint64_t
encode(uint64_t x)
{
	WORK(x, PIECE);
	return x ^ (x >> 29);
}

/* Two calls below each node, so that neither can become a loop. */
NOINLINE uint64_t
walk(uint64_t x, int depth)
{
	WORK(x, NODE);
	if (depth > 1) {
		x = walk(x, depth - 1) ^ (uint64_t)depth;
		x = walk(x, depth - 1) + (uint64_t)depth;
	}
	return x;
}

NOINLINE uint64_t
checksum(uint64_t x)
{
	WORK(x, PIECE);
	return x ^ (x >> 31);
}

NOINLINE uint64_t
request(uint64_t x)
{
	unsigned char piece[ROUND];

	for (int i = 0; i < ROUND; i++) {
		int k = (int)((x >> 33) % (unsigned)(i + 1));

		piece[i] = piece[k];
		piece[k] = i < 60 ? 'e' : i < 90 ? 'w' : 'c';
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
	}
	for (int i = 0; i < ROUND; i++) {
		if (piece[i] == 'e')
			x = encode(x);
		else if (piece[i] == 'w')
			x = walk(x, TREE_DEPTH);
		else
			x = checksum(x);
	}
	return x;
}

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	double end = cpu_seconds() + w->seconds;

	do {
		w->result = request(w->result);
	} while (cpu_seconds() < end);
	return NULL;
}

int
main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	int n_thread = argc > 2 ? atoi(argv[2]) : 4;
	struct worker worker[MAX_THREADS];
	uint64_t sum = 0;

	if (argc > 3 || !(seconds > 0) || n_thread < 1 ||
	    n_thread > MAX_THREADS) {
		fprintf(stderr, "usage: demo [SECONDS [THREADS]]\n");
		return 2;
	}
	for (int i = 0; i < n_thread; i++) {
		struct worker *w = &worker[i];
		int rc;

		w->seconds = seconds;
		w->result = (uint64_t)i;
		rc = pthread_create(&w->thread, NULL, work, w);
		if (rc) {
			fprintf(stderr, "demo: %s\n", strerror(rc));
			return 2;
		}
	}
	for (int i = 0; i < n_thread; i++) {
		pthread_join(worker[i].thread, NULL);
		sum ^= worker[i].result;
	}
	printf("demo: %d threads, %016llx\n", n_thread,
	       (unsigned long long)sum);
	return 0;
}
