/*
 * columns.h - one set of value columns for several profiles: match their
 * columns, and choose the unit and the order of the result.
 *
 * Columns are matched by the name of their type; the second one of a name in
 * one profile is another column. `objects` and `space` of gperftools'
 * two-column heaps are the `inuse_objects` and `inuse_space` of others, unless
 * a profile has both. Units of one family (ms and ns) are converted to the
 * finest, by an integer factor: no value loses precision, in any order of the
 * profiles.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/model/profile.h"

/* How to treat a column that only some profiles have. */
enum columns_mode {
	COLUMNS_COMMON, /* drop it, as pprof does */
	COLUMNS_STRICT, /* fail */
	COLUMNS_UNION,  /* keep it; zero for profiles without it */
};

#define COLUMNS_MAX 1024 /* limit of types */

/* Strings are those of the table given to columns_init(). */
struct column {
	uint32_t key;  /* the name to match */
	uint32_t nth;  /* number of columns of that key before it */
	uint32_t type; /* the name in the result */
	uint32_t unit;
};

/* The source of a column's values: index -1 gives zeros. */
struct column_source {
	int32_t from;
	int64_t factor;
};

struct columns {
	enum columns_mode mode;
	struct strtab *strings;
	struct column *column; /* n; in order of arrival */
	size_t n;
	size_t n_profile;
	struct value_type period_type;
	bool has_mixed_periods; /* COLUMNS_UNION: no period is meaningful */
	struct column *dropped; /* n_dropped; COLUMNS_COMMON */
	size_t n_dropped;
	struct shape *shape; /* the distinct sequences that were seen */
	size_t n_shape;
};

/*
 * The result of columns_add(): for each column of the new set, its source in
 * the new profile, and its source in the old set. old_is_same: the set did not
 * change.
 */
struct columns_plan {
	struct column_source *fresh;
	struct column_source *old;
	size_t n;
	bool old_is_same;
	bool fresh_is_same;    /* the profile's columns, one to one */
	int64_t period_factor; /* for the new profile's period */
	int64_t old_period_factor;
};

void columns_init(struct columns *c, enum columns_mode mode,
		  struct strtab *strings);
void columns_release(struct columns *c);

/*
 * Add the columns and the period type of p. *plan is the caller's, to end with
 * columns_plan_release(). PROF_EDIFFER if they cannot be combined with earlier
 * ones, PROF_ELIMIT or PROF_ENOMEM; c is then unchanged.
 */
enum prof_status columns_add(struct columns *c, const struct profile *p,
			     struct columns_plan *plan,
			     struct prof_err *err) MUST_USE;
void columns_plan_release(struct columns_plan *plan);

/* Columns of c as text, "samples/count cpu/nanoseconds", as far as it fits. */
void columns_list(const struct columns *c, const struct column *column,
		  size_t n, char *out, size_t size);

/*
 * The order of the columns in the result: order[i] is the index of the i-th. It
 * is that of all profiles, if they agree; else that of the sequence that sorts
 * first, so that the order of the profiles does not matter. -1 without memory.
 */
int columns_order(const struct columns *c, uint32_t *order);

#endif
