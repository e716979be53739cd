/*
 * event.h - the kernel's interface for sampling from outside: events of
 * perf_event_open(2) and the rings that they write into.
 */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/status.h"

/* What to sample. */
struct perf_config {
	uint64_t period_ns;   /* of CPU time */
	uint32_t stack_bytes; /* copied of each stack: a multiple of 8 */
	bool kernel;          /* frames and time of the kernel, too */
	size_t ring_bytes;    /* for each CPU */
	unsigned labels;      /* enum perf_label, or-ed */
	bool cgroup;          /* tasks are descriptors of control groups */
	bool on_exec;         /* begin with the next exec of the task */
};

/* The contents of samples, in the kernel's order. */
#define PERF_SAMPLE_WORDS                                                      \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                 \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |     \
	 PERF_SAMPLE_STACK_USER)

/* An event on a CPU, and its ring. */
struct perf_ring {
	int fd; /* the event that owns the ring */
	int cpu;
	void *map;      /* a page of control, then the ring */
	size_t n_bytes; /* of the ring: a power of two */
	uint64_t head, tail;
	uint8_t *wrapped; /* a copy of a record that wraps around the end */
};

/*
 * Open an event for task tid, and its children, on that CPU; a tid of -1 means
 * every task. With config->cgroup, tid is the descriptor of a control group's
 * directory. Attributes that this kernel does not know are omitted. If it does
 * not permit kernel samples, config->kernel becomes false. Returns the
 * descriptor, or -1 with errno.
 */
int perf_event_open(struct perf_config *config, pid_t tid, int cpu);

/*
 * Fail with the reason for error e of perf_event_open(), and a remedy:
 * PROF_ENOTSUP, and err has the value of the sysctl.
 */
enum prof_status perf_event_refused(int e, bool all, struct prof_err *err);

/*
 * Make a ring of about want bytes for event fd, smaller if the kernel does not
 * permit as much locked memory; the ring then owns fd. PROF_ENOTSUP,
 * PROF_ENOMEM.
 */
enum prof_status perf_ring_open(struct perf_ring *r, int fd, int cpu,
				size_t want, struct prof_err *err) MUST_USE;
void perf_ring_close(struct perf_ring *r);

/* Find the records written so far. */
void perf_ring_look(struct perf_ring *r);

/*
 * The next record that perf_ring_look() found, contiguous, or NULL; valid until
 * perf_ring_next(), which returns its room to the kernel.
 */
const struct perf_event_header *perf_ring_peek(struct perf_ring *r);
void perf_ring_next(struct perf_ring *r);

/* Samples lost in the ring of fd, its own and those of other events that write
 * there, as counted by fd; 0 if unknown. */
uint64_t perf_event_lost(int fd);

#endif
