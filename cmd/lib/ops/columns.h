/*
 * columns.h - one set of value columns for several profiles: which columns of
 * which profile belong together, in which unit, and in which order they come
 * out.
 *
 * A column is known by the name of its type; the second one of a name in one
 * profile is another column. `objects` and `space` of gperftools' two-column
 * heaps are the `inuse_objects` and `inuse_space` of others, unless a profile
 * has both. Units of one family (ms and ns) are brought to the finest, by an
 * integer factor: no value loses a bit, whatever the order of the profiles.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/model/profile.h"

/* What becomes of a column that some profiles have and others lack. */
enum columns_mode {
	COLUMNS_COMMON, /* it is dropped, as pprof does */
	COLUMNS_STRICT, /* it is an error */
	COLUMNS_UNION,  /* it is kept; zero for those without it */
};

#define COLUMNS_MAX 1024 /* more types than this are refused */

/* Strings are those of the table given to columns_init(). */
struct column {
	uint32_t key;  /* the name that is matched */
	uint32_t nth;  /* how many columns of that key stand before it */
	uint32_t type; /* the name that is shown */
	uint32_t unit;
};

/* Where a column takes its values from: -1 is nowhere, it is zero. */
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
	bool has_mixed_periods; /* COLUMNS_UNION: no period means anything */
	struct column *dropped; /* n_dropped; COLUMNS_COMMON */
	size_t n_dropped;
	struct shape *shape; /* the distinct sequences that were seen */
	size_t n_shape;
};

/*
 * What columns_add() found: of each column that there is now, where it comes
 * from in the new profile, and where in the set before. old_is_same: the set
 * before is the set now.
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
 * Take in the columns and the period type of p. *plan is the caller's, to end
 * with columns_plan_release(). PROF_EDIFFER when they cannot be combined with
 * those before, PROF_ELIMIT or PROF_ENOMEM: c is then as it was.
 */
enum prof_status columns_add(struct columns *c, const struct profile *p,
			     struct columns_plan *plan,
			     struct prof_err *err) MUST_USE;
void columns_plan_release(struct columns_plan *plan);

/* Columns of c as text, "samples/count cpu/nanoseconds", as far as it fits. */
void columns_list(const struct columns *c, const struct column *column,
		  size_t n, char *out, size_t size);

/*
 * The order in which the columns come out: order[i] is the index of the i-th.
 * When all profiles have them in one order, that one; else the sequence that
 * sorts first, so that no profile's place on the command line matters. -1
 * without memory.
 */
int columns_order(const struct columns *c, uint32_t *order);

#endif
