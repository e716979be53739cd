/*
 * deflate-walk.c - see deflate-walk.h. Decodes RFC 1951 without producing
 * output: only the kind of a code matters, and its length with extra bits.
 */
#include "config.h"

#include "deflate-walk.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_LITERAL = 288, /* literals, the end of a block, lengths */
	N_DISTANCE = 32,
	N_LENGTH = 19, /* codes of code lengths */
	MAX_BITS = 15, /* of a code */
	FAST_BITS = 11,
};

/*
 * An entry of a table: low bits: length of the code with its extra bits; high
 * bits: its kind. 0 is no code.
 */
enum kind { NO_CODE, LITERAL, MATCH, END, LONG };
#define KIND(e) ((e) >> 8)
#define BITS(e) ((e)&0xff)

/*
 * Tables indexed by the next bits of the stream. Short codes, nearly all, are
 * found in a table that fits the cache; long ones in a large table, whose
 * entries for short codes are never read or set.
 */
struct table {
	uint16_t fast[1 << FAST_BITS];
	uint16_t full[1 << MAX_BITS];
};

struct deflate_walk {
	struct table literal, distance; /* also for code lengths */
	/* Bits that were read but not used, and the next byte to read. */
	const uint8_t *start, *at, *end;
	uint64_t hold;
	unsigned n_hold;
};

struct deflate_walk *
deflate_walk_new(void)
{
	return malloc(sizeof(struct deflate_walk));
}

void
deflate_walk_free(struct deflate_walk *w)
{
	free(w);
}

/* --- bits --- */

/*
 * Refill to at least 56 bits. The bits may extend up to 8 bytes past the end,
 * and reading as far again; false: further, so the stream is damaged.
 */
static inline bool
refill(struct deflate_walk *w)
{
	uint64_t next;

	if (w->at > w->end + DEFLATE_WALK_SLACK - sizeof(next))
		return false;
	memcpy(&next, w->at, sizeof(next));
	w->hold |= le64toh(next) << w->n_hold;
	w->at += (63 - w->n_hold) >> 3;
	w->n_hold |= 56;
	return true;
}

/* The number of bits used so far. */
static size_t
position(const struct deflate_walk *w)
{
	return (size_t)(w->at - w->start) * 8 - w->n_hold;
}

static inline void
drop(struct deflate_walk *w, unsigned n)
{
	w->hold >>= n;
	w->n_hold -= n;
}

/* Take the next n bits, which refill() has provided. */
static inline unsigned
take(struct deflate_walk *w, unsigned n)
{
	unsigned v = (unsigned)(w->hold & ((1u << n) - 1));

	drop(w, n);
	return v;
}

static inline unsigned
find(const struct deflate_walk *w, const struct table *t)
{
	unsigned e = t->fast[w->hold & ((1u << FAST_BITS) - 1)];

	return KIND(e) == LONG ? t->full[w->hold & ((1u << MAX_BITS) - 1)] : e;
}

/* --- tables --- */

static unsigned
reversed(unsigned code, unsigned n)
{
	unsigned r = 0;

	for (; n; n--, code >>= 1)
		r = r << 1 | (code & 1);
	return r;
}

/*
 * Build the table of the canonical code of n symbols with these lengths; base
 * has the entry of each without the length of its code.
 */
static void
make_table(struct table *t, const uint8_t *length, const uint16_t *base,
	   unsigned n)
{
	unsigned count[MAX_BITS + 1] = { 0 }, next[MAX_BITS + 2] = { 0 };

	memset(t->fast, 0, sizeof(t->fast));
	for (unsigned s = 0; s < n; s++)
		count[length[s]]++;
	count[0] = 0;
	for (unsigned k = 0; k <= MAX_BITS; k++)
		next[k + 1] = (next[k] + count[k]) << 1;
	for (unsigned s = 0; s < n; s++) {
		unsigned len = length[s], code, step = 1u << len;

		if (len == 0 || !base[s])
			continue;
		code = reversed(next[len]++, len) & (step - 1);
		if (len <= FAST_BITS) {
			for (; code < 1u << FAST_BITS; code += step)
				t->fast[code] = (uint16_t)(base[s] + len);
			continue;
		}
		t->fast[code & ((1u << FAST_BITS) - 1)] = LONG << 8;
		for (; code < 1u << MAX_BITS; code += step)
			t->full[code] = (uint16_t)(base[s] + len);
	}
}

static unsigned
length_extra(unsigned s)
{
	return s < 265 || s == 285 ? 0 : (s - 261) >> 2;
}

static void
make_tables(struct deflate_walk *w, const uint8_t *literal,
	    const uint8_t *distance)
{
	uint16_t base[N_LITERAL] = { 0 };

	for (unsigned s = 0; s < 256; s++)
		base[s] = LITERAL << 8;
	base[256] = END << 8;
	for (unsigned s = 257; s < 286; s++)
		base[s] = (uint16_t)(MATCH << 8 | length_extra(s));
	make_table(&w->literal, literal, base, N_LITERAL);
	memset(base, 0, sizeof(base));
	for (unsigned s = 0; s < 30; s++)
		base[s] = (uint16_t)(MATCH << 8 | (s < 4 ? 0 : (s >> 1) - 1));
	make_table(&w->distance, distance, base, N_DISTANCE);
}

