/*
 * zstd-in.h - inflate one zstd stream in pieces, which may never be finished,
 * as in the records of "perf record -z".
 */
#ifndef ZSTD_IN_H
#define ZSTD_IN_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* A new stream, to end with zstd_in_close(). NULL without memory, or if this
 * build lacks zstd: see zstd_in_is_there(). */
void *zstd_in_open(void);
void zstd_in_close(void *z);
int zstd_in_is_there(void);

/*
 * Inflate the next n bytes and append the result to out, which may then hold at
 * most max bytes. PROF_EFORMAT: damaged; the stream can then only be closed.
 * PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status zstd_in_put(void *z, const void *data, size_t n, size_t max,
			     struct buf *out, struct prof_err *err) MUST_USE;

#endif
