/*
 * read.h - read the numbers of .eh_frame from untrusted bytes. All functions
 * are inline and async-signal-safe.
 */
#ifndef UNWIND_READ_H
#define UNWIND_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pointer encodings. */
enum {
	PE_absptr = 0x00,
	PE_uleb128 = 0x01,
	PE_udata2 = 0x02,
	PE_udata4 = 0x03,
	PE_udata8 = 0x04,
	PE_sleb128 = 0x09,
	PE_sdata2 = 0x0a,
	PE_sdata4 = 0x0b,
	PE_sdata8 = 0x0c,
	PE_form = 0x0f,
	PE_pcrel = 0x10,
	PE_datarel = 0x30,
	PE_base = 0x70,
	PE_indirect = 0x80,
	PE_omit = 0xff,
};

/* Bytes not yet read. A read past the end sets bad and returns 0. */
struct in {
	const uint8_t *p, *end;
	bool bad;
};

static inline size_t
in_left(const struct in *in)
{
	return (size_t)(in->end - in->p);
}

static inline void
in_skip(struct in *in, uint64_t n)
{
	if (n > in_left(in)) {
		in->bad = true;
		in->p = in->end;
	} else {
		in->p += n;
	}
}

static inline uint8_t
in_byte(struct in *in)
{
	if (in->p >= in->end) {
		in->bad = true;
		return 0;
	}
	return *in->p++;
}

/* A little-endian number of n <= 8 bytes. */
static inline uint64_t
in_fixed(struct in *in, size_t n)
{
	uint64_t v = 0;

	if (in_left(in) < n) {
		in->bad = true;
		in->p = in->end;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)in->p[i] << (8 * i);
	in->p += n;
	return v;
}

static inline uint64_t
in_leb(struct in *in, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = in_byte(in);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~UINT64_C(0) << shift;
	return v;
}

static inline uint64_t
in_uleb(struct in *in)
{
	return in_leb(in, false);
}

static inline int64_t
in_sleb(struct in *in)
{
	return (int64_t)in_leb(in, true);
}

/* A field of encoding enc; PE_datarel counts from datarel. */
static inline uintptr_t
in_encoded(struct in *in, uint8_t enc, uintptr_t datarel)
{
	uintptr_t at = (uintptr_t)in->p;
	uint64_t v = 0;

	switch (enc & PE_form) {
	case PE_absptr:
	case PE_udata8:
	case PE_sdata8:
		v = in_fixed(in, 8);
		break;
	case PE_uleb128:
		v = in_uleb(in);
		break;
	case PE_sleb128:
		v = (uint64_t)in_sleb(in);
		break;
	case PE_udata2:
		v = in_fixed(in, 2);
		break;
	case PE_sdata2:
		v = (uint64_t)(int16_t)in_fixed(in, 2);
		break;
	case PE_udata4:
		v = in_fixed(in, 4);
		break;
	case PE_sdata4:
		v = (uint64_t)(int32_t)in_fixed(in, 4);
		break;
	default:
		in->bad = true;
	}
	switch (enc & PE_base) {
	case PE_absptr:
		break;
	case PE_pcrel:
		v += at;
		break;
	case PE_datarel:
		v += datarel;
		break;
	default:
		in->bad = true;
	}
	return (uintptr_t)v;
}

/* The same for an address; absolute is added unless it is relative. */
static inline uintptr_t
in_code(struct in *in, uint8_t enc, uintptr_t absolute)
{
	uintptr_t v = in_encoded(in, enc, 0);

	return (enc & PE_base) == PE_absptr ? v + absolute : v;
}

#endif
