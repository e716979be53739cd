/*
 * account.h - everything that is said about what a recording did not see. The
 * sentences depend on counts alone: the recorder and the reports fill these in,
 * and print.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampling.h"

/* Receives a sentence without a newline. */
typedef void account_say(const char *sentence);

/* For a report: say what a hundredth of the samples of a profile lacks. */
void account_quality(const struct sampling *s, account_say *say);

/* For the recorder: say how many samples were lost, and how many stacks are
 * longer than the bytes of each that the kernel copied. */
void account_copies(const struct sampling *s, unsigned stack_bytes,
		    account_say *say);

/* A recording of CPU time, at its end. */
struct account {
	const char *name;         /* of the command */
	struct sampling sampling; /* with used_s, the kernel's bill, and what
				     it says of that */
	unsigned n_thread;        /* of all processes; 0: not known */
	bool is_cpu;              /* the clock is CPU time */
	bool is_perf_clock;       /* ... by perf_event inside the program */
	double tick_s;            /* of the kernel */
	double more_s;            /* what ticks by chance are worth more than a
				     period each, or less */
	bool has_left;            /* processes that still run, unrecorded */
	unsigned n_left;          /* their number; 0: unknown */

	/* From inside. */
	unsigned n_program;  /* programs that libsample was loaded into */
	unsigned n_fork;     /* children that executed none */
	double early_s;      /* CPU time that they had used before */
	double unseen_s;     /* of programs without it, as far as seen */
	const char *culprit; /* the first of them, and why; or NULL */
	bool is_limited;     /* the address space is */
	bool is_beside;      /* the kernel samples programs without it */
	bool lacks_kernel;   /* ... but not its own part of their time */
};

/* Say which CPU time was not sampled, and why. */
void account_missing(const struct account *a, account_say *say);

/*
 * By how many seconds samples may miss the CPU time by chance. Each thread
 * misses up to a period and a tick of the kernel, evenly spread; such errors
 * add up as the root of their number: three deviations, and both ends of one.
 */
double account_chance_s(const struct account *a);

/* CPU time of a program that is in no sample. */
struct account_share {
	const char *name;
	uint64_t ns;
};

/*
 * Make the rows of all that was not sampled, missing_ns, from n shares of it
 * that are known, in place: one for each name, reduced in proportion if they
 * are more than all; if they are less, `others` have the rest. Returns their
 * number; share has room for one more than n.
 */
size_t account_rows(struct account_share *share, size_t n, uint64_t missing_ns,
		    const char *others);

/* Memory that is not in a profile of the heap. */
struct account_heap {
	bool is_hooked;      /* a program's malloc() can be sampled */
	uint64_t n_sample;   /* of these */
	uint64_t period;     /* mean bytes between them */
	uint64_t lost_bytes; /* of allocations without room */
	uint64_t grown_kib;  /* the largest size of the heap */
	uint64_t memory_kib; /* of the processes, without files */
	const char *name;    /* of the process with the most */
};

void account_heap(const struct account_heap *a, account_say *say);

/* Why a profile of locks is empty, of programs whose locks can be sampled.
 * period_ns: mean waiting between samples. */
void account_locks(uint64_t n_sample, uint64_t period_ns, account_say *say);

/* The closing line: what there is. column: of the time, "CPU time". more_s: as
 * in struct account. */
void account_closing(const struct sampling *s, double more_s,
		     const char *column, unsigned n_process, account_say *say);

#endif
