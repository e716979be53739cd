/*
 * zip.c - see zip.h. The format is PKWARE's APPNOTE.TXT: a directory at the end
 * says where each member is; members are stored or deflated. What needs more
 * (encryption, several disks, 64-bit sizes) is refused: Go writes none of it.
 */
#include "config.h"

#include "zip.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/wire/compress.h"

enum {
	END_SIZE = 22,    /* record at the end of the directory */
	ENTRY_SIZE = 46,  /* of the directory, before its name */
	MEMBER_SIZE = 30, /* header of a member, before its name */
	MAX_COMMENT = 65535,
	STORED = 0,
	DEFLATED = 8,
};

struct zip {
	const uint8_t *data;
	size_t n;
};

struct member {
	unsigned method;
	uint32_t crc, packed, size, offset;
};

static unsigned
get16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

static uint32_t
get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

/* The record at the end of the directory; a comment may follow it. */
static const uint8_t *
find_end(const struct zip *z)
{
	size_t last = z->n - END_SIZE;
	size_t first = last > MAX_COMMENT ? last - MAX_COMMENT : 0;

	if (z->n < END_SIZE)
		return NULL;
	for (size_t at = last + 1; at-- > first;)
		if (get32(z->data + at) == 0x06054b50)
			return z->data + at;
	return NULL;
}

static bool
find_member(const struct zip *z, const char *name, struct member *m)
{
	const uint8_t *end = find_end(z), *p;
	size_t len = strlen(name), at;

	if (!end)
		return false;
	at = get32(end + 16);
	for (unsigned left = get16(end + 10); left; left--) {
		if (at > z->n || z->n - at < ENTRY_SIZE)
			return false;
		p = z->data + at;
		if (get32(p) != 0x02014b50 ||
		    z->n - at - ENTRY_SIZE < get16(p + 28))
			return false;
		if (get16(p + 28) == len &&
		    !memcmp(p + ENTRY_SIZE, name, len)) {
			*m = (struct member){ get16(p + 10), get32(p + 16),
					      get32(p + 20), get32(p + 24),
					      get32(p + 42) };
			return true;
		}
		at += ENTRY_SIZE + get16(p + 28) + get16(p + 30) +
		      get16(p + 32);
	}
	return false;
}

/* The same bytes as a gzip member, for which there is a decoder. */
static enum prof_status
inflate(const struct member *m, const uint8_t *packed, size_t max,
	struct buf *out, struct prof_err *err)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	uint8_t tail[8];
	struct buf gzip = { 0 };
	enum prof_status st;

	for (int i = 0; i < 4; i++) {
		tail[i] = (uint8_t)(m->crc >> 8 * i);
		tail[4 + i] = (uint8_t)(m->size >> 8 * i);
	}
	if (buf_add(&gzip, head, sizeof(head)) < 0 ||
	    buf_add(&gzip, packed, m->packed) < 0 ||
	    buf_add(&gzip, tail, sizeof(tail)) < 0)
		st = prof_nomem(err);
	else
		st = gzip_inflate(gzip.data, gzip.n, max, out, err);
	buf_release(&gzip);
	return st;
}

enum prof_status
zip_read(const void *data, size_t n, const char *name, size_t max,
	 struct buf *out, struct prof_err *err)
{
	struct zip z = { data, n };
	const uint8_t *p;
	struct member m;
	size_t at;

	if (!find_member(&z, name, &m))
		return prof_fail(err, PROF_EFORMAT, "no %s in the archive",
				 name);
	if (m.offset > n || n - m.offset < MEMBER_SIZE)
		return prof_fail(err, PROF_EFORMAT, "damaged archive");
	p = z.data + m.offset;
	at = (size_t)m.offset + MEMBER_SIZE + get16(p + 26) + get16(p + 28);
	if (get32(p) != 0x04034b50 || at > n || n - at < m.packed)
		return prof_fail(err, PROF_EFORMAT, "damaged archive");
	if (m.size > max)
		return prof_fail(err, PROF_ELIMIT, "larger than %zu bytes",
				 max);
	if (m.method == DEFLATED)
		return inflate(&m, z.data + at, max, out, err);
	if (m.method != STORED || m.packed != m.size)
		return prof_fail(err, PROF_EFORMAT, "unknown compression");
	return buf_add(out, z.data + at, m.size) < 0 ? prof_nomem(err)
						     : PROF_OK;
}
