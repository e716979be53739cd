/* run.h - prof-record with the kernel as the sampler. */
#ifndef PERF_RUN_H
#define PERF_RUN_H

#include <stdint.h>

struct cli;
struct launch;
struct target;

/*
 * Record the processes of target, or else the command, which launch_find()
 * found, and write the profile; or serve it at listen_at meanwhile, if that is
 * not NULL. Returns the exit status. Dies.
 */
int perf_run(struct cli *cli, const struct target *target,
	     const struct launch *command, uint64_t period_ns,
	     const char *listen_at);

#endif
