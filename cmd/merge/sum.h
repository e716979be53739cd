/* sum.h - read the inputs of prof-merge and add them, with threads. */
#ifndef SUM_H
#define SUM_H

#include <stdbool.h>
#include <stddef.h>

#include "inputs.h"

#define SUM_MAX_THREADS 64

struct merge;

/* A label for all samples of an input. */
struct sum_mark {
	const char *key;
	const char *value; /* NULL: the name of the input */
};

struct sum_job {
	struct merge *sum;
	struct inputs inputs;
	struct sum_mark *mark; /* n_mark */
	size_t n_mark;
	bool skip_bad; /* warn about a bad input, and continue */
	size_t max_size;
};

/*
 * Add all inputs to job->sum, reading with n_thread threads. Dies on a bad
 * input, or if all are bad. Returns the number of bad ones; of several profiles
 * in one, those before the bad one are added.
 */
size_t sum_run(const struct sum_job *job, size_t n_thread);

#endif
