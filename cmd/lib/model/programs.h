/*
 * programs.h - the programs in a profile: of a whole machine, of all processes
 * or of a control group there are several, which the label "process" tells
 * apart. The first mapping is then only the first that was seen.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct profile;

struct programs {
	size_t n;         /* 0: not every sample has the label, or none has */
	uint32_t largest; /* string: that with the largest sum of a column */
};

/* Count the programs of p by `column`. PROF_ENOMEM. */
enum prof_status programs_count(const struct profile *p, size_t column,
				struct programs *out,
				struct prof_err *err) MUST_USE;

/*
 * The mapping of the profile's own program: the first, or if there are labels
 * of one program, that with the base name of it. NULL: there is none, or there
 * are several programs. Never a library.
 */
const struct mapping *programs_mapping(const struct profile *p,
				       const struct programs *x);

#endif
