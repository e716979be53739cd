/* types.h - choosing among the sample types, the columns of a profile. */
#ifndef TYPES_H
#define TYPES_H

#include <stdbool.h>

#include "profile.h"

/*
 * Keep the columns for which keep[i] is true. If the default column is removed,
 * the profile has none. PROF_EUSAGE: no column would be left.
 */
enum prof_status types_keep(struct profile *p, const bool *keep,
			    struct prof_err *err) MUST_USE;

/*
 * Keep the columns that the list `keep` names (NULL: all), except those that
 * `drop` names (NULL: none). A list has names as profile_sample_index() takes
 * them, separated by commas. PROF_EUSAGE: no such column, or none would be
 * left.
 */
enum prof_status types_choose(struct profile *p, const char *keep,
			      const char *drop, struct prof_err *err) MUST_USE;

#endif
