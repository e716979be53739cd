/*
 * shifts.h - the changes in the series of functions (shift.h), and the
 * build that may be the reason.
 */
#ifndef HISTORY_SHIFTS_H
#define HISTORY_SHIFTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "series.h"
#include "shift.h"

#define SHIFTS_MAX_HOST 3 /* that are named */

/* Which hours were compared. */
enum build_hours {
	BUILD_BOTH_RAN, /* both builds ran in them */
	BUILD_OF_DAY,   /* the same of different days */
	BUILD_EITHER,   /* of either build, of different times of day */
};

/*
 * A build that arrived on hosts at the time of a change, and in the hours
 * around it the one before.
 */
struct build_test {
	uint32_t build, before; /* of series.words; before 0: there is none */
	int64_t first_ns;       /* when it arrived on host[0] */
	uint32_t host[SHIFTS_MAX_HOST]; /* words: where it arrived, in order */
	size_t n_host;                  /* ... on how many; may be more */
	enum build_hours hours;
	size_t n;                 /* of them; 0: they are too few */
	double change, low, high; /* of the share, relative to before's;
				   * infinite: before has none */
	double p;
};

#define SHIFTS_MAX_BUILD 4 /* of one change */

/* The host whose part of a change is the largest. */
struct shifts_host {
	uint32_t host;        /* of series.words; 0: hosts are not known */
	size_t n;             /* hosts that were compared */
	double before, after; /* its shares; NAN: it was not there */
	double part; /* of the change of all hosts together: 1 is all */
};

struct shifts_one {
	struct shift shift;
	struct shifts_host host; /* if no build explains the change */
	struct build_test build[SHIFTS_MAX_BUILD];
	size_t n_build;
	struct build_test arrived; /* .build 0: none */
};

/* The changes of one function. */
struct shifts {
	size_t n_bucket; /* that have a total, and were looked at */
	size_t n_needed; /* as many are needed */
	size_t n_test;   /* functions that were asked about together */
	double best_p;   /* where nothing is found; 1: nothing to see */
	struct shifts_one *one;
	size_t n;
};

struct shifts_options {
	bool is_flat;
	bool is_hourly;   /* buckets are hours, else days */
	double level;     /* 0.01 */
	double min_share; /* functions below it everywhere are not asked about
			   */
};

/* Has the function a share of o->min_share somewhere? Never SAMPLING_NONE,
 * which is none. */
bool shifts_matter(const struct series *x, const struct series_fn *f,
		   const struct shifts_options *o);

/*
 * The functions that are asked about together: those with a share of min_share
 * somewhere, each set of equal values once. PROF_ENOMEM.
 */
enum prof_status shifts_count(const struct series *x,
			      const struct shifts_options *o, size_t *n,
			      struct prof_err *err) MUST_USE;

/*
 * Find the changes of function f of x, whose buckets are days or hours. To end
 * with shifts_release(). PROF_ENOMEM.
 */
enum prof_status shifts_find(struct shifts *s, const struct series *x,
			     const struct series_fn *f,
			     const struct shifts_options *o, size_t n_test,
			     const struct gate_dist *d,
			     struct prof_err *err) MUST_USE;
void shifts_release(struct shifts *s);

/*
 * Test the builds of x that arrived on a host, or came back to it, between the
 * buckets of a change, each against the one before, and keep those that differ;
 * one->arrived is the first that does not. hours and hosts are of one function,
 * the same, and have a bucket for each hour and build around the change, and
 * for each host and build. PROF_ENOMEM.
 */
enum prof_status shifts_builds(struct shifts_one *one, const struct series *x,
			       const struct series *hours,
			       const struct series *hosts,
			       const struct shifts_options *o,
			       const struct gate_dist *d,
			       struct prof_err *err) MUST_USE;

/*
 * Fill one->host. before and after are of one function, the same, and have a
 * bucket for each host: of the profiles on either side of the change.
 */
void shifts_hosts(struct shifts_one *one, const struct series *x,
		  const struct series *before, const struct series *after,
		  const struct shifts_options *o);

#endif
