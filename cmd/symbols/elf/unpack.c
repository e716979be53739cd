/* unpack.c - see unpack.h. */
#include "config.h"

#include "unpack.h"

#include <string.h>
#if HAVE_LZMA
#include <lzma.h>
#endif

#include "lib/wire/compress.h"

static bool
is_xz(const void *data, size_t n)
{
	static const unsigned char magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };

	return n >= sizeof(magic) && !memcmp(data, magic, sizeof(magic));
}

bool
unpack_is(const void *data, size_t n)
{
	return is_xz(data, n) || compress_is_gzip(data, n) ||
	       compress_is_zstd(data, n);
}

#if HAVE_LZMA

#define MAX_DICTIONARY (UINT64_C(256) << 20) /* bytes */

static enum prof_status
unpack_xz(const void *data, size_t n, size_t max, struct buf *out,
	  struct prof_err *err)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&z, MAX_DICTIONARY, 0);
	size_t had = out->n;

	if (r != LZMA_OK)
		return prof_nomem(err);
	z.next_in = data;
	z.avail_in = n;
	while (r == LZMA_OK) {
		size_t step = 1 << 16;

		if (out->n - had >= max) {
			lzma_end(&z);
			return prof_fail(err, PROF_ELIMIT,
					 "more than %zu bytes unpacked", max);
		}
		if (step > max - (out->n - had))
			step = max - (out->n - had);
		if (buf_reserve(out, step) < 0) {
			lzma_end(&z);
			return prof_nomem(err);
		}
		z.next_out = out->data + out->n;
		z.avail_out = step;
		r = lzma_code(&z, LZMA_FINISH);
		out->n += step - z.avail_out;
	}
	lzma_end(&z);
	switch (r) {
	case LZMA_STREAM_END:
		return PROF_OK;
	case LZMA_MEM_ERROR:
		return prof_nomem(err);
	case LZMA_MEMLIMIT_ERROR:
		return prof_fail(err, PROF_ELIMIT,
				 "an xz stream that needs "
				 "too much memory");
	default:
		return prof_fail(err, PROF_EFORMAT,
				 "damaged or truncated xz stream");
	}
}

#else

static enum prof_status
unpack_xz(const void *data, size_t n, size_t max, struct buf *out,
	  struct prof_err *err)
{
	(void)data;
	(void)n;
	(void)max;
	(void)out;
	return prof_fail(err, PROF_ENOTSUP, "this build has no liblzma");
}

#endif

enum prof_status
unpack(const void *data, size_t n, size_t max, struct buf *out,
       struct prof_err *err)
{
	if (is_xz(data, n))
		return unpack_xz(data, n, max, out, err);
	if (compress_is_zstd(data, n))
		return zstd_inflate(data, n, max, out, err);
	return gzip_inflate(data, n, max, out, err);
}
