/*
 * phases.c - works in phase_a() until an empty line comes on standard input,
 * then in phase_b(), and so on by turns, until the input ends; for listen.t. It
 * says "a" or "b" when it has begun. Before that it has kept 100 blocks of
 * 100,000 bytes in keep_blocks(), and waited for a lock in wait_for_main().
 * When the line is "more", it frees 30 of the blocks, allocates 50 in
 * keep_more(), waits for the lock in wait_again(), and says "more".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void keep_blocks(void);
void keep_more(void);
void wait_for_main(void);
void wait_again(void);
uint64_t phase_a(uint64_t x);
uint64_t phase_b(uint64_t x);

static _Atomic int wanted, current = -1;
static _Atomic bool is_waiting, shall_wait;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile block[100], *volatile more[50];

__attribute__((noinline)) void
keep_blocks(void)
{
	for (int i = 0; i < 100; i++)
		block[i] = malloc(100000);
}

__attribute__((noinline)) void
keep_more(void)
{
	for (int i = 0; i < 50; i++)
		more[i] = malloc(100000);
}

__attribute__((noinline)) void
wait_for_main(void)
{
	atomic_store(&is_waiting, true);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	atomic_store(&is_waiting, false);
}

__attribute__((noinline)) void
wait_again(void)
{
	atomic_store(&shall_wait, false);
	wait_for_main();
	__asm__ volatile("");
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
	for (unsigned n = 1;; n++) {
		int now = atomic_load(&wanted);

		atomic_store(&current, now);
		x = now ? phase_b(x) : phase_a(x);
		if (atomic_load(&shall_wait))
			wait_again();
		/* A third of a processor is enough to be seen. */
		if (n % 64 == 0)
			nanosleep(&(struct timespec){ .tv_nsec = 20000000 },
				  NULL);
	}
	return arg;
}

/* Hold the lock until the other thread has waited for it. */
static void
let_wait(void)
{
	while (!atomic_load(&is_waiting))
		;
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	pthread_mutex_unlock(&lock);
	while (atomic_load(&is_waiting))
		;
}

static void
do_more(void)
{
	for (int i = 0; i < 30; i++) {
		free(block[i]);
		block[i] = NULL;
	}
	keep_more();
	pthread_mutex_lock(&lock);
	atomic_store(&shall_wait, true);
	let_wait();
	puts("more");
	fflush(stdout);
}

/* The next line is not "more"; false: there is none. */
static bool
is_told_to_go_on(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == '\n')
			return true;
		do_more();
	}
	return false;
}

int
main(void)
{
	bool goes_on;
	pthread_t t;

	keep_blocks();
	pthread_mutex_lock(&lock);
	if (pthread_create(&t, NULL, work, NULL) != 0)
		return 1;
	let_wait();
	do {
		while (atomic_load(&current) != atomic_load(&wanted))
			;
		puts(wanted ? "b" : "a");
		fflush(stdout);
		goes_on = is_told_to_go_on();
		if (goes_on)
			wanted = !wanted;
	} while (goes_on);
	return 7;
}
