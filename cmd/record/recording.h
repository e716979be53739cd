/*
 * recording.h - a running recording: the source of the samples, and their
 * tally. One thread reads samples; others may ask for profiles meanwhile.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "names.h"
#include "source.h"
#include "tally.h"

struct profile;
struct sampling;

struct recording {
	struct recording_source source;
	bool is_live; /* no profile of the whole run is needed */
	enum names_when names;
	const char *report; /* a command to run on each written file, or NULL */

	/* Private to recording.c. */
	bool holds;           /* recording_hold() */
	pthread_mutex_t lock; /* protects the members below, and the source */
	struct tally *tally;
	struct tally_info info;
	int64_t start;             /* monotonic */
	int64_t looked_ns, looked; /* of the last recording_now(), by both
				    * clocks: 0 before */
	size_t n_mark;
};

/* A moment in a recording. */
struct recording_mark;

/* Begin now; the caller owns the source's data. kind: of the profile of the
 * whole run. PROF_ENOMEM. */
enum prof_status recording_begin(struct recording *r,
				 struct recording_source source,
				 enum tally_kind kind,
				 struct prof_err *err) MUST_USE;
void recording_release(struct recording *r);

/* Read new samples: call it about ten times a second. */
void recording_pass(struct recording *r);

/* The same while the tally is to stay as it is: samples are read later. */
void recording_keep(struct recording *r);

/* Call what() with the tally, while nothing else uses it. */
void recording_with_tally(struct recording *r,
			  void (*what)(void *ctx, struct tally *t), void *ctx);

/* Stop sampling, and read the remaining samples. */
void recording_end(struct recording *r);

/*
 * Forget what the last recording_now() had, and continue; only with a source
 * that can turn, and without marks. PROF_ENOMEM, and nothing is forgotten.
 */
enum prof_status recording_turn(struct recording *r,
				struct prof_err *err) MUST_USE;

/* The number of distinct stacks that are kept. */
size_t recording_size(struct recording *r);

/* Add up the counts of that kind so far. */
void recording_sampling(struct recording *r, enum tally_kind kind,
			struct sampling *s);

/* Set the CPU time that could be sampled, and how much of it may be missed by
 * chance, for the comment. */
void recording_set_used(struct recording *r, uint64_t used_ns, double chance_s);

/* Set the rows of what was not sampled, which must live until the last profile
 * of the whole run, and how many of its ticks were lost that are not in the
 * counts. */
void recording_set_missing(struct recording *r,
			   const struct account_share *share, size_t n,
			   uint64_t n_lost);

/* Set what ticks are worth, and those by chance, as struct tally_info has it.
 */
void recording_set_worth(struct recording *r, double worth,
			 double chance_worth);

/* The largest sizes of the heaps, as tally_grown(). */
uint64_t recording_grown(struct recording *r);

/*
 * The profile of the whole run, or of the process pid if that is not 0: the
 * caller's. NULL without memory.
 */
struct profile *recording_profile(struct recording *r, int32_t pid);

/* Hold files open, by tally_hold(), from now on. */
void recording_hold(struct recording *r);

/* tally_held() of a profile of this recording; tally_refused(). */
int *recording_held(struct recording *r, const struct profile *p,
		    bool with_temporary);
size_t recording_refused(struct recording *r);

/* A profile of that kind, until now: the caller's. NULL without memory. */
struct profile *recording_now(struct recording *r, enum tally_kind kind);

/* Mark this moment, for a profile of that kind. The caller's, for
 * recording_mark_free(); NULL without memory. */
struct recording_mark *recording_mark(struct recording *r,
				      enum tally_kind kind);
void recording_mark_free(struct recording *r, struct recording_mark *m);

/* The number of marks. */
size_t recording_marks(struct recording *r);

/* The profile of the samples since m, and of memory freed since: the caller's.
 * NULL without memory. */
struct profile *recording_since(struct recording *r,
				const struct recording_mark *m);

/* A profile of mappings only, in the order in which they were first seen: the
 * caller's. NULL without memory. */
struct profile *recording_modules(struct recording *r);

#endif
