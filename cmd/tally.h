/*
 * tally.h - what the recorder makes of what a sampler tells it: address spaces
 * and their modules, stacks and their ticks; in the end, a profile.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "libsample/shm.h"

struct profile;
struct tally;

/* What the recorder knows besides; goes into the profile's header. */
struct tally_info {
	int64_t time_ns; /* start, since the epoch */
	int64_t duration_ns;
	const struct shm *shm; /* the settings, and the counts */
};

/* NULL without memory. To end with tally_free(). */
struct tally *tally_new(void);

/* NULL is allowed. */
void tally_free(struct tally *t);

/*
 * Take in a record of the log, or a stack of the table; n is the size of the
 * record in bytes. What makes no sense (a record that a dying or hostile
 * writer left) is dropped. Without memory the tally remembers that, and
 * tally_profile() fails.
 */
void tally_space(struct tally *t, const struct shm_space *s, size_t n);
void tally_module(struct tally *t, const struct shm_module *m, size_t n);
void tally_gone(struct tally *t, const struct shm_gone *g, size_t n);
void tally_label(struct tally *t, const struct shm_label *l, size_t n);
void tally_stack(struct tally *t, uint64_t key, const uint64_t *pc,
		 uint64_t ticks);

/*
 * The profile of all of it so far: the caller's, for profile_free(). NULL
 * without memory. The tally is not changed and may go on.
 */
struct profile *tally_profile(const struct tally *t,
			      const struct tally_info *info);

#endif
