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

struct line_row *
lines_decode(enum interp_lines form, const uint8_t *table, size_t n,
	     int32_t first, size_t *n_row)
{
	struct reader r = { table, table + n, 0, (uint32_t)first };
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
