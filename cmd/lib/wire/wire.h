/*
 * wire.h - the protobuf wire format: varints and fields, for the parts of the
 * codec written by hand. Varints have at most 10 bytes, and excess bits of the
 * tenth are dropped; groups and wire types 6 and 7 are errors.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_I64 = 1,
	WIRE_BYTES = 2,
	WIRE_I32 = 5,
};

/* A field of a message. */
struct wire_field {
	uint64_t number;
	enum wire_type type;
	uint64_t value;      /* WIRE_VARINT, or the length of data */
	const uint8_t *data; /* WIRE_BYTES */
};

/*
 * Read a varint at p into *v. Returns the position after it, or NULL if it is
 * truncated by end or longer than 10 bytes.
 */
static inline const uint8_t *
wire_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t x = 0;

	if (p < end && *p < 0x80) { /* most are */
		*v = *p;
		return p + 1;
	}
	if (end - p >= 2 && p[1] < 0x80) { /* and most others */
		*v = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (p == end)
			return NULL;
		x |= shift < 64 ? (uint64_t)(*p & 0x7f) << shift : 0;
		if (!(*p++ & 0x80)) {
			*v = x;
			return p;
		}
	}
	return NULL;
}

/*
 * Read the field at p, which is before end, into *f. Returns the position after
 * it, or NULL if it is malformed or runs past end.
 */
static inline const uint8_t *
wire_next(const uint8_t *p, const uint8_t *end, struct wire_field *f)
{
	ptrdiff_t size;
	uint64_t tag;

	*f = (struct wire_field){ .number = 0 };
	if (*p < 0x80)
		tag = *p++;
	else if (!(p = wire_varint(p, end, &tag)))
		return NULL;
	f->number = tag >> 3;
	f->type = (enum wire_type)(tag & 7);
	if (f->type == WIRE_BYTES) {
		p = wire_varint(p, end, &f->value);
		if (!p || f->value > (uint64_t)(end - p))
			return NULL;
		f->data = p;
		return p + f->value;
	}
	if (f->type == WIRE_VARINT)
		return wire_varint(p, end, &f->value);
	if (f->type != WIRE_I64 && f->type != WIRE_I32)
		return NULL;
	size = f->type == WIRE_I64 ? 8 : 4;
	return end - p < size ? NULL : p + size;
}

/* The fixed64 in the 8 bytes at p. */
static inline uint64_t
wire_fixed64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 8; i--;)
		v = v << 8 | p[i];
	return v;
}

/* Is the byte the whole tag of a varint with a number from 1 to n - 1? */
static inline bool
wire_is_varint_tag(uint8_t tag, size_t n)
{
	return !(tag & (0x80 | 7)) && tag && tag >> 3 < n;
}

/* wire_varints() without clearing v. */
static inline bool
wire_put_varints(const uint8_t *p, const uint8_t *end, uint64_t *v, size_t n)
{
	struct wire_field f;

	while (p < end) {
		if (wire_is_varint_tag(*p, n)) { /* nearly always */
			p = wire_varint(p + 1, end, &v[*p >> 3]);
			if (!p)
				return false;
			continue;
		}
		p = wire_next(p, end, &f);
		if (!p)
			return false;
		if (f.number == 0 || f.number >= n)
			continue;
		if (f.type != WIRE_VARINT)
			return false;
		v[f.number] = f.value;
	}
	return true;
}

/*
 * Read a message whose fields 1 to n - 1 are varints: v[i] is field i, or 0 if
 * it is missing. Other fields are skipped. Returns false if the message is
 * malformed, or one of these fields is not a varint.
 */
static inline bool
wire_varints(const uint8_t *p, size_t size, uint64_t *v, size_t n)
{
	memset(v, 0, n * sizeof(*v));
	return wire_put_varints(p, p + size, v, n);
}

/* The size of the varint of v, in bytes. */
static inline unsigned
wire_size(uint64_t v)
{
	return ((unsigned)(63 - __builtin_clzll(v | 1)) * 9 + 73) / 64;
}

/* Write the varint of v at p, which has room for 10 bytes. Returns the position
 * after it. */
static inline uint8_t *
wire_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

#endif
