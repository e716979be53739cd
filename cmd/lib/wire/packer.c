/*
 * packer.c - see packer.h. libdeflate is more than twice as fast as zlib, but
 * cannot continue a stream or refer to earlier data. So the end of each of its
 * streams is reopened, and each piece starts without history, which costs 0.02
 * to 0.4 % of the size.
 */
#include "config.h"

#include "packer.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <libdeflate.h>
#include <zlib.h>

enum { MAX_STORED = 65535 }; /* bytes of a stored block */

/* --- level 0 --- */

static enum prof_status
store_piece(const struct packer_input *in, struct buf *out,
	    struct prof_err *err)
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

struct packer {
	int level;
	struct libdeflate_compressor *c; /* NULL: level 0 */
	z_stream z;                      /* to find the ends of blocks */
	uint8_t scratch[65536];
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
		if (!p->c || inflateInit2(&p->z, -15) != Z_OK) {
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
	inflateEnd(&p->z);
	free(p);
}

/*
 * Change the complete deflate stream of n bytes at data so that another may
 * follow: the last block is no longer marked as the last, and an empty stored
 * block follows, which ends at a byte boundary. Only inflating tells where
 * these positions are, to the bit. Needs ROOM_TO_REOPEN bytes after the stream.
 * Returns the new length; 0 if it is not a deflate stream of n bytes.
 */
enum { ROOM_TO_REOPEN = 5 };

static size_t
reopen(struct packer *p, uint8_t *data, size_t n)
{
	static const uint8_t empty[] = { 0, 0, 0xff, 0xff };
	z_stream *z = &p->z;
	size_t last = 0, at = 0; /* bits: where blocks begin */
	bool is_end = false;
	int status;

	inflateReset(z);
	z->next_in = data;
	z->avail_in = (uInt)n;
	do {
		z->next_out = p->scratch;
		z->avail_out = sizeof(p->scratch);
		status = inflate(z, Z_BLOCK);
		if (!(z->data_type & 128)) /* not between blocks */
			continue;
		at = z->total_in * 8 - (unsigned)(z->data_type & 7);
		is_end = z->data_type & 64;
		if (!is_end)
			last = at;
	} while (status == Z_OK && !is_end);
	if (!is_end || z->avail_in)
		return 0;
	data[last / 8] &= (uint8_t) ~(1u << last % 8);
	/* Three bits for the kind of the empty block, then the next byte. */
	if (at % 8)
		data[at / 8] &= (uint8_t)((1u << at % 8) - 1);
	n = (at + 3 + 7) / 8;
	if (at % 8 == 0 || at % 8 > 5)
		data[n - 1] = 0;
	memcpy(data + n, empty, sizeof(empty));
	return n + sizeof(empty);
}

enum prof_status
packer_run(struct packer *p, const struct packer_input *in, struct buf *out,
	   struct prof_err *err)
{
	size_t room, n;
	uint8_t *to;

	if (p->level == 0)
		return store_piece(in, out, err);
	room = libdeflate_deflate_compress_bound(p->c, in->n);
	if (buf_reserve(out, room + ROOM_TO_REOPEN) < 0)
		return prof_nomem(err);
	to = out->data + out->n;
	n = libdeflate_deflate_compress(p->c, in->data, in->n, to, room);
	if (!in->is_last)
		n = reopen(p, to, n);
	if (!n)
		return prof_fail(err, PROF_EIO,
				 "internal error: invalid libdeflate output");
	out->n += n;
	return PROF_OK;
}
