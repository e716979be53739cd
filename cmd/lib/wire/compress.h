/*
 * compress.h - gzip and zstd in memory, for stream.h; gzip-out.h writes gzip.
 * libdeflate inflates in less than half of zlib's time; zlib only describes the
 * damage of a stream.
 */
#ifndef COMPRESS_H
#define COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * Profiles compress by 10, rarely by 50, and so does the text of symbol
 * servers: past COMPRESS_SMALL bytes, data with a higher ratio than this is a
 * bomb.
 */
#define COMPRESS_MAX_RATIO 256
#define COMPRESS_SMALL ((size_t)64 << 20)

bool compress_is_gzip(const void *data, size_t n);
bool compress_is_zstd(const void *data, size_t n);

/*
 * Inflate every member (frame) of the n bytes at data and append the result to
 * out, which may then hold at most max bytes. Zero padding after the last gzip
 * member is allowed, other trailing data is not. On PROF_EFORMAT, PROF_ELIMIT,
 * PROF_ENOTSUP or PROF_ENOMEM the contents of out are undefined.
 */
enum prof_status gzip_inflate(const void *data, size_t n, size_t max,
			      struct buf *out, struct prof_err *err) MUST_USE;
enum prof_status zstd_inflate(const void *data, size_t n, size_t max,
			      struct buf *out, struct prof_err *err) MUST_USE;

/*
 * Append the contents of one zlib stream, as in compressed sections of object
 * files, to at most max bytes in all. PROF_EFORMAT: damaged, or larger;
 * PROF_ENOMEM.
 */
enum prof_status zlib_inflate(const void *data, size_t n, size_t max,
			      struct buf *out, struct prof_err *err) MUST_USE;

/*
 * Inflate only the first member or frame, of either kind; *used is its size in
 * bytes. at_end: no member goes on after the n bytes. PROF_EFORMAT also if it
 * is longer than n bytes.
 */
enum prof_status compress_inflate_one(const void *data, size_t n, bool at_end,
				      size_t max, struct buf *out, size_t *used,
				      struct prof_err *err) MUST_USE;

/* Append one zstd frame (level 1 to 19) of the n bytes at raw to out. */
enum prof_status zstd_deflate(const void *raw, size_t n, int level,
			      struct buf *out, struct prof_err *err) MUST_USE;

/* Update gzip's checksum crc (0 at first) with n more bytes. */
uint32_t gzip_crc32(uint32_t crc, const void *data, size_t n);

#endif
