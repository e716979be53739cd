/*
 * lines.c - see lines.h. Sums wrap around: hostile tables give wrong lines.
 */
#include "config.h"

#include "lines.h"

#include <stdlib.h>

struct reader {
	const uint8_t *p, *end;
	uint32_t at, line; /* of the row that is next */
};

/* lnotab, to 3.9, from the first line: pairs of steps, of the place and,
 * signed, of the line. */
static bool
next_lnotab(struct reader *r, struct line_row *row)
{
	if (r->end - r->p < 2)
		return false;
	r->at += r->p[0];
	r->line += (uint32_t)(int8_t)r->p[1];
	r->p += 2;
	*row = (struct line_row){ r->at, (int32_t)r->line };
	return true;
}

/* co_linetable of 3.10: the bytes of a range and, signed, the step to its line;
 * -128: it has none. */
static bool
next_310(struct reader *r, struct line_row *row)
{
	enum { NO_LINE = -128 };
	int8_t step;

	if (r->end - r->p < 2)
		return false;
	step = (int8_t)r->p[1];
	if (step != NO_LINE)
		r->line += (uint32_t)step;
	*row = (struct line_row){ r->at,
				  step == NO_LINE ? 0 : (int32_t)r->line };
	r->at += r->p[0];
	r->p += 2;
	return true;
}

/* Six bits a byte, the lowest first; the seventh: more follow. */
static uint32_t
read_number(struct reader *r)
{
	uint32_t n = 0;
	unsigned shift = 0;
	uint8_t byte = 64;

	while (byte & 64 && r->p < r->end) {
		byte = *r->p++;
		if (shift < 32)
			n |= (uint32_t)(byte & 63) << shift;
		shift += 6;
	}
	return n;
}

/* The lowest bit is the sign. */
static uint32_t
read_step(struct reader *r)
{
	uint32_t n = read_number(r);

	return n & 1 ? 0u - (n >> 1) : n >> 1;
}

/*
 * co_linetable since 3.11: an entry begins with a byte of 128 or more: four
 * bits of its form, three of its length in instructions of two bytes, less one.
 * Columns follow, which are left out.
 */
static bool
next_311(struct reader *r, struct line_row *row)
{
	enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NO_LINE = 15 };
	unsigned form;

	if (r->p >= r->end)
		return false;
	form = *r->p >> 3 & 15;
	row->at = r->at;
	r->at += 2 * ((*r->p++ & 7) + 1u);
	if (form == NO_COLUMNS || form == LONG)
		r->line += read_step(r);
	else if (form >= ONE_LINE && form < NO_COLUMNS)
		r->line += form - ONE_LINE;
	row->line = form == NO_LINE ? 0 : (int32_t)r->line;
	while (r->p < r->end && !(*r->p & 128))
		r->p++;
	return true;
}

static uint64_t
number_at(const struct reader *r, size_t at, size_t size)
{
	uint64_t n = 0;

	for (size_t i = size; i-- > 0;)
		n = n << 8 |
		    (at + i < (size_t)(r->end - r->p) ? r->p[at + i] : 0);
	return n;
}

/* How many entries begin at a place or before: 54 numbers of 7 bits, nine in a
 * word; then blocks of 512 places, each with how many before it, before its
 * eighths (9 bits each but for the first), and a bit for each place. */
static size_t
ruby_rank(const struct reader *r, size_t table, size_t at)
{
	enum { SMALL = 54, BLOCK = 512, BLOCK_BYTES = 80 };
	size_t block, part, n;

	if (at < SMALL)
		return number_at(r, table + at / 9 * 8, 8) >> at % 9 * 7 & 0x7f;
	at -= SMALL;
	block = table + SMALL / 9 * 8 + at / BLOCK * BLOCK_BYTES;
	part = at % BLOCK / 64;
	n = number_at(r, block, 4);
	if (part > 0)
		n += number_at(r, block + 8, 8) >> (part - 1) * 9 & 0x1ff;
	return n + (size_t)__builtin_popcountll(
			   number_at(r, block + 16 + part * 8, 8)
			   << (63 - at % 64));
}

/* Ruby: the number of entries, that of places, the entries, which begin with a
 * line, and the table of ruby_rank(). The next place with another entry. */
static bool
next_ruby(struct reader *r, size_t entry, struct line_row *row)
{
	size_t size = (size_t)(r->end - r->p), i;
	size_t n = number_at(r, 0, 4), places = number_at(r, 4, 4);

	if (n > size / entry)
		return false;
	if (places > 8 * size) /* each has a bit, and more */
		places = 8 * size;
	while (r->at < places && r->line < n) {
		row->at = r->at++;
		i = n == 1 ? 1 : ruby_rank(r, 8 + n * entry, row->at);
		if (i <= r->line || i > n)
			continue;
		r->line = (uint32_t)i;
		row->line = (int32_t)number_at(r, 8 + (i - 1) * entry, 4);
		return true;
	}
	return false;
}

struct line_row *
lines_decode(enum interp_lines form, const uint8_t *table, size_t n,
	     int32_t first, size_t *n_row)
{
	bool is_ruby = form == LINES_RUBY_8 || form == LINES_RUBY_12;
	/* Of Ruby, line is the number of the entry. */
	struct reader r = { table, table + n, 0,
			    is_ruby ? 0 : (uint32_t)first };
	/* No form has entries of less than a byte. */
	struct line_row *row = calloc(n + 2, sizeof(*row)), *more;
	size_t k = 0;

	*n_row = 0;
	if (!row)
		return NULL;
	if (form == LINES_LNOTAB)
		row[k++].line = first;
	while (form == LINES_LNOTAB ? next_lnotab(&r, &row[k])
	       : form == LINES_310  ? next_310(&r, &row[k])
	       : form == LINES_311  ? next_311(&r, &row[k])
	       : is_ruby ? next_ruby(&r, form == LINES_RUBY_8 ? 8 : 12, &row[k])
			 : false) {
		/* The last one of a place counts, and only changes. */
		if (k > 0 && row[k - 1].at == row[k].at)
			row[k - 1] = row[k];
		else if (k == 0 || row[k - 1].line != row[k].line)
			k++;
	}
	*n_row = k;
	more = realloc(row, (k + 1) * sizeof(*row));
	return more ? more : row;
}

int32_t
lines_at(const struct line_row *row, size_t n, uint32_t at)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (row[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? row[lo - 1].line : 0;
}
