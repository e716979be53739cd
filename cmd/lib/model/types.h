/* types.h - select sample types, the columns of a profile. */
#ifndef TYPES_H
#define TYPES_H

#include <stdbool.h>

#include "profile.h"

/*
 * Keep the columns with keep[i]. If the default column is removed, the profile
 * has none. PROF_EUSAGE: no column would be left.
 */
enum prof_status types_keep(struct profile *p, const bool *keep,
			    struct prof_err *err) MUST_USE;

/*
 * Keep the columns in the list `keep` (NULL: all), except those in the list
 * `drop` (NULL: none). Lists are of comma-separated names as for
 * profile_sample_index(). PROF_EUSAGE: no such column, or none would be left.
 */
enum prof_status types_choose(struct profile *p, const char *keep,
			      const char *drop, struct prof_err *err) MUST_USE;

#endif
