/*
 * shift.h - when did a series of shares change? Buckets of equal length, days
 * or hours, in order of time; the method and its measured error rates are in
 * doc/history.md.
 *
 * The level of a series is not known, and what is typical of its noise neither:
 * outliers are clipped, the largest t over all places where it could have
 * changed is found, and judged with the variance within both sides, made wider
 * for autocorrelation. If that is no change, it may have been a slow one, whose
 * values in between are of no side.
 */
#ifndef SHIFT_H
#define SHIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"
#include "lib/gate/gate.h"

#define SHIFT_MAX 64 /* changes that are found in a series */

struct shift_options {
	size_t min_side; /* buckets on either side: 3 days, or 6 hours */
	double level;  /* p below this is a change, and no slow one is tried */
	double n_test; /* series that are asked about together; 1 or more */
};

struct shift {
	size_t at;          /* the first bucket after it */
	size_t first, last; /* ... and between which it is: -7 in t^2 */
	bool is_slow;       /* from first on; values before last count not */
	size_t from, to;    /* the part of the series that was split: from <= i
			     * < to */
	double before, after; /* means of the clipped values */
	double low, high;     /* 95 % interval of after - before */
	double p; /* chance of such a t anywhere, with nothing changed */
};

/*
 * Test one series of n values for one change, at its best place. False if there
 * is no place (n < 2 * min_side) or nothing to see: all values are equal.
 * *c is filled otherwise, whatever p is; scratch has room for 2 * n.
 */
bool shift_test(const double *y, size_t n, const struct shift_options *o,
		const struct gate_dist *d, double *scratch, struct shift *c);

/*
 * Find the changes of a series: if the whole has one, both parts are searched
 * at half the level, and so on. Returns how many are in c, by place;
 * PROF_ENOMEM by *st.
 */
size_t shift_find(const double *y, size_t n, const struct shift_options *o,
		  const struct gate_dist *d, struct shift c[SHIFT_MAX],
		  enum prof_status *st);

/*
 * Divide hourly values by the factor of their hour of the day: the median, over
 * days, of the value over the median of its day. hour[i] counts hours from any
 * midnight; fewer than 3 days stay as they are. PROF_ENOMEM.
 */
enum prof_status shift_level_hours(double *y, const long *hour, size_t n,
				   struct prof_err *err) MUST_USE;

#endif
