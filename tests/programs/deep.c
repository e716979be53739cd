/*
 * deep.c - stacks of a known depth, and threads with hardly any:
 *
 *	deep DEPTH run|sleep|heap|lock	do that below DEPTH calls
 *	deep small			work and sleep in threads of the
 * smallest stacks that there are
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORK_MS = 150, THREADS = 8 };

static int64_t
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
run(void)
{
	int64_t end = cpu_ms() + WORK_MS;

	while (cpu_ms() < end)
		for (int i = 0; i < 10000; i++)
			__asm__ volatile("");
}

static void
sleep_ms(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

static void
allocate(void)
{
	void *p = malloc(100000);

	__asm__ volatile("" : : "r"(p) : "memory");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *
hold(void *held)
{
	pthread_mutex_lock(&mutex);
	pthread_barrier_wait(held);
	sleep_ms(50);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void
lock(void)
{
	pthread_barrier_t held;
	pthread_t thread;

	pthread_barrier_init(&held, NULL, 2);
	if (pthread_create(&thread, NULL, hold, &held) != 0)
		abort();
	pthread_barrier_wait(&held);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*fn)(void);
} ways[] = {
	{ "run", run },
	{ "heap", allocate },
	{ "lock", lock },
	{ NULL, NULL },
};

static void
do_way(const char *name)
{
	if (!strcmp(name, "sleep"))
		sleep_ms(300);
	for (int i = 0; ways[i].name; i++)
		if (!strcmp(ways[i].name, name))
			ways[i].fn();
}

__attribute__((noinline)) static int
descend(int depth, const char *way)
{
	int rc = 0;

	if (depth == 0)
		do_way(way);
	else
		rc = descend(depth - 1, way);
	/* No tail call, no loop. */
	__asm__ volatile("" : "+r"(rc));
	return rc + 1;
}

static void *
work_and_sleep(void *arg)
{
	run();
	sleep_ms(50);
	return arg;
}

static int
small(void)
{
	pthread_t thread[THREADS];
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstacksize(&attr, 16384) != 0)
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], &attr, work_and_sleep, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	puts("alive");
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "small"))
		return small();
	return argc == 3 && descend(atoi(argv[1]), argv[2]) == 0;
}
