/*
 * storm.c - does anything grow with the number of threads that have been?
 *
 *	storm THREADS [SPIN]
 *
 * Starts THREADS threads, eight at a time, each with SPIN rounds of work, that
 * return, exit or are cancelled. Then it prints by how much the process has
 * grown since the first thousand: descriptors, POSIX timers (0 where the kernel
 * does not list them), mappings, and KB of memory.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 8, FIRST = 1000 };

struct size {
	long fds, timers, maps, kb;
};

static long spin;

static long
count_entries(const char *path)
{
	DIR *dir = opendir(path);
	long n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* Lines of path that begin with word. */
static long
count_lines(const char *path, const char *word)
{
	FILE *f = fopen(path, "r");
	char line[1024];
	long n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !strncmp(line, word, strlen(word));
	if (f)
		fclose(f);
	return n;
}

static struct size
measure(void)
{
	struct size s = {
		.fds = count_entries("/proc/self/fd"),
		.timers = count_lines("/proc/self/timers", "ID:"),
		.maps = count_lines("/proc/self/maps", ""),
	};
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%*d %ld", &s.kb) != 1)
			s.kb = 0;
		s.kb *= sysconf(_SC_PAGESIZE) / 1024;
		fclose(f);
	}
	return s;
}

static void *
work(void *arg)
{
	uint64_t x = (uintptr_t)arg;

	for (long i = 0; i < spin; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
	if ((uintptr_t)arg % 4 == 1)
		pthread_exit(NULL);
	if ((uintptr_t)arg % 4 == 2)
		for (;;)
			pause();
	return NULL;
}

static void
run(long n)
{
	pthread_t t[AT_ONCE];

	for (long i = 0; i < n; i += AT_ONCE) {
		for (int k = 0; k < AT_ONCE; k++)
			if (pthread_create(&t[k], NULL, work,
					   (void *)(uintptr_t)k) != 0) {
				perror("storm: pthread_create");
				exit(2);
			}
		for (int k = 0; k < AT_ONCE; k++) {
			if (k % 4 == 2)
				pthread_cancel(t[k]);
			pthread_join(t[k], NULL);
		}
	}
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	struct size before, after;

	if (n <= 0) {
		fprintf(stderr, "usage: storm THREADS [SPIN]\n");
		return 2;
	}
	spin = argc > 2 ? atol(argv[2]) : 0;
	run(FIRST);
	before = measure();
	run(n);
	after = measure();
	printf("%ld %ld %ld %ld\n", after.fds - before.fds,
	       after.timers - before.timers, after.maps - before.maps,
	       after.kb - before.kb);
	return 0;
}
