/* diff.h - the difference of two profiles, as a profile. */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct profile;

enum diff_kind {
	/* Samples of the base are negated and labelled pprof::base=true, so
	 * they stay apart: reports can show both sides and percentages of the
	 * base. pprof's -diff_base. */
	DIFF_LABEL,
	/* Samples of the base are subtracted; equal ones vanish. pprof's
	 * -base. */
	DIFF_SUBTRACT,
};

/* How to scale the new profile, to make the two comparable. */
enum diff_scale {
	DIFF_SCALE_NONE,
	DIFF_SCALE_COLUMNS,  /* each column, to the base's total */
	DIFF_SCALE_TOTAL,    /* all, so that the default's totals are equal */
	DIFF_SCALE_DURATION, /* all, by the ratio of the durations */
	DIFF_SCALE_OPS,      /* all, by 1 / ops */
};

struct diff_opts {
	enum diff_kind kind;
	enum diff_scale scale;
	double ops; /* DIFF_SCALE_OPS: operations of new per operation of base;
		       > 0 */
	/*
	 * The profiles are of one process at two times. Its alloc_*,
	 * contentions and delay columns only grow, and are subtracted; others,
	 * such as inuse_*, are those of new.
	 */
	bool delta;
	bool verdict; /* set notes->differ */
};

struct diff_notes {
	bool differ;        /* a stack with labels has another value */
	double ratio;       /* factor applied to the new profile */
	char scaled[200];   /* the reason for the ratio, or "" */
	char dropped[256];  /* columns of only one profile */
	size_t n_saturated; /* values clamped to the range of int64_t */
	size_t n_shrunk;    /* delta: cumulative values that decreased */
};

/*
 * *out = new - base, the caller's, to end with profile_free(). base and new
 * stay the caller's, but are changed: they may only be passed to
 * profile_free().
 *
 * Columns and keys are those of merge.h. If both headers have a value and only
 * one can be kept, it is that of new. A delta has the time of new, and the
 * duration since the time of base.
 *
 * PROF_EDIFFER: they can't be combined; PROF_EUSAGE: they can't be scaled, or
 * are not cumulative; PROF_ENOMEM.
 */
enum prof_status profile_diff(struct profile *base, struct profile *new,
			      const struct diff_opts *opts,
			      struct profile **out, struct diff_notes *notes,
			      struct prof_err *err) MUST_USE;

#endif
