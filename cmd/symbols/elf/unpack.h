/*
 * unpack.h - what is stored compressed, of any kind that object files are:
 * gzip, zstd and xz.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

#define UNPACK_MAGIC 6 /* bytes: enough to tell */

/* Do the n bytes at data begin like something of that kind? */
bool unpack_is(const void *data, size_t n);

/*
 * Append what is packed in the n bytes at data to out, which then holds at
 * most max bytes. PROF_EFORMAT, PROF_ELIMIT, PROF_ENOTSUP (this build lacks
 * the library) or PROF_ENOMEM.
 */
enum prof_status unpack(const void *data, size_t n, size_t max, struct buf *out,
			struct prof_err *err) MUST_USE;

#endif
