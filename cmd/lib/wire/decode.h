/*
 * decode.h - shared by the two parts of the decoder: decode.c, for the top
 * level and the samples, and decode-tables.c.
 */
#ifndef DECODE_H
#define DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/idmap.h"
#include "lib/model/profile.h"

struct arena;

/* Numbers of the fields of Profile. */
enum {
	F_SAMPLE_TYPE = 1,
	F_SAMPLE,
	F_MAPPING,
	F_LOCATION,
	F_FUNCTION,
	F_STRING_TABLE,
	F_DROP_FRAMES,
	F_KEEP_FRAMES,
	F_TIME_NANOS,
	F_DURATION_NANOS,
	F_PERIOD_TYPE,
	F_PERIOD,
	F_COMMENT,
	F_DEFAULT_SAMPLE_TYPE,
	F_DOC_URL,
	F_END
};

/* The entries of a table, usually contiguous in the stream. */
struct span {
	const uint8_t *from, *to;
	size_t n; /* entries */
};

struct decoder {
	const uint8_t *raw;
	size_t n;
	struct profile *p;
	struct prof_err *err;
	struct arena *tmp;       /* holds the arrays below */
	struct span span[F_END]; /* found by scan() */
	uint32_t *string;        /* index in the stream -> in p->strings */
	size_t n_string, cap_string;
	size_t sample_bytes;
	uint64_t drop, keep, default_type, doc_url; /* strings, of the stream */
	struct idmap mapping, function, location;   /* id -> index */
};

#define FAIL(d, ...) prof_fail((d)->err, PROF_EFORMAT, __VA_ARGS__)
#define INVALID(d, ...) prof_fail((d)->err, PROF_EINVALID, __VA_ARGS__)

/* Convert index i of the stream's string table to *out, an index of p->strings.
 * false: there is no such string. */
static inline bool
decode_string(const struct decoder *d, uint64_t i, uint32_t *out)
{
	if (i >= d->n_string)
		return false;
	*out = d->string[i];
	return true;
}

/* Fail because entry i of the table `what` refers to string s, which does not
 * exist. */
enum prof_status decode_bad_string(struct decoder *d, const char *what,
				   size_t i, uint64_t s);

/* Fail because another profile follows the first. In decode-tables.c. */
enum prof_status decode_glued(struct decoder *d);

/*
 * Decode all that scan() found except samples, and map the ids of locations in
 * d->location. In decode-tables.c.
 */
enum prof_status decode_tables(struct decoder *d) MUST_USE;

#endif
