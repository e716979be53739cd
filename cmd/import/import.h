/*
 * import.h - one input of prof-import: a file, a pipe or a folder in any format
 * that is read, as a profile. It prints warnings; errors are returned.
 */
#ifndef IMPORT_H
#define IMPORT_H

#include "formats.h"

/*
 * Read the input of that name ("-": standard input) as a profile, the
 * caller's, for profile_free(). *kind is its format; FOREIGN_NONE: one
 * that all commands read. An error has no name in it.
 */
enum prof_status import_read(const char *name, const struct import_options *o,
			     struct profile **out, enum foreign_kind *kind,
			     struct prof_err *err) MUST_USE;

#endif
