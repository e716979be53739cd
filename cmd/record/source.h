/*
 * source.h - the source of a recording's samples: libsample inside the program
 * (drain.c), or the kernel (perf/capture.c).
 */
#ifndef RECORD_SOURCE_H
#define RECORD_SOURCE_H

#include <stdbool.h>

struct launch;
struct shm;
struct shm_settings;
struct tally;

/* The functions receive ctx, and move new samples to the tally. */
struct recording_source {
	void *ctx;
	void (*pass)(void *ctx, struct tally *t); /* about ten times a second */
	void (*look)(void *ctx, struct tally *t); /* all, for a profile */
	void (*end)(void *ctx, struct tally *t);  /* ... and stop */
	/* Keep new samples for the next of these, without the tally, if that is
	 * not read at once; NULL: they stay where they are. */
	void (*keep)(void *ctx);
	/* Continue with another tally, which is empty; false without memory.
	 * NULL: impossible. */
	bool (*turn)(void *ctx, struct tally *t);
	const struct shm_settings *set;
	const struct shm *shm; /* the counts */
	const char *sampler;   /* for the comment: its name, and why it */
	bool all;              /* of no process in particular */
	/* What libsample is preloaded by; NULL: it is not. */
	const struct launch *launch;
};

#endif
