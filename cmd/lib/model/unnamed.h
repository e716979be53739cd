/*
 * unnamed.h - the part of a profile without names. A sample is unnamed if its
 * innermost frame has no name, or only the "[FILE+0xSTART]" of a function
 * without symbol: the flat column of a report cannot give its values to a
 * function. Nameless callers only make stacks incomplete, and are counted
 * apart.
 */
#ifndef UNNAMED_H
#define UNNAMED_H

#include <stdbool.h>

#include "lib/base/status.h"

struct profile;

/* Shares, 0 to 1, of the values of the default type. */
struct unnamed {
	double share;   /* unnamed samples */
	double callers; /* samples with more nameless callers than named ones */
	/* By mapping, and at n_mapping for locations without one: the samples
	 * whose innermost frame is there and has no name, and those with any
	 * nameless frame there. */
	double *mapping, *any;
};

/* Fill in *u, to end with unnamed_release(). PROF_ENOMEM. */
enum prof_status unnamed_count(struct unnamed *u, const struct profile *p,
			       struct prof_err *err) MUST_USE;
void unnamed_release(struct unnamed *u);

/* Has nothing given names to addresses of files? The recorder names only what
 * it saw itself, such as the kernel. */
bool unnamed_is_raw(const struct profile *p);

/* What gives them names, for the end of a message: other things help once
 * prof-symbolize has found some. */
const char *unnamed_remedy(const struct profile *p);

#endif
