/*
 * source.h - where a recording has its samples from: libsample inside the
 * program (drain.c), or the kernel (perf-capture.c).
 */
#ifndef RECORD_SOURCE_H
#define RECORD_SOURCE_H

struct shm;
struct shm_settings;
struct tally;

/* Functions get ctx, and put what has come in since into the tally. */
struct recording_source {
	void *ctx;
	void (*pass)(void *ctx, struct tally *t); /* some ten times a second */
	void (*look)(void *ctx, struct tally *t); /* all of it, for a profile */
	void (*end)(void *ctx, struct tally *t);  /* ... and stop */
	const struct shm_settings *set;
	const struct shm *shm; /* the counts */
};

#endif
