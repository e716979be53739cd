/* zstd-in.c - see zstd-in.h. */
#include "config.h"

#include "zstd-in.h"

#if HAVE_ZSTD
#include <zstd.h>

void *
zstd_in_open(void)
{
	return ZSTD_createDCtx();
}

void
zstd_in_close(void *z)
{
	ZSTD_freeDCtx(z);
}

int
zstd_in_is_there(void)
{
	return 1;
}

enum prof_status
zstd_in_put(void *z, const void *data, size_t n, size_t max, struct buf *out,
	    struct prof_err *err)
{
	ZSTD_inBuffer in = { .src = data, .size = n };
	size_t ret;

	do {
		ZSTD_outBuffer to;

		if (buf_reserve(out, ZSTD_DStreamOutSize()) < 0)
			return prof_nomem(err);
		to = (ZSTD_outBuffer){ .dst = out->data + out->n,
				       .size = out->cap - out->n };
		ret = ZSTD_decompressStream(z, &to, &in);
		if (ZSTD_isError(ret))
			return prof_fail(err, PROF_EFORMAT,
					 "damaged zstd stream: %s",
					 ZSTD_getErrorName(ret));
		out->n += to.pos;
		if (out->n > max)
			return prof_fail(err, PROF_ELIMIT,
					 "larger than --max-size: it unpacks "
					 "to too much; give a larger value");
		/* If the buffer is full, zstd may hold more output. */
		if (to.pos < to.size && in.pos == in.size)
			return PROF_OK;
	} while (in.pos < in.size || ret);
	return PROF_OK;
}
#else
void *
zstd_in_open(void)
{
	return NULL;
}

void
zstd_in_close(void *z)
{
	(void)z;
}

int
zstd_in_is_there(void)
{
	return 0;
}

enum prof_status
zstd_in_put(void *z, const void *data, size_t n, size_t max, struct buf *out,
	    struct prof_err *err)
{
	(void)z, (void)data, (void)n, (void)max, (void)out;
	return prof_fail(err, PROF_ENOTSUP,
			 "zstd stream: this build has no zstd");
}
#endif
