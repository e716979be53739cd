/*
 * beside.h - the kernel as a second sampler in a recording by libsample: it
 * samples the processes that libsample cannot be loaded into, with the same
 * period, into the same tally.
 */
#ifndef RECORD_BESIDE_H
#define RECORD_BESIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/status.h"
#include "libsample/shm.h"
#include "record/perf/capture.h"

struct drain;

struct beside {
	/* Of the caller: the period and the labels, and a source of
	 * libsample's samples. */
	struct perf_config config;
	struct recording_source inside;
	struct drain *drain;

	/* Private to beside.c. */
	struct capture *capture; /* NULL: no process was added */
	struct family *family;   /* NULL: processes are added one by one */
	struct shm_process counted;
	char name[32]; /* of the samplers, for the comment */
};

/* Both samplers as the source of a recording. */
struct recording_source beside_source(struct beside *b);

/*
 * Sample the process pid, which is to become the command, and all its
 * descendants, each until libsample joins it: by events of each CPU, which sees
 * all of them from the first instruction to the last. Errors of
 * capture_begin(): then processes can only be added when they are found.
 */
enum prof_status beside_begin(struct beside *b, struct tally *t, pid_t pid,
			      struct prof_err *err) MUST_USE;

/*
 * Sample a process that runs from now on, until it executes another program,
 * but not those that it forks. t: the recording's tally, which nothing else
 * uses meanwhile. Errors of capture_begin().
 */
enum prof_status beside_add(struct beside *b, struct tally *t, pid_t pid,
			    struct prof_err *err) MUST_USE;

/* Sample it no more: libsample is in it now. Under the lock of the tally. */
void beside_drop(struct beside *b, pid_t pid);

void beside_close(struct beside *b);

#endif
