/*
 * import/formats.h - the readers of the formats of foreign.h, and their
 * options. A new format has an entry in foreign.c, one in formats.c, and its
 * row in the manual page and in doc/formats.md.
 */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

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
 * Read the n inflated bytes at data as a file of that kind, which is not
 * FOREIGN_NONE. *out is the caller's; it has what was lost as doubts.
 * PROF_ENOTSUP: this build has no jansson; PROF_ELIMIT, also for JSON that may
 * need more memory than o->max_size; and what the readers return.
 */
enum prof_status import_parse(enum foreign_kind kind, const void *data,
			      size_t n, const struct import_options *o,
			      struct profile **out,
			      struct prof_err *err) MUST_USE;

#endif
