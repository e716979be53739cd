/*
 * units.h - numbers with units, as reports print them. The rules are pprof's: a
 * unit belongs to a family (memory, time, Google compute units), and values are
 * converted within the family. Any other unit is only a word.
 */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* A value as text: the number, and the unit that directly follows it. */
struct quantity {
	char number[64];
	const char *unit; /* static, or one of the arguments; may be "" */
};

#define UNITS_PERCENT 32 /* room for the text of units_percent() */

/*
 * Convert v of unit `from` to unit `to`; *unit is the unit of the result. `to`
 * may be "minimum" or "auto": the largest unit that leaves at least 1. A unit
 * of another family, or of none, gives the family's main unit. When `from` is
 * of no family, v stays as it is.
 */
double units_scale(int64_t v, const char *from, const char *to,
		   const char **unit);

/*
 * units_scale() as text: two decimals, but "13" for 13.00 and a bare "0". All
 * digits of what no unit scales, where pprof's are those of a double.
 */
void units_format(struct quantity *q, int64_t v, const char *from,
		  const char *to);

/*
 * |v / total| as percentage, six columns wide or more: " 9.09%", "  100%",
 * "0.012%". A total of 0 gives 0 %.
 */
void units_percent(char text[UNITS_PERCENT], int64_t v, int64_t total);

/*
 * The number of base units of the family (bytes, nanoseconds, GCU) in one
 * `unit`; 0 if it has no family. *family, if not NULL, is set to the number of
 * the family: units with equal numbers convert into each other.
 */
double units_factor(const char *unit, int *family);

/*
 * May values of the unit own be printed in `unit`? That is own, a unit that
 * units_factor() knows, or a word that stands for one. PROF_EUSAGE lists them.
 */
enum prof_status units_check(const char *unit, const char *own,
			     struct prof_err *err) MUST_USE;

/* v * r, toward zero, and kept inside the range of int64_t. */
int64_t units_times(int64_t v, double r);

/* a + b, kept inside the range of int64_t. */
static inline int64_t
units_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b > 0 ? INT64_MAX : INT64_MIN;
	return sum;
}

/* a - b, kept inside the range of int64_t. */
static inline int64_t
units_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return b < 0 ? INT64_MAX : INT64_MIN;
	return difference;
}

/* |v|, kept inside the range of int64_t. */
static inline int64_t
units_abs(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

/* The greatest common divisor; that of 0 and a is a. */
static inline uint64_t
units_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* sum / divisor toward zero, or sum when the divisor is 0. */
static inline int64_t
units_mean(int64_t sum, int64_t divisor)
{
	if (divisor == 0)
		return sum;
	if (divisor == -1)
		return sum == INT64_MIN ? INT64_MAX : -sum;
	return sum / divisor;
}

#endif
