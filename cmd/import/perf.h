/*
 * import/perf.h - recordings of perf for import.c: a descriptor, bytes or a
 * folder is fed to lib/formats/perf/perf.h, and losses are reported.
 */
#ifndef IMPORT_PERF_H
#define IMPORT_PERF_H

#include "lib/base/buf.h"
#include "lib/formats/perf/perf.h"

struct profile;

/* All: *out is the caller's; it has the losses as doubts. */

/* The beginning, of which b holds the first bytes; the rest is read from fd. */
enum prof_status import_perf(int fd, struct buf *b,
			     const struct perf_options *o, struct profile **out,
			     struct prof_err *err) MUST_USE;
enum prof_status import_perf_bytes(const void *data, size_t n,
				   const struct perf_options *o,
				   struct profile **out,
				   struct prof_err *err) MUST_USE;
/* "perf record --threads": a file "data" and files "data.N". */
enum prof_status import_perf_folder(const char *name,
				    const struct perf_options *o,
				    struct profile **out,
				    struct prof_err *err) MUST_USE;

#endif
