/*
 * series.h - consecutive profiles on one descriptor, as `cat *.pb.gz` writes
 * them.
 *
 * Each gzip member, or zstd frame, that is a profile by itself is one. If the
 * first is not, the members are pieces of one profile, as some compressors make
 * them, and are read as stream.h does. Uncompressed profiles cannot be
 * separated: they are read as one.
 *
 * The read-ahead is bounded, so memory does not grow with the number of
 * profiles.
 */
#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

struct stream_series {
	int fd;
	size_t max_bytes; /* of one inflated profile */
	struct buf in;    /* read ahead; unused from `at` on */
	size_t at;
	size_t n_used; /* bytes of the profiles so far */
	size_t n_profile;
	bool is_zstd; /* the last member was zstd */
	bool at_end;  /* of fd */
	bool is_done; /* nothing is left */
};

/* Begin to read fd, which the caller closes. */
void stream_series_init(struct stream_series *s, int fd, size_t max_bytes);
void stream_series_release(struct stream_series *s);

/*
 * Read the next profile, to end with profile_free() by the caller; after the
 * last, PROF_OK and *out is NULL. Errors are those of stream.h, and end the
 * series. A stream without any profile is an error.
 */
enum prof_status stream_series_next(struct stream_series *s,
				    struct profile **out,
				    struct prof_err *err) MUST_USE;

#endif
