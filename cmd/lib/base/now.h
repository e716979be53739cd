/* now.h - times in nanoseconds: of clocks and files. */
#ifndef NOW_H
#define NOW_H

#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* Nanoseconds of a clock that cannot fail, as CLOCK_MONOTONIC. */
static inline int64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* When a file was changed, since 1970. */
static inline int64_t
mtime_ns(const struct stat *sb)
{
	return (int64_t)sb->st_mtim.tv_sec * 1000000000 + sb->st_mtim.tv_nsec;
}

/* Seconds since an arbitrary start. */
static inline double
now_seconds(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e9;
}

#endif