static void
fixed_tables(struct deflate_walk *w)
{
	uint8_t literal[N_LITERAL], distance[N_DISTANCE];

	memset(literal, 8, sizeof(literal));
	memset(literal + 144, 9, 256 - 144);
	memset(literal + 256, 7, 280 - 256);
	memset(distance, 5, sizeof(distance));
	make_tables(w, literal, distance);
}

/* Read the lengths of n codes, which are coded, too. false: malformed. */
static bool
read_lengths(struct deflate_walk *w, uint8_t *length, unsigned n)
{
	unsigned i = 0;

	while (i < n) {
		unsigned e, s, times = 1;

		if (!refill(w))
			return false;
		e = w->distance.fast[w->hold & ((1u << FAST_BITS) - 1)];
		if (!e)
			return false;
		drop(w, BITS(e));
		s = KIND(e) - 1;
		if (s == 16)
			times = 3 + take(w, 2);
		else if (s == 17)
			times = 3 + take(w, 3);
		else if (s == 18)
			times = 11 + take(w, 7);
		if (times > n - i || (s == 16 && i == 0))
			return false;
		s = s < 16 ? s : s == 16 ? length[i - 1] : 0;
		memset(length + i, (int)s, times);
		i += times;
	}
	return true;
}

static bool
read_tables(struct deflate_walk *w)
{
	static const uint8_t order[N_LENGTH] = { 16, 17, 18, 0,  8, 7,  9,
						 6,  10, 5,  11, 4, 12, 3,
						 13, 2,  14, 1,  15 };
	uint8_t length[N_LITERAL + N_DISTANCE] = { 0 };
	uint8_t literal[N_LITERAL] = { 0 }, distance[N_DISTANCE] = { 0 };
	uint8_t coded[N_LENGTH] = { 0 };
	uint16_t base[N_LENGTH];
	unsigned n_literal, n_distance, n_coded;

	if (!refill(w))
		return false;
	n_literal = 257 + take(w, 5);
	n_distance = 1 + take(w, 5);
	n_coded = 4 + take(w, 4);
	for (unsigned i = 0; i < n_coded; i++) {
		if (!refill(w))
			return false;
		coded[order[i]] = (uint8_t)take(w, 3);
	}
	/* All codes are short, so no kind is LONG; and no entry may be 0. */
	for (unsigned s = 0; s < N_LENGTH; s++)
		base[s] = (uint16_t)((s + 1) << 8);
	make_table(&w->distance, coded, base, N_LENGTH);
	if (n_literal > N_LITERAL ||
	    !read_lengths(w, length, n_literal + n_distance))
		return false;
	memcpy(literal, length, n_literal);
	memcpy(distance, length + n_literal, n_distance);
	make_tables(w, literal, distance);
	return true;
}

/* --- blocks --- */

static bool
skip_stored(struct deflate_walk *w)
{
	size_t n;

	drop(w, w->n_hold & 7);
	if (!refill(w))
		return false;
	n = take(w, 16);
	if (take(w, 16) != (n ^ 0xffff))
		return false;
	/* Give back the bits that were read ahead: they are whole bytes. */
	w->at -= w->n_hold >> 3;
	w->hold = w->n_hold = 0;
	if (w->at > w->end || n > (size_t)(w->end - w->at))
		return false;
	w->at += n;
	return true;
}

/* Skip the body of a compressed block. 56 bits suffice for a match or three
 * literals. */
static bool
skip_codes(struct deflate_walk *w)
{
	unsigned e;

	do {
		if (!refill(w))
			return false;
		for (int i = 0; i < 3; i++) {
			e = find(w, &w->literal);
			if (KIND(e) == MATCH)
				break;
			drop(w, BITS(e));
			if (KIND(e) != LITERAL)
				return KIND(e) == END;
		}
		if (KIND(e) == LITERAL)
			continue;
		drop(w, BITS(e));
		if (!refill(w))
			return false;
		e = find(w, &w->distance);
		drop(w, BITS(e));
	} while (KIND(e) != NO_CODE);
	return false;
}

static bool
skip_block(struct deflate_walk *w, unsigned type)
{
	switch (type) {
	case 0:
		return skip_stored(w);
	case 1:
		fixed_tables(w);
		return skip_codes(w);
	case 2:
		return read_tables(w) && skip_codes(w);
	}
	return false;
}

size_t
deflate_walk_reopen(struct deflate_walk *w, uint8_t *data, size_t n)
{
	static const uint8_t empty[] = { 0, 0, 0xff, 0xff };
	size_t last, used;
	unsigned is_last;

	w->start = w->at = data;
	w->end = data + n;
	w->hold = w->n_hold = 0;
	do {
		if (!refill(w))
			return 0;
		last = position(w);
		is_last = take(w, 1);
		if (!skip_block(w, take(w, 2)))
			return 0;
	} while (!is_last);
	used = position(w);
	if ((used + 7) / 8 != n)
		return 0;
	data[last / 8] &= (uint8_t) ~(1u << last % 8);
	/* The header of the empty block is three 0 bits, as is the padding. */
	if (n * 8 - used < 3)
		data[n++] = 0;
	memcpy(data + n, empty, sizeof(empty));
	return n + sizeof(empty);
}
