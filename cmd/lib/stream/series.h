/*
 * series.h - profiles one after the other on one descriptor, as `cat *.pb.gz`
 * writes them.
 *
 * Each gzip member, or zstd frame, that is a profile by itself is one. If the
 * first is not, the members are pieces of one profile, as some compressors
 * make them, and are read as stream.h does. Uncompressed profiles cannot be
 * told apart: there is only one.
 *
 * What was read ahead is bounded: memory does not grow with the number of
 * profiles.
 */
#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

struct series {
	int fd;
	size_t max_bytes; /* of one inflated profile */
	struct buf in;    /* read; from `at` on still to be used */
	size_t at;
	size_t n_used; /* bytes of the profiles so far */
	size_t n_profile;
	bool is_zstd; /* the last one was */
	bool at_end;  /* of fd */
	bool is_done; /* nothing is left */
};

/* Begin to read fd, which stays the caller's. */
void series_init(struct series *s, int fd, size_t max_bytes);
void series_release(struct series *s);

/*
 * The next profile, the caller's, to end with profile_free(); *out is NULL
 * with PROF_OK after the last. Errors are those of stream.h; after one there
 * is nothing more to read. A stream without any profile is an error.
 */
enum prof_status series_next(struct series *s, struct profile **out,
			     struct prof_err *err) MUST_USE;

#endif
