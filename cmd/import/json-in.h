/*
 * json-in.h - formats in JSON, read with jansson as a whole. They are here and
 * not in lib/formats/exchange, as only prof-import is linked with that library.
 * Only builds with jansson have these functions. What the formats look like:
 * speedscope.h, cpuprofile.h and otlp-fields.h there.
 */
#ifndef JSON_IN_H
#define JSON_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

struct speedscope_options {
	double scale; /* of weights without a unit that are no whole numbers */
};

/* *out is the caller's. PROF_EFORMAT, PROF_ELIMIT, PROF_ENOMEM. */
enum prof_status speedscope_parse(const void *data, size_t n,
				  const struct speedscope_options *o,
				  struct profile **out,
				  struct prof_err *err) MUST_USE;

/*
 * Read a .cpuprofile of either form: a sample for each node that was hit, as
 * long as all its samples until the next. idle: keep what "(idle)" has. *out is
 * the caller's. PROF_EFORMAT, PROF_ENOMEM.
 */
enum prof_status cpuprofile_parse(const void *data, size_t n, bool idle,
				  struct profile **out,
				  struct prof_err *err) MUST_USE;

/*
 * Read a .heapprofile, of node --heap-prof and of DevTools' sampling of
 * allocations: column inuse_space/bytes, the sampled bytes of each stack that
 * lived at the end. *out is the caller's. PROF_EFORMAT, PROF_ENOMEM.
 */
enum prof_status heapprofile_parse(const void *data, size_t n,
				   struct profile **out,
				   struct prof_err *err) MUST_USE;

/*
 * Read the CPU profiles in a trace of Chrome or node, labelled by pid and
 * thread. Profiles are left out if another one of their thread had begun and
 * not ended. *out is the caller's. PROF_EFORMAT, also for a trace without
 * profiles; PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status chrome_trace_parse(const void *data, size_t n, bool idle,
				    struct profile **out,
				    struct prof_err *err) MUST_USE;

/*
 * Read the Firefox Profiler's JSON, of any version with tables. Columns:
 * samples (or time, or bytes, as the weights say) and, where it was measured,
 * cpu. Samples have labels for thread, tid, process, pid and the leaf's
 * category. Addresses without names keep their library, with its build-id. *out
 * is the caller's. PROF_EFORMAT, PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status firefox_parse(const void *data, size_t n, struct profile **out,
			       struct prof_err *err) MUST_USE;

/*
 * Append OTLP's profiles, in JSON, to out as the protobuf message that
 * otlp_parse() takes: the value at data + *at, which moves to the next one, as
 * a file may have many. Keys may be in lowerCamelCase or as in the .proto
 * files; others are passed over. PROF_EFORMAT names the key whose value is
 * wrong; PROF_ENOMEM.
 */
enum prof_status otlp_json_convert(const void *data, size_t n, size_t *at,
				   struct buf *out,
				   struct prof_err *err) MUST_USE;

#endif
