/*
 * run.h - a recording, from the command line to the delivered profile. The
 * loop is the same for both samplers: libsample inside the program (inside.c),
 * and the kernel (outside.c).
 */
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "beside.h"
#include "lib/model/account.h"
#include "record/deliver.h"
#include "record/drain.h"
#include "record/launch.h"
#include "record/perf/capture.h"
#include "record/perf/every.h"
#include "record/perf/target.h"
#include "record/recording.h"

struct cli;
struct run;
struct watch;

/* What differs between the samplers. All but wait and close may die. */
struct run_sampler {
	/* Prepare, before anything runs. The source of the recording. */
	struct recording_source (*open)(struct run *r);
	/* Start the command, if there is one, and sample. */
	void (*start)(struct run *r);
	/* Wait for the time of the next pass; false: the recording is over. */
	bool (*wait)(struct run *r);
	/* Fill in what only the sampler knows. Returns the CPU time that the
	 * kernel billed, in ns; 0: unknown. */
	uint64_t (*account)(struct run *r, struct account *a);
	void (*close)(struct run *r);
};

extern const struct run_sampler run_inside, run_outside;

struct run {
	/* By the caller, from the command line. */
	struct cli *cli;
	const struct run_sampler *sampler;
	struct drain_config config;
	struct target target;
	enum tally_kind kind;
	const char *listen_at; /* or NULL */
	bool separate;         /* a profile for each process */
	bool is_timed;         /* a clock or rate was asked for */
	enum names_when names; /* are found at the end */
	const char *report;    /* see recording.h */
	bool has_command;
	enum obstacle obstacle; /* to libsample in the command */
	struct launch launch;   /* the command; or the name of the profile */

	/* Private. */
	struct recording recording;
	struct account_share *share; /* what was not sampled */
	double more_s; /* than a period each, that ticks are worth */
	enum deliver_how how;
	/* Of inside.c. */
	struct drain drain;
	struct beside beside;
	struct watch *watch;
	char session[128]; /* SHM_ENV of the program */
	int clock;         /* of perf_event, held open; or -1 */
	int waited_ms;     /* since the last look at /proc */
	/* Of outside.c. */
	struct perf_config perf;
	struct capture *capture;
	struct every every;
	int64_t end_ns;           /* of --seconds, or 0 */
	uint64_t stolen_ns;       /* by the host, when it began */
	enum prof_status refused; /* ... and its message: of the hook before
				     exec */
	struct prof_err err;
};

/* Record, and write the profile or serve it. Returns the exit status. Dies. */
int run_record(struct run *r);

/* The CPU time, in ns, of the processes that we have waited for and that these
 * have waited for. 0: unknown. */
uint64_t run_children_ns(void);

#endif
