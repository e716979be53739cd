/*
 * diff.h - what changed between two profiles, as a profile.
 */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct profile;

enum diff_kind {
	/* Samples of the base are negated and labelled pprof::base=true, so
	 * they stay apart: reports can show both sides and percentages of the
	 * base. pprof's -diff_base. */
	DIFF_LABEL,
	/* Samples of the base are subtracted; what is equal vanishes. pprof's
	 * -base. */
	DIFF_SUBTRACT,
};

/* What the new profile is multiplied by, to make the two comparable. */
enum diff_scale {
	DIFF_SCALE_NONE,
	DIFF_SCALE_COLUMNS,  /* each column gets the base's total */
	DIFF_SCALE_TOTAL,    /* all, so that the default column does */
	DIFF_SCALE_DURATION, /* all, by the ratio of the durations */
	DIFF_SCALE_OPS,      /* all, by 1 / ops */
};

struct diff_opts {
	enum diff_kind kind;
	enum diff_scale scale;
	double ops; /* DIFF_SCALE_OPS: how often the new one did the work, for
		     * once in the base; > 0 */
	/*
	 * The profiles are two moments of one process, whose alloc_*,
	 * contentions and delay columns only ever grow: these are subtracted,
	 * and the others, inuse_*, are those of the new one.
	 */
	bool delta;
	bool verdict; /* set notes->differ */
};

struct diff_notes {
	bool differ;        /* some stack and labels have another value */
	double ratio;       /* by which the new one was scaled */
	char scaled[200];   /* how that came about, or "" */
	char dropped[256];  /* columns that only one of them has */
	size_t n_saturated; /* values cut to the range of int64_t */
	size_t n_shrunk;    /* delta: values that went down all the same */
};

/*
 * *out = new - base, the caller's, to end with profile_free(). base and new
 * stay the caller's, but are changed: only good for profile_free().
 *
 * Columns and keys are those of merge.h; the header is, where both have a
 * value and one must be taken, that of new. A delta is taken at the time of
 * new and lasts since that of base.
 *
 * PROF_EDIFFER when they can't be combined, PROF_EUSAGE when they can't be
 * scaled or are not cumulative, PROF_ENOMEM.
 */
enum prof_status profile_diff(struct profile *base, struct profile *new,
			      const struct diff_opts *opts,
			      struct profile **out, struct diff_notes *notes,
			      struct prof_err *err) MUST_USE;

#endif
