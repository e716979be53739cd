/*
 * merge.h - adding profiles. Samples with the same stack and the same labels
 * become one; their values add up.
 *
 * The bytes of the result do not depend on the order in which profiles are
 * added: tables are sorted by the contents of their entries, and the header's
 * rules are symmetric:
 *
 *	period_type, columns	columns.h; the finest unit
 *	time			the earliest that is known
 *	duration		the sum
 *	period			the largest
 *	comments		all, each once; sorted, if of several profiles
 *	drop and keep frames	the pair that sorts first, of those that drop
 *	default type, URL	the one that sorts first
 *	a mapping		the lowest start, the largest size, the path
 *				that sorts first, the flags that all have
 *	mapping 0		of those that are the first of a profile, the
 *				one that sorts first: the main binary
 *
 * Nor does it depend on grouping, as long as the profiles have the same columns
 * and no values cancel inside a group: a column or the last sample of a mapping
 * that a group has dropped has no influence later.
 *
 * Entries that no sample uses are dropped, except mapping 0; so are samples
 * whose values are all 0. Adding one profile only compacts it.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stddef.h>

#include "columns.h"
#include "lib/base/status.h"

struct merge;
struct profile;

#define MERGE_WEIGHT_MAX 1000000

/* What the caller may want to tell the user. */
struct merge_notes {
	size_t n_profile;   /* how many were added */
	size_t n_saturated; /* values clamped to the range of int64_t */
	char dropped[256];  /* columns that not all profiles have: "a/b c/d" */
};

/* An empty sum, to end with merge_free(); NULL without memory. */
struct merge *merge_new(enum columns_mode mode);
void merge_free(struct merge *m);

/*
 * Add p weight times; the weight is not 0, and at most MERGE_WEIGHT_MAX either
 * way. p stays the caller's and is no longer needed.
 *
 * PROF_EDIFFER when p cannot be combined with those before; m is then
 * unchanged. After PROF_ENOMEM or PROF_ELIMIT, m may only be passed to
 * merge_free().
 */
enum prof_status merge_add(struct merge *m, const struct profile *p, int weight,
			   struct prof_err *err) MUST_USE;

/*
 * The sum: *out is the caller's, to end with profile_free(). notes may be NULL.
 * Afterwards m may only be passed to merge_free(). PROF_EUSAGE if nothing was
 * added; or PROF_ENOMEM.
 */
enum prof_status merge_result(struct merge *m, struct profile **out,
			      struct merge_notes *notes,
			      struct prof_err *err) MUST_USE;

/* Compact p: the sum of p alone. */
enum prof_status profile_compact(const struct profile *p, struct profile **out,
				 struct prof_err *err) MUST_USE;

#endif
