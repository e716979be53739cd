/*
 * gzip-out.h - write a gzip stream piece by piece, with threads.
 *
 * The stream is one member, whatever its size, as some readers stop after the
 * first. Its bytes depend neither on the number of threads nor on how the input
 * was divided: each piece of about a MiB (packer.h) is compressed separately,
 * and the deflate streams are joined.
 */
#ifndef GZIP_OUT_H
#define GZIP_OUT_H

#include <stddef.h>

#include "lib/base/status.h"

#define GZIP_OUT_MAX_THREADS 64

struct gzip_out;

/*
 * Begin a stream on fd, at level 0 (stored) to 9, compressed by up to n_thread
 * threads (0 and 1: only the caller's), which start when there is more than one
 * piece. The header is pprof's: no time, name or system. *out is the caller's,
 * to end with gzip_out_end(). PROF_ENOMEM.
 */
enum prof_status gzip_out_begin(int fd, int level, unsigned n_thread,
				struct gzip_out **out,
				struct prof_err *err) MUST_USE;

/* Compress n bytes more. PROF_EIO, as write_all(), or PROF_ENOMEM. */
enum prof_status gzip_out_put(struct gzip_out *o, const void *data, size_t n,
			      struct prof_err *err) MUST_USE;

/*
 * Write the rest and the trailer, and always free o. An earlier error is
 * returned again.
 */
enum prof_status gzip_out_end(struct gzip_out *o,
			      struct prof_err *err) MUST_USE;

/* Free o and leave the stream truncated. */
void gzip_out_abandon(struct gzip_out *o);

#endif
