/*
 * measure.h - numbers with units: to compare a number given by the user with
 * labels of a profile.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "labels.h"

/*
 * A number with its unit. If the unit belongs to a family (units.h), x is in
 * the base unit of the family; otherwise x is the number itself.
 */
struct measure {
	long double x;    /* holds any int64_t if it has a 64-bit mantissa */
	int family;       /* -1: none */
	const char *unit; /* as given; "" for none */
};

/* The number v in `unit`, a string that must outlive the result. */
struct measure measure_of(long double v, const char *unit);

enum measure_relation {
	MEASURE_COMPARABLE,
	MEASURE_DIFFERENT, /* time and bytes, or two unknown units */
	MEASURE_BARE,      /* `want` has no unit, `have` has a known one: 1024
			    * is ambiguous */
};

/*
 * Can a number given by the user be compared with that of a label? A number
 * without a unit can be compared with any that has an unknown unit; count,
 * sample and unit are unknown units here.
 */
enum measure_relation measure_relation(const struct measure *want,
				       const struct measure *have);

/* The numbers of the labels of a profile. Private to measure.c. */
struct measures {
	struct label_units units;
	struct {
		const char *unit;
		double factor;
		int family;
	} cache[16];
};

/* Look through the labels of p. Returns -1 without memory. */
int measures_init(struct measures *m, const struct profile *p);
void measures_release(struct measures *m);

/* The number of numeric label l, with its label_unit(). */
struct measure measures_label(struct measures *m, const struct label *l);

#endif
