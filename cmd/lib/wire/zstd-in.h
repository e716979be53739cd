/*
 * zstd-in.h - inflating one zstd stream that comes in pieces and may never be
 * closed, as the records of "perf record -z" hold it.
 */
#ifndef ZSTD_IN_H
#define ZSTD_IN_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* A new stream, to end with zstd_in_close(); NULL without memory, or when this
 * build has no zstd: see zstd_in_is_there(). */
void *zstd_in_open(void);
void zstd_in_close(void *z);
int zstd_in_is_there(void);

/*
 * Inflate the next n bytes and append the result to out, which then holds at
 * most max. PROF_EFORMAT: they are damaged, and the stream can only be closed.
 * PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status zstd_in_put(void *z, const void *data, size_t n, size_t max,
			     struct buf *out, struct prof_err *err) MUST_USE;

#endif
