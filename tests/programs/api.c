/*
 * api.c - a program that profiles itself through sample.h: writes FILE, with
 * known labels. Prints what the calls return.
 *
 *	api FILE [kill]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libsample/sample.h"

/* Use CPU time, of this thread. */
static void *
burn(void *arg)
{
	struct timespec t;
	double end = 0;
	uint64_t x = 1;

	do {
		for (int i = 0; i < 100000; i++) {
			x = x * UINT64_C(6364136223846793005) + 1;
			__asm__ volatile("" : "+r"(x));
		}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		if (end == 0)
			end = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + 0.1;
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < end);
	return arg;
}

static void
show(const char *call, int rc)
{
	printf("%s: %s\n", call, rc ? strerrorname_np(rc) : "done");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct sample_options options = { .hz = 1000 };
	pthread_t thread;

	if (argc < 2)
		return 2;
	show("stop", sample_stop());
	show("start in no directory", sample_start("/nonexistent/x", NULL));
	show("start", sample_start(argv[1], &options));
	show("start again", sample_start(argv[1], &options));
	burn(NULL);
	show("label", sample_label("request", "GET"));
	show("label", sample_label("user", "ann"));
	/* A thread inherits labels. */
	if (pthread_create(&thread, NULL, burn, NULL) == 0)
		pthread_join(thread, NULL);
	show("label", sample_label("request", "POST"));
	burn(NULL);
	show("label", sample_label("request", NULL));
	show("flush", sample_flush());
	if (argc > 2)
		kill(getpid(), SIGKILL);
	burn(NULL);
	show("stop", sample_stop());
	printf("on: %d\n", sample_is_on());
	burn(NULL);
	/* A second session, which the end of the program ends. */
	sample_label("user", NULL);
	show("start", sample_start(argv[1], &options));
	burn(NULL);
	return 0;
}
