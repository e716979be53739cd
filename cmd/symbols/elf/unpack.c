/* unpack.c - see unpack.h. */
#include "config.h"

#include "unpack.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
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

#define FREE_RATIO 16
#define MAX_EXCESS ((int64_t)256 << 20)

void
unpack_budget_init(struct unpack_budget *b, size_t max)
{
	int64_t total = max < INT64_MAX / 2 ? (int64_t)max : INT64_MAX / 2;

	atomic_init(&b->lack, 0);
	pthread_mutex_init(&b->lock, NULL);
	b->n_unread = 0;
	atomic_init(&b->total, total);
	atomic_init(&b->excess, total < MAX_EXCESS ? total : MAX_EXCESS);
}

void
unpack_unread(struct unpack_budget *b, const char *path, int error)
{
	if (!b)
		return;
	if (error == ENOMEM || error == EMFILE || error == ENFILE) {
		b->lack = error;
		return;
	}
	pthread_mutex_lock(&b->lock);
	if (b->n_unread++ == 0 || strcmp(path, b->path) < 0) {
		b->error = error;
		snprintf(b->path, sizeof(b->path), "%s", path);
	}
	pthread_mutex_unlock(&b->lock);
}

bool
unpack_spend(struct unpack_budget *b, size_t n_packed, uint64_t n)
{
	uint64_t rest =
		n / FREE_RATIO > n_packed ? n - FREE_RATIO * n_packed : 0;

	if (!b)
		return true;
	if (n > INT64_MAX / 4)
		return false;
	if (rest && atomic_fetch_sub(&b->excess, (int64_t)rest) < (int64_t)rest)
		return false;
	return atomic_fetch_sub(&b->total, (int64_t)n) >= (int64_t)n;
}

/* The size that n_packed bytes may unpack to now. */
static size_t
limit(struct unpack_budget *b, size_t n_packed, size_t max)
{
	int64_t total, excess;

	if (!b)
		return max;
	total = atomic_load(&b->total);
	excess = atomic_load(&b->excess);
	excess = excess < 0 ? 0 : excess;
	if (n_packed < (size_t)INT64_MAX / 4 / FREE_RATIO)
		excess += (int64_t)(FREE_RATIO * n_packed);
	if (total > excess)
		total = excess;
	if (total < 0)
		return 0;
	return (size_t)total < max ? (size_t)total : max;
}

/* Unpack data of one of the three kinds. */
static enum prof_status
unpack_any(const void *data, size_t n, size_t max, struct buf *out,
	   struct prof_err *err)
{
	if (is_xz(data, n))
		return unpack_xz(data, n, max, out, err);
	if (compress_is_zstd(data, n))
		return zstd_inflate(data, n, max, out, err);
	return gzip_inflate(data, n, max, out, err);
}

enum prof_status
unpack(const void *data, size_t n, size_t max, struct unpack_budget *budget,
       struct buf *out, struct prof_err *err)
{
	size_t had = out->n, most = limit(budget, n, max);
	enum prof_status st = PROF_ELIMIT;
	bool ok = true;

	if (most)
		st = unpack_any(data, n, most, out, err);
	/* Charge a bomb for the size that it was allowed, though nothing is
	 * kept. */
	if (most)
		ok = unpack_spend(budget, n,
				  st == PROF_ELIMIT ? most : out->n - had);
	if ((st == PROF_OK && !ok) || (st == PROF_ELIMIT && most < max))
		st = prof_fail(err, PROF_ELIMIT,
			       "compressed files unpack to too much in all");
	return st;
}
