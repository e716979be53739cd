/*
 * starts.c - the cost of starting a program: runs COMMAND N times and prints
 * the median of its CPU time, user and system, in milliseconds. Under
 * prof-record, which samples children, too, the difference is the cost of
 * sampling a start.
 *
 *	usage: starts N COMMAND [ARG...]
 */
#include "config.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double
cpu_ms(const struct rusage *r)
{
	return 1e3 * (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
	       1e-3 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	double *ms = calloc(n ? n : 1, sizeof(*ms));
	posix_spawn_file_actions_t quiet;

	if (!n || !ms || posix_spawn_file_actions_init(&quiet) != 0 ||
	    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY,
					     0) != 0) {
		fprintf(stderr, "usage: starts N COMMAND [ARG...]\n");
		return 2;
	}
	for (size_t i = 0; i < n; i++) {
		struct rusage r;
		pid_t pid;

		if (posix_spawnp(&pid, argv[2], &quiet, NULL, argv + 2,
				 environ) != 0 ||
		    wait4(pid, NULL, 0, &r) != pid) {
			perror(argv[2]);
			return 2;
		}
		ms[i] = cpu_ms(&r);
	}
	qsort(ms, n, sizeof(*ms), compare);
	fprintf(stderr, "%.2f\n", ms[n / 2]);
	free(ms);
	return 0;
}
