/*
 * import.h - one input of prof-import: a file, a pipe or a folder in any format
 * that is read, as a profile. It prints warnings; errors are returned.
 */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "json-in.h"
#include "lib/formats/exchange/folded.h"
#include "lib/formats/exchange/foreign.h"
#include "lib/formats/exchange/otlp.h"
#include "lib/formats/perf/perf.h"

struct profile;

struct import_options {
	enum foreign_kind from; /* FOREIGN_NONE: by content */
	size_t max_size;        /* of what is inflated or kept as a whole */
	struct perf_options perf;
	struct folded_options folded;
	struct speedscope_options speedscope;
	struct otlp_options otlp;
	bool idle; /* keep what .cpuprofile has of idle time */
};

/*
 * Read the input of that name ("-": standard input) as a profile, the
 * caller's, for profile_free(). Reports losses by warn(). An error has no
 * name in it.
 */
enum prof_status import_read(const char *name, const struct import_options *o,
			     struct profile **out,
			     struct prof_err *err) MUST_USE;

#endif
