/*
 * filter.h - keeping a part of a profile: samples by the names in their
 * stacks, frames by their names. The rules are pprof's. Labels: labels.h; how
 * commands ask for all this: ../refine.h.
 *
 * Nothing here knows patterns: what decides is a test that the caller brings.
 * It is asked once for each distinct string, never for each frame. Profiles
 * are changed in place; tables keep all entries, used or not. After an error
 * the profile is valid, but part of the work may be done.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/model/profile.h"

/*
 * A test of a string: *passes says whether the n bytes at s do. It may fail,
 * and the filter then fails in the same way.
 */
struct filter_test {
	enum prof_status (*match)(void *ctx, const char *s, size_t n,
				  bool *passes, struct prof_err *err);
	void *ctx;
};

/*
 * A location passes a test if the name or the file of one of its functions
 * does, or the file of its mapping. NULL: not asked for.
 */
struct filter_names {
	const struct filter_test *focus; /* keep samples with such a location */
	const struct filter_test *ignore; /* ... and drop those with such */
	const struct filter_test *hide;   /* remove lines that pass */
	const struct filter_test *show;   /* remove lines that don't */
};

/* Which of the tests found anything, in the locations of the profile. */
struct filter_found {
	bool focus; /* a location that ignore didn't want */
	bool ignore, hide, show;
};

/*
 * Apply the four at once: samples are judged by the stacks as they came. When
 * the mapping decides, it does for all lines of the location. Locations that
 * lost their lines, or with show had none, leave the stacks; samples whose
 * stack is then empty, or was, are dropped.
 */
enum prof_status filter_by_name(struct profile *p, const struct filter_names *f,
				struct filter_found *found,
				struct prof_err *err) MUST_USE;

/*
 * Cut stacks above the root-most frame that passes; that becomes the root.
 * Samples without one are dropped.
 */
enum prof_status filter_show_from(struct profile *p,
				  const struct filter_test *t, bool *found,
				  struct prof_err *err) MUST_USE;

/*
 * Cut stacks below the leaf-most frame whose function's short name passes;
 * that becomes the leaf.
 */
enum prof_status filter_prune_from(struct profile *p,
				   const struct filter_test *t,
				   struct prof_err *err) MUST_USE;

/*
 * What drop_frames and keep_frames ask for: cut stacks from the first frame
 * on, counted from the root, whose short name passes drop and not keep (which
 * may be NULL), but spare what is above the first frame that does not. The
 * tests are for the whole name, as those patterns are.
 */
enum prof_status profile_prune(struct profile *p,
			       const struct filter_test *drop,
			       const struct filter_test *keep,
			       struct prof_err *err) MUST_USE;

/*
 * The part of a function's name that the two above look at: without a leading
 * dot (of PowerPC) and without parameters, but with "(anonymous namespace)"
 * and "operator()". Returns where it begins; *n is its length.
 */
const char *filter_short_name(const char *name, size_t *n);

/* Keep the samples i for which keep[i] is not 0, in their order. */
void filter_keep(struct profile *p, const unsigned char *keep);

#endif
