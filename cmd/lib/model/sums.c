/* sums.c - see sums.h. */
#include "config.h"

#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "profile.h"

void
sums_release(struct sums *s)
{
	free(s->upper);
	memset(s, 0, sizeof(*s));
}

wide
wide_add(wide a, wide b)
{
	const wide max = (wide)1 << 126;
	wide sum;

	if (__builtin_add_overflow(a, b, &sum) || sum > max || sum < -max)
		return b > 0 ? max : -max;
	return sum;
}

wide
wide_mul(wide a, wide b)
{
	const wide max = (wide)1 << 126;
	wide product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) == (b < 0) ? max : -max;
	return product;
}

int64_t
wide_narrow(wide v, size_t *n_saturated)
{
	if (v >= INT64_MIN && v <= INT64_MAX)
		return (int64_t)v;
	++*n_saturated;
	return v < 0 ? INT64_MIN : INT64_MAX;
}

wide
sums_get(const struct sums *s, const struct profile *p, size_t i)
{
	wide upper = i < s->n ? s->upper[i] : 0;

	return p->value[i] + upper * ((wide)1 << 64);
}

int
sums_set(struct sums *s, struct profile *p, size_t i, wide v)
{
	int64_t lower = (int64_t)(uint64_t)v;
	int64_t upper = (int64_t)((v - lower) >> 64);

	p->value[i] = lower;
	if (i >= s->n && upper) {
		size_t n = p->room.value;
		int64_t *grown = realloc(s->upper, n * sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + s->n, 0, (n - s->n) * sizeof(*grown));
		s->upper = grown;
		s->n = n;
	}
	if (i < s->n)
		s->upper[i] = upper;
	return 0;
}
