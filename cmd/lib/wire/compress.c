/* compress.c - see compress.h. */
#include "config.h"

#include "compress.h"

#include <string.h>
#define ZLIB_CONST
#include <libdeflate.h>
#include <zlib.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "lib/base/bytes.h"

bool
compress_is_gzip(const void *data, size_t n)
{
	return n >= 2 && !memcmp(data, "\x1f\x8b", 2);
}

bool
compress_is_zstd(const void *data, size_t n)
{
	const uint8_t *p = data;

	/* The second: a frame to be skipped, with which pzstd begins. */
	return n >= 4 && (!memcmp(p, "\x28\xb5\x2f\xfd", 4) ||
			  (*p >> 4 == 5 && !memcmp(p + 1, "\x2a\x4d\x18", 3)));
}

static enum prof_status
too_large(size_t max, struct prof_err *err)
{
	return prof_fail(err, PROF_ELIMIT,
			 "inflates past the limit of %zu bytes (--max-size)",
			 max);
}

/* Make room for more output: double the buffer, up to one byte past max. */
static int
grow_output(struct buf *out, size_t max)
{
	size_t more = out->n < 65536 ? 65536 : out->n;

	if (more > max - out->n)
		more = max - out->n + 1;
	return buf_reserve(out, more);
}

/* Go on to the next member. Returns false at the end, or at an error. */
static bool
next_member(const uint8_t *at, size_t left, enum prof_status *st,
	    struct prof_err *err)
{
	*st = PROF_OK;
	/* Tape blocks are padded with zeros. */
	if (left == 0 || bytes_are_zero(at, left))
		return false;
	if (compress_is_gzip(at, left))
		return true;
	*st = prof_fail(err, PROF_EFORMAT,
			"%zu bytes of rubbish after the gzip stream", left);
	return false;
}

/* Inflate one member with zlib; *used: its size in bytes of data. */
static enum prof_status
zlib_member(const uint8_t *data, size_t n, size_t max, struct buf *out,
	    size_t *used, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	size_t in = 0;
	z_stream z = { 0 };
	int r = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return prof_nomem(err);
	while (r == Z_OK) {
		if (out->n == out->cap && grow_output(out, max) < 0) {
			st = prof_nomem(err);
			goto out;
		}
		size_t room = out->cap - out->n;
		uInt avail = n - in < 1 << 30 ? (uInt)(n - in) : 1 << 30;
		uInt space = room < 1 << 30 ? (uInt)room : 1 << 30;

		z.next_in = data + in;
		z.avail_in = avail;
		z.next_out = out->data + out->n;
		z.avail_out = space;
		r = inflate(&z, Z_NO_FLUSH);
		in += avail - z.avail_in;
		out->n += space - z.avail_out;
		if (out->n > max) {
			st = too_large(max, err);
			goto out;
		}
	}
	if (r == Z_BUF_ERROR)
		st = prof_fail(err, PROF_EFORMAT, "truncated gzip stream");
	else if (r == Z_MEM_ERROR)
		st = prof_nomem(err);
	else if (r != Z_STREAM_END)
		st = prof_fail(err, PROF_EFORMAT,
			       "damaged gzip stream near byte %zu: %s", in,
			       z.msg ? z.msg : "invalid data");
	*used = in;
out:
	inflateEnd(&z);
	return st;
}

/*
 * Inflate one member with libdeflate, which needs room for all of the output.
 * If a member ends with the data, its last four bytes give the size of that;
 * it is used unless implausible. Damaged data goes to zlib for its messages, as
 * libdeflate has only one error code.
 */
static enum prof_status
deflate_member(struct libdeflate_decompressor *d, const uint8_t *data, size_t n,
	       bool at_end, size_t max, struct buf *out, size_t *used,
	       struct prof_err *err)
{
	size_t start = out->n, got, want = 65536;
	enum libdeflate_result r;

	if (at_end && n >= 18) {
		const uint8_t *t = data + n - 4;

		want = (size_t)t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 |
		       (size_t)t[3] << 24;
		if (want / 64 > n)
			want = n * 8;
	}
	for (;;) {
		if (want > max - start)
			want = max - start;
		/* One byte more distinguishes "full" from "too large". */
		if (buf_reserve(out, want + 1) < 0)
			return prof_nomem(err);
		r = libdeflate_gzip_decompress_ex(d, data, n, out->data + start,
						  want, used, &got);
		if (r == LIBDEFLATE_SUCCESS) {
			out->n = start + got;
			return PROF_OK;
		}
		if (r != LIBDEFLATE_INSUFFICIENT_SPACE)
			return zlib_member(data, n, max, out, used, err);
		if (want == max - start)
			return too_large(max, err);
		want = want < 32768 ? 65536 : want * 2;
	}
}

