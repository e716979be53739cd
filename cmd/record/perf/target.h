/*
 * target.h - the options of prof-record that select the processes to sample and
 * the sampler.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "event-kind.h"
#include "record/obstacle.h"

struct launch;

enum target_sampler {
	SAMPLER_AUTO,    /* libsample where it can be loaded, else the kernel */
	SAMPLER_PRELOAD, /* libsample */
	SAMPLER_PERF,    /* the kernel, by perf_event_open(2) */
};

enum target_kernel { KERNEL_AUTO, KERNEL_YES, KERNEL_NO };

enum { TARGET_MAX_PID = 64 };

struct target {
	pid_t pid[TARGET_MAX_PID]; /* running processes */
	size_t n_pid;
	bool all;           /* every process */
	const char *cgroup; /* ... of this control group, or NULL */
	unsigned seconds;   /* 0: no limit */
	unsigned every;     /* seconds for each file; 0: one file */
	int64_t keep_s;     /* of these; 0: forever */
	uint32_t stack_bytes;
	unsigned labels; /* enum perf_label, or-ed */
	const struct perf_kind *kind[PERF_MAX_KIND]; /* a column each */
	size_t n_kind;
	uint64_t period[PERF_MAX_KIND]; /* as in struct perf_config */
	bool offcpu;
	bool approx; /* of perf_kind_offcpu: by stacks of the clock */
	enum target_kernel kernel;
	enum target_sampler sampler;
	bool wait_all;     /* wait for processes that outlive the command */
	bool preload_only; /* options that only libsample supports were given */
	const char *why;   /* the kernel is the sampler, for the comment */
	const char *only;  /* an option that only the kernel's sampler supports,
			      or NULL */
};

/* The rows of the options: a group of the command's table. */
extern const struct cli_opt record_target_opts[];

/* Set the defaults. */
void record_target_init(struct target *t);

/* Handle option key. False if it is none of these. Dies. */
bool record_target_option(const struct cli *cli, int key, struct target *t);

/* Are running processes sampled? */
static inline bool
record_target_runs(const struct target *t)
{
	return t->n_pid || t->all;
}

/* Die if options conflict, and set what they leave open: of the target, of cli
 * and its operands; listen_at: the argument of --listen, or NULL. */
void record_target_check(struct target *t, const struct cli *cli,
			 const char *listen_at);

/*
 * Is the kernel the only sampler? With SAMPLER_AUTO it is if an option asks for
 * what only it has. An obstacle o to libsample in the command l is said. Dies.
 */
bool record_target_outside(struct target *t, const struct launch *l,
			   enum obstacle o);

#endif
