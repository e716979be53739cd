/*
 * unnamed.h - how much of a profile has no names. A sample is left unnamed if
 * its innermost frame has no name, or fewer than half of its frames have one:
 * that is what a missing file does to it, while the few nameless functions that
 * every stripped libc has in every stack do not.
 */
#ifndef UNNAMED_H
#define UNNAMED_H

#include <stddef.h>

#include "lib/base/status.h"

struct profile;

struct unnamed {
	double share; /* 0 to 1, of the values of the default type */
	/* Of each mapping, and at n_mapping of locations without one: the share
	 * of samples that are left unnamed and have nameless frames there. */
	double *mapping;
};

/* Fill in *u, to end with unnamed_release(). PROF_ENOMEM. */
enum prof_status unnamed_count(struct unnamed *u, const struct profile *p,
			       struct prof_err *err) MUST_USE;
void unnamed_release(struct unnamed *u);

#endif
