/*
 * unnamed.h - how much of a profile has no names. A sample counts as unnamed if
 * its innermost frame has no name, or fewer than half of its frames have one. A
 * missing file has that effect; the few nameless functions of a stripped libc,
 * which are in every stack, do not.
 */
#ifndef UNNAMED_H
#define UNNAMED_H

#include <stddef.h>

#include "lib/base/status.h"

struct profile;

struct unnamed {
	double share; /* 0 to 1, of the values of the default type */
	/* Of each mapping, and at n_mapping of locations without one: the share
	 * of samples that are unnamed and have nameless frames there. */
	double *mapping;
};

/* Fill in *u, to end with unnamed_release(). PROF_ENOMEM. */
enum prof_status unnamed_count(struct unnamed *u, const struct profile *p,
			       struct prof_err *err) MUST_USE;
void unnamed_release(struct unnamed *u);

#endif
