/*
 * beside.h - the kernel as a second sampler in a recording by libsample: it
 * samples the processes that libsample has not joined, with the same period,
 * into the same tally.
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

	/* To be read: what the kernel sampled, of what drain has. */
	struct shm_process counted;

	/* Private to beside.c. */
	struct capture *capture; /* NULL: libsample is alone */
	struct family *family;
	char name[32]; /* of the samplers, for the comment */
};

/* Both samplers as the source of a recording. */
struct recording_source beside_source(struct beside *b);

/*
 * Get ready to sample the command and all its descendants from their first
 * instruction to the last, each until libsample joins it: by events of each CPU
 * or, where these are not permitted, by events of this thread, which its
 * children inherit. Errors of capture_begin(): then libsample is alone.
 */
enum prof_status beside_begin(struct beside *b, struct tally *t,
			      struct prof_err *err) MUST_USE;

/* The process that is to become the command has been forked. */
void beside_add(struct beside *b, pid_t pid);

/* Do what is urgent between two passes, which are to be `ms` apart. Returns the
 * time until the next call. t: the recording's tally. */
int beside_step(struct beside *b, struct tally *t, int ms);

void beside_close(struct beside *b);

#endif
