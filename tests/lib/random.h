/* random.h - profiles at random, the same for the same seed, for law tests. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

struct profile;

struct rng {
	uint64_t state;
};

/* A number below n. */
uint32_t rng_draw(struct rng *r, uint32_t n);

enum random_flags {
	RANDOM_SIGNED = 1,  /* values may be negative */
	RANDOM_UNITS = 2,   /* columns in different units of time */
	RANDOM_COLUMNS = 4, /* columns in any order, some missing */
	RANDOM_MOVED = 8,   /* mappings at different addresses */
	RANDOM_PLAIN = 16,  /* no columns of lines, one path for a build id:
			     * pprof of 2022 merges what differs in these */
};

/*
 * A small profile with everything that the format has: mappings with and
 * without build id, inlined lines, columns, labels of both kinds, comments;
 * with equal samples, empty stacks, zero values, entries that nothing uses.
 * Drawn from a small world, so that two of them have much in common.
 */
struct profile *random_profile(uint64_t seed, unsigned flags);

#endif
