/*
 * packer.c - see packer.h. libdeflate is more than twice as fast as zlib, but
 * cannot continue a stream or refer to earlier data. So the end of each of its
 * streams is reopened (deflate-walk.h), and each piece starts without history,
 * which costs 0.02 to 0.4 % of the size. zlib can do both.
 */
#include "config.h"

#include "packer.h"

#include <stdlib.h>
#include <string.h>
#if HAVE_LIBDEFLATE
#include <libdeflate.h>

#include "deflate-walk.h"
#else
#define ZLIB_CONST
#include <zlib.h>
#endif

enum { MAX_STORED = 65535 }; /* bytes of a stored block */

/* --- level 0 --- */

static enum prof_status
store(const struct packer_input *in, struct buf *out, struct prof_err *err)
{
	size_t left = in->n;
	const uint8_t *from = in->data;
	uint8_t *to;

	if (buf_reserve(out, left + (left / MAX_STORED + 1) * 5) < 0)
		return prof_nomem(err);
	to = out->data + out->n;
	do {
		size_t n = left < MAX_STORED ? left : MAX_STORED;

		*to++ = in->is_last && n == left;
		*to++ = (uint8_t)n;
		*to++ = (uint8_t)(n >> 8);
		*to++ = (uint8_t)~n;
		*to++ = (uint8_t)(~n >> 8);
		if (n == 0) /* an empty piece: from may be NULL */
			break;
		memcpy(to, from, n);
		to += n;
		from += n;
		left -= n;
	} while (left);
	out->n = (size_t)(to - out->data);
	return PROF_OK;
}

#if HAVE_LIBDEFLATE

struct packer {
	int level;
	struct libdeflate_compressor *c; /* NULL: level 0 */
	struct deflate_walk *walk;
};

struct packer *
packer_new(int level)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->level = level;
	if (level > 0) {
		p->c = libdeflate_alloc_compressor(level);
		p->walk = deflate_walk_new();
		if (!p->c || !p->walk) {
			packer_free(p);
			return NULL;
		}
	}
	return p;
}

void
packer_free(struct packer *p)
{
	if (!p)
		return;
	if (p->c)
		libdeflate_free_compressor(p->c);
	deflate_walk_free(p->walk);
	free(p);
}

enum prof_status
packer_run(struct packer *p, const struct packer_input *in, struct buf *out,
	   struct prof_err *err)
{
	size_t room, n;
	uint8_t *to;

	if (p->level == 0)
		return store(in, out, err);
	room = libdeflate_deflate_compress_bound(p->c, in->n);
	if (buf_reserve(out, room + DEFLATE_WALK_SLACK) < 0)
		return prof_nomem(err);
	to = out->data + out->n;
	n = libdeflate_deflate_compress(p->c, in->data, in->n, to, room);
	if (!in->is_last)
		n = deflate_walk_reopen(p->walk, to, n);
	if (!n)
		return prof_fail(err, PROF_EIO,
				 "internal error: invalid libdeflate output");
	out->n += n;
	return PROF_OK;
}

void
packer_continue(struct packer_input *next, const struct packer_input *in)
{
	(void)in;
	next->n = 0;
}

#else

struct packer {
	int level;
	z_stream z;
};

struct packer *
packer_new(int level)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->level = level;
	if (level > 0 && deflateInit2(&p->z, level, Z_DEFLATED, -15, 8,
				      Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return NULL;
	}
	return p;
}

void
packer_free(struct packer *p)
{
	if (p && p->level > 0)
		deflateEnd(&p->z);
	free(p);
}

enum prof_status
packer_run(struct packer *p, const struct packer_input *in, struct buf *out,
	   struct prof_err *err)
{
	z_stream *z = &p->z;

	if (p->level == 0)
		return store(in, out, err);
	deflateReset(z);
	if (in->n_before)
		deflateSetDictionary(z, in->before, (uInt)in->n_before);
	/* The bound is for a finished stream; a flush adds up to 10 bytes. */
	if (buf_reserve(out, deflateBound(z, (uLong)in->n) + 16) < 0)
		return prof_nomem(err);
	z->next_in = in->data;
	z->avail_in = (uInt)in->n;
	z->next_out = out->data + out->n;
	z->avail_out = (uInt)(out->cap - out->n);
	deflate(z, in->is_last ? Z_FINISH : Z_SYNC_FLUSH);
	out->n = (size_t)(z->next_out - out->data);
	return PROF_OK;
}

void
packer_continue(struct packer_input *next, const struct packer_input *in)
{
	next->n_before = in->n < PACKER_WINDOW ? in->n : PACKER_WINDOW;
	memcpy(next->before, in->data + in->n - next->n_before, next->n_before);
	next->n = 0;
}

#endif
