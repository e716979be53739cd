/*
 * read.h - read numbers and strings from a DWARF section. A read past the end
 * returns 0, moves to the end and marks the cursor as bad, so callers may check
 * once after a group of reads.
 */
#ifndef DWARF_READ_H
#define DWARF_READ_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *p, *end;
	bool big_endian;
	bool bad;
};

static inline size_t
cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline void
cursor_fail(struct cursor *c)
{
	c->p = c->end;
	c->bad = true;
}

/* Are n more bytes there? */
static inline bool
cursor_has(struct cursor *c, uint64_t n)
{
	if (n <= cursor_left(c))
		return true;
	cursor_fail(c);
	return false;
}

static inline void
cursor_skip(struct cursor *c, uint64_t n)
{
	if (cursor_has(c, n))
		c->p += n;
}

static inline uint8_t
cursor_u8(struct cursor *c)
{
	return cursor_has(c, 1) ? *c->p++ : 0;
}

static inline uint16_t
cursor_u16(struct cursor *c)
{
	uint16_t v;

	if (!cursor_has(c, sizeof(v)))
		return 0;
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return c->big_endian ? be16toh(v) : le16toh(v);
}

static inline uint32_t
cursor_u32(struct cursor *c)
{
	uint32_t v;

	if (!cursor_has(c, sizeof(v)))
		return 0;
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return c->big_endian ? be32toh(v) : le32toh(v);
}

static inline uint64_t
cursor_u64(struct cursor *c)
{
	uint64_t v;

	if (!cursor_has(c, sizeof(v)))
		return 0;
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return c->big_endian ? be64toh(v) : le64toh(v);
}

/* A number of n bytes, 1 to 8: addresses, offsets, odd sizes. */
static inline uint64_t
cursor_number(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if (n == 4)
		return cursor_u32(c);
	if (n == 8)
		return cursor_u64(c);
	if (!cursor_has(c, n))
		return 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)c->p[i] << 8 * (c->big_endian ? n - 1 - i : i);
	c->p += n;
	return v;
}

/* LEB128: bits past the 64th are dropped. */
static inline uint64_t
cursor_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t b = *c->p++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

static inline int64_t
cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t b = *c->p++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		if (b & 0x40 && shift + 7 < 64)
			v |= UINT64_MAX << (shift + 7);
		return (int64_t)v;
	}
	c->bad = true;
	return 0;
}

/* A string; "" if it is not terminated. */
static inline const char *
cursor_string(struct cursor *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *nul = memchr(c->p, 0, cursor_left(c));

	if (!nul) {
		cursor_fail(c);
		return "";
	}
	c->p = nul + 1;
	return s;
}

/*
 * Read the length at the beginning of a unit or a table; *offset_size is 4 or,
 * in 64-bit DWARF, 8 (DWARF 5, 7.4).
 */
static inline uint64_t
cursor_length(struct cursor *c, uint8_t *offset_size)
{
	uint64_t n = cursor_u32(c);

	*offset_size = 4;
	if (n < 0xfffffff0)
		return n;
	if (n != 0xffffffff)
		cursor_fail(c); /* reserved */
	*offset_size = 8;
	return cursor_u64(c);
}

#endif
