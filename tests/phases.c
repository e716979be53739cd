/*
 * phases.c - works in phase_a() until a line comes on standard input, then in
 * phase_b(), and so on by turns, until the input ends; for listen.t. It says
 * "a" or "b" when it has begun.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

uint64_t phase_a(uint64_t x);
uint64_t phase_b(uint64_t x);

static _Atomic int wanted, current = -1;

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

	if (pthread_create(&t, NULL, work, NULL) != 0)
		return 1;
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