enum prof_status
gzip_inflate(const void *data, size_t n, size_t max, struct buf *out,
	     struct prof_err *err)
{
	const uint8_t *at = data;
	enum prof_status st;
	size_t used = 0;
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();

	if (!d)
		return prof_nomem(err);
	do {
		st = deflate_member(d, at, n, true, max, out, &used, err);
		at += used;
		n -= used;
	} while (st == PROF_OK && next_member(at, n, &st, err));
	libdeflate_free_decompressor(d);
	return st;
}

static enum prof_status
gzip_inflate_one(const void *data, size_t n, bool at_end, size_t max,
		 struct buf *out, size_t *used, struct prof_err *err)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum prof_status st;

	if (!d)
		return prof_nomem(err);
	st = deflate_member(d, data, n, at_end, max, out, used, err);
	libdeflate_free_decompressor(d);
	return st;
}

static enum prof_status
zstd_inflate_one(const void *data, size_t n, size_t max, struct buf *out,
		 size_t *used, struct prof_err *err)
{
#if HAVE_ZSTD
	*used = ZSTD_findFrameCompressedSize(data, n);
	if (ZSTD_isError(*used))
		return prof_fail(err, PROF_EFORMAT,
				 "damaged or truncated zstd stream");
#else
	*used = n;
#endif
	return zstd_inflate(data, *used, max, out, err);
}

enum prof_status
zlib_inflate(const void *data, size_t n, size_t max, struct buf *out,
	     struct prof_err *err)
{
	uLongf room = max;

	/* At least a byte: zlib wants a place even for nothing. */
	if (buf_reserve(out, max ? max : 1) < 0)
		return prof_nomem(err);
	if (uncompress(out->data + out->n, &room, data, n) != Z_OK)
		return prof_fail(err, PROF_EFORMAT, "damaged zlib data");
	out->n += room;
	return PROF_OK;
}

enum prof_status
compress_inflate_one(const void *data, size_t n, bool at_end, size_t max,
		     struct buf *out, size_t *used, struct prof_err *err)
{
	return compress_is_gzip(data, n)
		       ? gzip_inflate_one(data, n, at_end, max, out, used, err)
		       : zstd_inflate_one(data, n, max, out, used, err);
}

uint32_t
gzip_crc32(uint32_t crc, const void *data, size_t n)
{
	return libdeflate_crc32(crc, data, n);
}

#if HAVE_ZSTD
enum prof_status
zstd_inflate(const void *data, size_t n, size_t max, struct buf *out,
	     struct prof_err *err)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { data, n, 0 };
	enum prof_status st = PROF_OK;
	size_t r = 1;

	if (!z)
		return prof_nomem(err);
	while (st == PROF_OK && (in.pos < in.size || r != 0)) {
		if (out->n == out->cap && grow_output(out, max) < 0) {
			st = prof_nomem(err);
			break;
		}
		ZSTD_outBuffer to = { out->data, out->cap, out->n };
		size_t before = in.pos;

		r = ZSTD_decompressStream(z, &to, &in);
		if (ZSTD_isError(r))
			st = prof_fail(err, PROF_EFORMAT,
				       "damaged zstd stream near byte %zu: %s",
				       in.pos, ZSTD_getErrorName(r));
		else if (r && in.pos == before && to.pos == out->n)
			st = prof_fail(err, PROF_EFORMAT,
				       "truncated zstd stream");
		out->n = to.pos;
		if (st == PROF_OK && out->n > max)
			st = too_large(max, err);
	}
	ZSTD_freeDStream(z);
	return st;
}

enum prof_status
zstd_deflate(const void *raw, size_t n, int level, struct buf *out,
	     struct prof_err *err)
{
	size_t r;

	if (buf_reserve(out, ZSTD_compressBound(n)) < 0)
		return prof_nomem(err);
	r = ZSTD_compress(out->data + out->n, out->cap - out->n, raw, n, level);
	if (ZSTD_isError(r))
		return prof_fail(err, PROF_EIO, "zstd: %s",
				 ZSTD_getErrorName(r));
	out->n += r;
	return PROF_OK;
}
#else
enum prof_status
zstd_inflate(const void *data, size_t n, size_t max, struct buf *out,
	     struct prof_err *err)
{
	(void)data, (void)n, (void)max, (void)out;
	return prof_fail(err, PROF_ENOTSUP,
			 "zstd stream: this build has no zstd");
}

enum prof_status
zstd_deflate(const void *raw, size_t n, int level, struct buf *out,
	     struct prof_err *err)
{
	(void)raw, (void)n, (void)level, (void)out;
	return prof_fail(err, PROF_ENOTSUP,
			 "zstd output: this build has no zstd");
}
#endif
