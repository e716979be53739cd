/*
 * filter.h - keep a part of a profile: samples by names in their stacks, frames
 * by their names. The rules are pprof's. Labels: tagfilter.h and tags.h; the
 * options of commands: cmd/cli/refine.h.
 *
 * The caller supplies the tests, such as regular expressions. A test runs once
 * for each distinct string, never for each frame. Profiles are changed in
 * place; tables keep all entries, used or not. After an error the profile is
 * valid, but may be partly filtered.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/model/profile.h"

/*
 * A test of a string: *passes says whether the n bytes at s pass. If it fails,
 * the filter returns the same error.
 */
struct filter_test {
	enum prof_status (*match)(void *ctx, const char *s, size_t n,
				  bool *passes, struct prof_err *err);
	void *ctx;
};

/*
 * A location passes a test if the name or the file of one of its functions
 * does, or the file of its mapping. NULL: no test.
 */
struct filter_names {
	const struct filter_test *focus; /* keep samples with such a location */
	const struct filter_test *ignore; /* ... drop those with one */
	const struct filter_test *hide;   /* remove lines that pass */
	const struct filter_test *show;   /* remove lines that don't */
};

/* The tests that matched anything in the locations of the profile. */
struct filter_found {
	bool focus; /* a location that does not pass ignore */
	bool ignore, hide, show;
};

/*
 * Apply the four at once: samples are selected by their original stacks. If a
 * mapping passes, all lines of the location do. Locations that lost their
 * lines, or with show had none, are removed from stacks; samples with an empty
 * stack are dropped.
 */
enum prof_status filter_by_name(struct profile *p, const struct filter_names *f,
				struct filter_found *found,
				struct prof_err *err) MUST_USE;

/*
 * Cut the frames above the root-most frame that passes, which becomes the root.
 * Samples without one are dropped.
 */
enum prof_status filter_show_from(struct profile *p,
				  const struct filter_test *t, bool *found,
				  struct prof_err *err) MUST_USE;

/*
 * Cut the frames below the leaf-most frame whose function's short name passes,
 * which becomes the leaf.
 */
enum prof_status filter_prune_from(struct profile *p,
				   const struct filter_test *t,
				   struct prof_err *err) MUST_USE;

/*
 * Apply drop_frames and keep_frames: cut stacks from the first frame on,
 * counted from the root, whose short name passes drop and not keep (which may
 * be NULL), but keep the frames above the first one that does not. The tests
 * are for the whole name, as those patterns are.
 */
enum prof_status profile_prune(struct profile *p,
			       const struct filter_test *drop,
			       const struct filter_test *keep,
			       struct prof_err *err) MUST_USE;

/* Keep the samples i for which keep[i] is not 0, in their order. */
void filter_keep(struct profile *p, const unsigned char *keep);

#endif
