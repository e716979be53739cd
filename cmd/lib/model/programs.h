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

struct mapping;
struct profile;
struct str;

#define PROGRAMS_LABEL "process"

struct programs {
	size_t n; /* with a name; 0: no sample has the label, or not all one
		     name */
	uint32_t largest; /* string: that with the largest sum of a column */
};

/* Count the programs of p by `column`. PROF_ENOMEM. */
enum prof_status programs_count(const struct profile *p, size_t column,
				struct programs *out,
				struct prof_err *err) MUST_USE;

/* The name of the largest. */
const struct str *programs_name(const struct profile *p,
				const struct programs *x);

/*
 * The mapping of the profile's own program: the first, or if name is one, as of
 * a label, that with this base name. NULL: there is none, or there are several
 * builds of it. Never a library.
 */
const struct mapping *programs_mapping(const struct profile *p,
				       const struct str *name);

#endif
