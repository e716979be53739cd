/*
 * capture.h - sampling of processes from outside, by perf_event_open(2): opens
 * the events and adds their records to a tally. Stacks are unwound at once, by
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

/* What is sampled. */
struct capture_target {
	const pid_t *pid; /* processes, with what they start from now on */
	size_t n_pid;
	bool all;           /* every process instead */
	const char *cgroup; /* with all: those of this control group, a path
			     * below the mount point, or NULL */
};

/* NULL without memory. */
struct capture *capture_new(const struct perf_config *config);
void capture_free(struct capture *c);

/* What a recording asks of it: see recording_begin(). */
struct recording_source capture_source(struct capture *c);

/*
 * Begin; with config.on_exec, when the only process executes a program.
 * PROF_ENOTSUP: the kernel does not permit it, and err says what would help;
 * PROF_EUSAGE: no such process; PROF_ENOMEM.
 */
enum prof_status capture_begin(struct capture *c, struct tally *t,
			       const struct capture_target *target,
			       struct prof_err *err) MUST_USE;

/* Was the kernel's part asked for and refused? */
bool capture_lacks_kernel(const struct capture *c);

/* Wait for at most ms for more to read. Returns false when all that was to be
 * sampled has ended. */
bool capture_wait(struct capture *c, int ms);

#endif
