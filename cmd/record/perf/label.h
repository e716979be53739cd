/* label.h - labels of samples taken from outside: the thread, the CPU, the
 * control group and container. */
#ifndef PERF_LABEL_H
#define PERF_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "libsample/shm.h"

struct labeler;
struct tally;

/* What samples are labelled by; or-ed. */
enum perf_label {
	PERF_LABEL_THREAD = SHM_LABEL_THREAD, /* the thread's name */
	PERF_LABEL_TID = SHM_LABEL_TID,
	PERF_LABEL_CPU = 4,
	PERF_LABEL_CGROUP = 8, /* the path of the process's */
	PERF_LABEL_CONTAINER = 16,
};

/* A thread that begins or ends, in the kernel's order. */
struct perf_task {
	int32_t pid, parent; /* the same, unless it begins a process */
	int32_t tid, creator;
};

/* NULL without memory. */
struct labeler *labeler_new(struct tally *t, unsigned labels);
void labeler_free(struct labeler *l);

/* Continue with another tally, which has no labels yet: forget their numbers,
 * and the names of threads, which /proc has. False without memory. */
bool labeler_turn(struct labeler *l, struct tally *t);

/* Events reported by the kernel, in their order. */
void labeler_name(struct labeler *l, int32_t tid, const char *name);
void labeler_exit(struct labeler *l, int32_t tid);
void labeler_fork(struct labeler *l, const struct perf_task *new);
void labeler_exec(struct labeler *l, int32_t pid);

/* The tally's number of the labels of such a sample; 0: none. preempted: the
 * thread was taken off its CPU. */
uint32_t labeler_number(struct labeler *l, int32_t pid, int32_t tid,
			uint32_t cpu, bool preempted);

#endif
