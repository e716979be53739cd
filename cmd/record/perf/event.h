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

#include "event-kind.h"
#include "lib/base/status.h"
#include "phase.h"

/* What to sample. */
struct perf_config {
	const struct perf_kind *kind[PERF_MAX_KIND]; /* a column each */
	size_t n_kind;
	uint64_t period[PERF_MAX_KIND]; /* events for each sample; 0: the
					 * kernel's choice */
	uint64_t period_ns;             /* of CPU time */
	uint32_t stack_bytes; /* copied of each stack: a multiple of 8 */
	bool kernel;          /* frames and time of the kernel, too */
	size_t ring_bytes;    /* for each CPU */
	unsigned labels;      /* enum perf_label, or-ed */
	bool cgroup;          /* tasks are descriptors of control groups */
	bool approx;          /* of offcpu: stacks of the clock's last sample */
	const char *why;      /* "perf", and why that, for the comment */
	bool on_exec;         /* begin with the next exec of the task */
	/* NULL, or of all processes only these; the kinds are then those of
	 * enum family_kind. */
	struct family *family;
	struct phase phase; /* of FAMILY_CPU, if its period is 0: tasks inherit
			       that clock */
};

/* Do the events of a kind have different periods, by config->phase? config may
 * be NULL. */
bool perf_is_phased(const struct perf_config *config, size_t kind);

/*
 * What samples hold: the order of the words is the kernel's. PERF_SAMPLE_PERIOD
 * is added where the kernel chooses the period; with it, software events of a
 * given period would all be sampled. It and PERF_SAMPLE_READ are added where
 * the period changes.
 */
#define PERF_SAMPLE_WORDS                                                      \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                 \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |     \
	 PERF_SAMPLE_STACK_USER)

/* An event on a CPU, and its ring. */
struct perf_ring {
	int fd; /* the event that owns the ring */
	int cpu;
	pid_t pid;      /* that the event was opened for, or -1 */
	size_t kind;    /* of its samples: an index of perf_config.kind */
	void *map;      /* a page of control, then the ring */
	size_t n_bytes; /* of the ring: a power of two */
	uint64_t head, tail;
	uint8_t *wrapped; /* a copy of a record that wraps around the end */
};

/*
 * Open an event of config->kind[kind] for task tid, and what it forks, on that
 * CPU; a tid of -1 means every task. With config->cgroup, tid is the descriptor
 * of a control group's directory. Newer attributes that this kernel does not
 * know are left out; if it knows no count of a task's own clock, that is phased
 * no more. If it does not let us see the kernel, config->kernel becomes false.
 * Returns the descriptor, or -1 with errno.
 */
int perf_event_open(struct perf_config *config, size_t kind, pid_t tid,
		    int cpu);

/*
 * Say why perf_event_open() of a kind failed with errno number e, and what to
 * do about it: PROF_ENOTSUP, and err has the value of the sysctl.
 */
enum prof_status perf_event_refused(const struct perf_kind *kind, int e,
				    bool all, struct prof_err *err);

/* What prof-record needs to record everything without being root. */
#define PERF_CAPS "cap_perfmon,cap_sys_ptrace,cap_syslog=ep"

/* The value of kernel.NAME, without its newline, or "unknown". */
void perf_sysctl(const char *name, char *value, size_t size);

/* The room for a quarter of a second of samples on a CPU. */
size_t perf_ring_bytes(uint64_t period_ns, uint32_t stack_bytes);

/*
 * The largest ring, a power of two, of which n fit into the memory that we may
 * lock; SIZE_MAX: there is no limit.
 */
size_t perf_ring_share(size_t n);

/*
 * Make a ring of about want bytes for event fd; half of it and so on, down to
 * least, if the kernel does not permit as much locked memory. The ring then
 * owns fd. PROF_ENOTSUP, PROF_ENOMEM.
 */
enum prof_status perf_ring_open(struct perf_ring *r, int fd, int cpu,
				size_t want, size_t least,
				struct prof_err *err) MUST_USE;
void perf_ring_close(struct perf_ring *r);

/* Find the records written so far. */
void perf_ring_look(struct perf_ring *r);

/*
 * The next record that perf_ring_look() found, contiguous, or NULL; valid until
 * perf_ring_next(), which returns its room to the kernel.
 */
const struct perf_event_header *perf_ring_peek(struct perf_ring *r);
void perf_ring_next(struct perf_ring *r);

/* What the event of fd has counted, and the samples of it that were lost for
 * want of room in its ring; 0 if the kernel does not say. */
struct perf_event_counts {
	uint64_t value, lost;
};

struct perf_event_counts perf_event_counts(int fd);

#endif
