/*
 * capture.h - sample processes from outside, by perf_event_open(2): open the
 * events and add their records to a tally. Stacks are unwound at once, by
 * cmd/unwind, and only counted. See doc/sampling.md, "From outside".
 */
#ifndef PERF_CAPTURE_H
#define PERF_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "event.h"
#include "lib/base/status.h"
#include "record/recording.h"

struct capture;

/* What to sample. */
struct capture_target {
	const pid_t *pid; /* processes, and those that they start from now on */
	size_t n_pid;
	bool all;           /* every process instead */
	const char *cgroup; /* with all: only this control group, a path below
			       the mount point, or NULL */
};

/* NULL without memory. */
struct capture *capture_new(const struct perf_config *config);
void capture_free(struct capture *c);

/* The source for a recording: see recording_begin(). */
struct recording_source capture_source(struct capture *c);

/*
 * Begin sampling; with config.on_exec, when the only process executes a
 * program. PROF_ENOTSUP: the kernel does not permit it, and err gives a remedy;
 * PROF_EUSAGE: no such process; PROF_ENOMEM.
 */
enum prof_status capture_begin(struct capture *c, struct tally *t,
			       const struct capture_target *target,
			       struct prof_err *err) MUST_USE;

/* The family's first process, which does not run yet. */
void capture_add(struct capture *c, pid_t pid);

/* Is the next pass to come soon, as the clocks of new tasks are to differ? */
bool capture_is_urgent(const struct capture *c);

/* Were samples of the kernel requested and refused? */
bool capture_lacks_kernel(const struct capture *c);

/* How many threads waited when sampling began, on stacks that may not be read,
 * and the first one's process; only of perf_kind_offcpu. */
size_t capture_unknown_waits(const struct capture *c, pid_t *pid);

/* The CPU time of the recorded threads so far, and of those that they started,
 * in ns; 0: unknown, as for the machine, or without the kernel's part. */
uint64_t capture_used_ns(const struct capture *c);

/* The number of lost samples of a kind, by its place in the configuration; 0
 * for one whose samples are ticks, as the counts have those. */
uint64_t capture_lost(const struct capture *c, size_t kind);

/* Of a family: about how many ticks of the clocks that see its processes by
 * chance were lost, if the shares of strangers in them are those in the ticks
 * that came. UINT32_MAX: all, as the clocks were given up: see check_family().
 */
uint64_t capture_lost_chances(const struct capture *c);

/* Of a family: are the clocks running that see its processes by chance? */
bool capture_is_on(const struct capture *c);

/* Does a recorded process, or one that it started, still run? */
bool capture_is_left(const struct capture *c);

/* Wait at most ms for new records. Returns false when all sampled processes
 * have ended. */
bool capture_wait(struct capture *c, int ms);

#endif
