/*
 * sums.h - sums of 128 bits for the values of a profile, so that the order of
 * large values of both signs does not matter. The lower half of each sum is in
 * profile.value; the upper half is here, from the first overflow on.
 */
#ifndef SUMS_H
#define SUMS_H

#include <stddef.h>
#include <stdint.h>

struct profile;

typedef __int128 wide;

struct sums {
	int64_t *upper; /* n; past them, the upper half is the sign */
	size_t n;
};

void sums_release(struct sums *s);

/* Value i of p, an index into p->value. */
wide sums_get(const struct sums *s, const struct profile *p, size_t i);

/* Returns -1 without memory. */
int sums_set(struct sums *s, struct profile *p, size_t i, wide v);

/* a + b and a * b; results that overflow become 2^126 or -2^126. */
wide wide_add(wide a, wide b);
wide wide_mul(wide a, wide b);

/* v, clamped to the range of int64_t; *n_saturated counts clamped values. */
int64_t wide_narrow(wide v, size_t *n_saturated);

#endif
