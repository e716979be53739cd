/*
 * measure.c - times a command as a whole, for the bench:
 *
 *	measure [-c] RUNS COMMAND
 *
 * sh runs COMMAND so often, its output thrown away; what is printed is the
 * smallest wall time in seconds, with -c the smallest CPU time of all its
 * processes, and the largest resident size of any one process in it in KiB. A
 * command that fails prints "- -".
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Seconds of the clock or, with is_cpu, of processors for ended children. */
static double
now(bool is_cpu)
{
	struct timespec t;
	struct rusage u;

	if (is_cpu) {
		getrusage(RUSAGE_CHILDREN, &u);
		return seconds(u.ru_utime) + seconds(u.ru_stime);
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
run(const char *command)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int
main(int argc, char **argv)
{
	bool is_cpu = argc > 1 && !strcmp(argv[1], "-c");
	double best = 1e30;
	struct rusage u;

	argc -= is_cpu;
	argv += is_cpu;
	if (argc != 3) {
		fprintf(stderr, "usage: measure [-c] RUNS COMMAND\n");
		return 2;
	}
	for (int i = atoi(argv[1]); i > 0; i--) {
		double start = now(is_cpu), took;

		if (run(argv[2]) < 0) {
			puts("- -");
			return 1;
		}
		took = now(is_cpu) - start;
		best = took < best ? took : best;
	}
	getrusage(RUSAGE_CHILDREN, &u);
	printf("%.4f %ld\n", best, u.ru_maxrss);
	return 0;
}
