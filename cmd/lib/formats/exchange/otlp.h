/*
 * otlp.h - profiles of OpenTelemetry: ProfilesData, which is also the request
 * that a collector takes, of opentelemetry.proto.profiles.v1development as it
 * is since version 1.10. Version and field numbers: otlp-schema.h.
 *
 * There a profile has one column, so one of ours becomes as many as it has
 * columns, in one scope, with tables in common. Parts of profile.proto that
 * OTLP has no field for are attributes with the names that its semantic
 * conventions give them: pprof.profile.comment and so on.
 */
#ifndef OTLP_H
#define OTLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

/*
 * Do the n bytes at data begin like such a message, not like profile.proto? Its
 * dictionary may come first. A file of the Collector has many messages, each
 * behind its length in four bytes, the highest first.
 */
bool otlp_is(const void *data, size_t n);

/*
 * Step to the next message of the n bytes at data, *at being 0 at first: false
 * after the last. A message that is cut is given as it is.
 */
bool otlp_next(const void *data, size_t n, size_t *at, const void **message,
	       size_t *n_message);

/*
 * Append p to out, column first. version is this program's. Strings that are
 * not UTF-8, which such messages may not have, get U+FFFD in place of the wrong
 * bytes. PROF_EUSAGE: p has no columns; PROF_ENOMEM.
 */
enum prof_status otlp_write(const struct profile *p, size_t column,
			    const char *version, struct buf *out,
			    struct prof_err *err) MUST_USE;

/* Write p to out in the same way, but as JSON: see otlp-fields.h. */
enum prof_status otlp_json_write(FILE *out, const struct profile *p,
				 size_t column, const char *version,
				 struct prof_err *err) MUST_USE;

struct otlp_options {
	bool resource_labels; /* attributes of resources and scopes are labels
			       */
	bool times;           /* a sample for each timestamp, with a label */
};

/* What was lost, in several messages. */
struct otlp_losses {
	size_t n_profile;
	size_t n_time;      /* timestamps that were left out */
	size_t n_saturated; /* sums clamped to the range of int64_t */
	size_t n_void; /* attributes of samples that a label cannot hold: an
			* empty string, 0 without a unit */
};

/* Add them to p as doubts and as a comment. PROF_ENOMEM. */
enum prof_status otlp_tell_losses(const struct otlp_losses *l,
				  struct profile *p,
				  struct prof_err *err) MUST_USE;

/*
 * Read such a message, and add to *losses. *out, the caller's, has a column for
 * each sample type and a sample for each sample of each profile, whose values
 * in other columns are 0: merging adds up those with the same stack and labels.
 * PROF_EFORMAT and PROF_EINVALID name the table and the entry that is wrong;
 * PROF_ELIMIT: more sample types than OTLP_MAX_TYPES; PROF_ENOMEM.
 */
enum { OTLP_MAX_TYPES = 64 };
enum prof_status otlp_parse(const void *data, size_t n,
			    const struct otlp_options *o, struct profile **out,
			    struct otlp_losses *losses,
			    struct prof_err *err) MUST_USE;

#endif
