/*
 * phases.c - works in phase_a() until a line comes on standard input, then in
 * phase_b(), and so on by turns, until the input ends; for listen.t. It says
 * "a" or "b" when it has begun. Before that it has kept 100 blocks of 100,000
 * bytes in keep_blocks(), and waited for a lock in wait_for_main().
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void keep_blocks(void);
void wait_for_main(void);
uint64_t phase_a(uint64_t x);
uint64_t phase_b(uint64_t x);

static _Atomic int wanted, current = -1;
static _Atomic bool is_waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile block[100];

__attribute__((noinline)) void
keep_blocks(void)
{
	for (int i = 0; i < 100; i++)
		block[i] = malloc(100000);
}

__attribute__((noinline)) void
wait_for_main(void)
{
	atomic_store(&is_waiting, true);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	atomic_store(&is_waiting, false);
}

__attribute__((noinline)) uint64_t
phase_a(uint64_t x)
{
	for (int i = 0; i < 100000; i++)
		x = x * UINT64_C(6364136223846793005) + 1;
	return x;
}

__attribute__((noinline)) uint64_t
phase_b(uint64_t x)
{
	for (int i = 0; i < 100000; i++)
		x = x * UINT64_C(6364136223846793005) + 3;
	return x;
}

static void *
work(void *arg)
{
	volatile uint64_t x = 1;

	wait_for_main();
	for (;;) {
		int now = atomic_load(&wanted);

		atomic_store(&current, now);
		x = now ? phase_b(x) : phase_a(x);
	}
	return arg;
}

int
main(void)
{
	pthread_t t;
	int c;

	keep_blocks();
	pthread_mutex_lock(&lock);
	if (pthread_create(&t, NULL, work, NULL) != 0)
		return 1;
	while (!atomic_load(&is_waiting))
		;
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	pthread_mutex_unlock(&lock);
	do {
		while (atomic_load(&current) != atomic_load(&wanted))
			;
		puts(wanted ? "b" : "a");
		fflush(stdout);
		while ((c = getchar()) != '\n' && c != EOF)
			;
		if (c != EOF)
			wanted = !wanted;
	} while (c != EOF);
	return 7;
}
