/* now.h - read a clock. */
#ifndef NOW_H
#define NOW_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that cannot fail, as CLOCK_MONOTONIC. */
static inline int64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Seconds since an arbitrary start. */
static inline double
now_seconds(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e9;
}

#endif
