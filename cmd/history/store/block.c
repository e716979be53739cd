/* block.c - see block.h. */
#include "config.h"

#include "block.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/model/units.h"
#include "lib/wire/wire.h"

void
block_release(struct block *b)
{
	free(b->entry);
	free(b->column);
	for (size_t c = 0; c < BLOCK_MAX_COLUMN; c++)
		free(b->cells[c].cell);
	*b = (struct block){ 0 };
}

enum prof_status
block_add(struct block *b, const struct entry *e,
	  const struct entry_column *column, struct prof_err *err)
{
	size_t n = b->n_column;

	if (array_reserve(&b->entry, &b->cap_entry, b->n_entry + 1,
			  sizeof(*b->entry)) < 0 ||
	    array_reserve(&b->column, &b->cap_column, (b->n_entry + 1) * n,
			  sizeof(*b->column)) < 0)
		return prof_nomem(err);
	if (n)
		memcpy(b->column + b->n_entry * n, column, n * sizeof(*column));
	b->entry[b->n_entry++] = *e;
	return PROF_OK;
}

enum prof_status
block_add_cell(struct block *b, size_t column, uint32_t fn, int64_t flat,
	       int64_t cum, struct prof_err *err)
{
	const uint32_t pos = (uint32_t)(b->n_entry - 1);
	struct cells *x = &b->cells[column];

	if (array_reserve(&x->cell, &x->cap, x->n + 1, sizeof(*x->cell)) < 0)
		return prof_nomem(err);
	x->cell[x->n++] = (struct cell){ fn, pos, flat, cum };
	return PROF_OK;
}

void
block_drop(struct block *b, const unsigned char *gone)
{
	uint32_t *now = malloc((b->n_entry + 1) * sizeof(*now));
	size_t n = 0, size = b->n_column * sizeof(*b->column);

	/* Without memory, count to find the numbers: slow, but right. */
	for (size_t i = 0; i < b->n_entry; i++) {
		if (now)
			now[i] = (uint32_t)n;
		n += !gone[i];
	}
	for (size_t c = 0; c < b->n_column; c++) {
		struct cells *x = &b->cells[c];
		size_t kept = 0;

		for (size_t i = 0; i < x->n; i++) {
			struct cell *to = &x->cell[kept];
			uint32_t pos = x->cell[i].pos, at = 0;

			if (gone[pos])
				continue;
			*to = x->cell[i];
			for (uint32_t k = 0; !now && k < pos; k++)
				at += !gone[k];
			to->pos = now ? now[pos] : at;
			kept++;
		}
		x->n = kept;
	}
	n = 0;
	for (size_t i = 0; i < b->n_entry; i++) {
		if (gone[i])
			continue;
		b->entry[n] = b->entry[i];
		if (size)
			memmove(b->column + n * b->n_column,
				b->column + i * b->n_column, size);
		n++;
	}
	b->n_entry = n;
	free(now);
}

/* --- to bytes --- */

static int
put_varint(struct buf *out, uint64_t v)
{
	if (buf_reserve(out, 10) < 0)
		return -1;
	out->n = (size_t)(wire_put(out->data + out->n, v) - out->data);
	return 0;
}

static uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t
unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static int64_t
scale_of(const struct block *b, size_t column, size_t pos)
{
	return b->column[pos * b->n_column + column].scale;
}

/*
 * Sort the cells of a column by function; those of a function stay in the order
 * of profiles. Functions with one printed name in a profile are added up.
 */
static enum prof_status
cells_sort(struct cells *x, struct prof_err *err)
{
	struct cell *sorted = malloc((x->n + 1) * sizeof(*sorted));
	uint32_t max = 0;
	size_t *start, n = 0;

	for (size_t i = 0; i < x->n; i++)
		if (x->cell[i].fn > max)
			max = x->cell[i].fn;
	start = calloc((size_t)max + 2, sizeof(*start));
	if (!sorted || !start) {
		free(sorted);
		free(start);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < x->n; i++)
		start[x->cell[i].fn + 1]++;
	for (size_t k = 0; k <= max; k++)
		start[k + 1] += start[k];
	for (size_t i = 0; i < x->n; i++)
		sorted[start[x->cell[i].fn]++] = x->cell[i];
	for (size_t i = 0; i < x->n; i++) {
		struct cell *last = n ? &sorted[n - 1] : NULL;
		const struct cell *c = &sorted[i];

		if (last && last->fn == c->fn && last->pos == c->pos) {
			last->flat = units_add(last->flat, c->flat);
			last->cum = units_add(last->cum, c->cum);
		} else {
			sorted[n++] = *c;
		}
	}
	free(x->cell);
	free(start);
	*x = (struct cells){ sorted, n, x->n + 1 };
	return PROF_OK;
}

/* Would the cells of two columns be the same bytes? */
static bool
same_cells(const struct block *b, size_t c, size_t d)
{
	const struct cells *x = &b->cells[c], *y = &b->cells[d];

	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct cell *p = &x->cell[i], *q = &y->cell[i];
		int64_t s = scale_of(b, c, p->pos);
		int64_t t = p->pos == q->pos ? scale_of(b, d, q->pos) : 0;

		if (!t || p->fn != q->fn || p->flat / s != q->flat / t ||
		    p->cum / s != q->cum / t)
			return false;
	}
	return true;
}

/*
 * A cell is 2 * (distance to the profile before) + (flat is cum), flat, and cum
 * if it differs.
 */
static int
put_cell(struct buf *out, const struct cell *c, uint32_t last, int64_t scale)
{
	bool is_leaf = c->flat == c->cum;

	if (put_varint(out, (uint64_t)(c->pos - last) << 1 | is_leaf) < 0 ||
	    put_varint(out, zigzag(c->flat / scale)) < 0)
		return -1;
	return is_leaf ? 0 : put_varint(out, zigzag(c->cum / scale));
}

static enum prof_status
write_posts(const struct block *b, size_t column, const struct block_sink *sink,
	    struct prof_err *err)
{
	const struct cells *x = &b->cells[column];
	enum prof_status st = PROF_OK;
	struct buf out = { 0 };
	uint32_t last = 0;

	for (size_t i = 0; i < x->n && st == PROF_OK; i++) {
		const struct cell *c = &x->cell[i];

		if (put_cell(&out, c, last, scale_of(b, column, c->pos)) < 0)
			st = prof_nomem(err);
		last = c->pos;
		if (st == PROF_OK && (i + 1 == x->n || c[1].fn != c->fn)) {
			st = sink->post(sink->ctx, c->fn, column, &out, err);
			out.n = 0;
			last = 0;
		}
	}
	buf_release(&out);
	return st;
}

/* The sums of one function, while they are made. */
struct summing {
	const struct block *b;
	uint32_t *build; /* n of them, of at most one for each profile */
	int64_t *sum;    /* for each build: flat and cum of each column */
	size_t n;
};

static void
sum_cell(struct summing *s, size_t column, const struct cell *c)
{
	uint32_t build = s->b->entry[c->pos].build;
	size_t width = 2 * s->b->n_column, i;
	int64_t *to;

	for (i = 0; i < s->n && s->build[i] != build; i++)
		;
	to = s->sum + i * width;
	if (i == s->n) {
		s->n++;
		s->build[i] = build;
		memset(to, 0, width * sizeof(*to));
	}
	to[2 * column] = units_add(to[2 * column], c->flat);
	to[2 * column + 1] = units_add(to[2 * column + 1], c->cum);
}

static int
put_sums(struct buf *out, const struct summing *s, uint32_t distance)
{
	size_t width = 2 * s->b->n_column;

	if (put_varint(out, distance) < 0 || put_varint(out, s->n) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		if (put_varint(out, s->build[i]) < 0)
			return -1;
		for (size_t k = 0; k < width; k++)
			if (put_varint(out, zigzag(s->sum[i * width + k])) < 0)
				return -1;
	}
	return 0;
}

static enum prof_status
write_sums(const struct block *b, struct buf *out, struct prof_err *err)
{
	struct summing s = { .b = b };
	size_t at[BLOCK_MAX_COLUMN] = { 0 }, n = b->n_entry + 1;
	uint32_t before = 0, fn;
	enum prof_status st = PROF_OK;

	s.build = calloc(n, sizeof(*s.build));
	s.sum = calloc(n * (b->n_column + 1) * 2, sizeof(*s.sum));
	if (!s.build || !s.sum)
		st = prof_nomem(err);
	while (st == PROF_OK) {
		fn = UINT32_MAX;
		for (size_t c = 0; c < b->n_column; c++)
			if (at[c] < b->cells[c].n &&
			    b->cells[c].cell[at[c]].fn < fn)
				fn = b->cells[c].cell[at[c]].fn;
		if (fn == UINT32_MAX)
			break;
		s.n = 0;
		for (size_t c = 0; c < b->n_column; c++)
			for (; at[c] < b->cells[c].n &&
			       b->cells[c].cell[at[c]].fn == fn;
			     at[c]++)
				sum_cell(&s, c, &b->cells[c].cell[at[c]]);
		if (put_sums(out, &s, fn - before) < 0)
			st = prof_nomem(err);
		before = fn;
	}
	free(s.build);
	free(s.sum);
	return st;
}

static int
put_entry(struct buf *out, const struct block *b, size_t i)
{
	const struct entry *e = &b->entry[i];
	const struct entry_column *c = b->column + i * b->n_column;
	int64_t before = i ? b->entry[i - 1].time_ns : b->day * BLOCK_DAY_NS;

	if (put_varint(out, e->file) < 0 ||
	    put_varint(out, zigzag(units_sub(e->time_ns, before))) < 0 ||
	    put_varint(out, zigzag(e->duration_ns)) < 0 ||
	    put_varint(out, e->build) < 0 || put_varint(out, e->host) < 0 ||
	    put_varint(out, e->labels) < 0 || put_varint(out, e->part) < 0)
		return -1;
	for (size_t k = 0; k < b->n_column; k++)
		if (put_varint(out, zigzag(c[k].total / c[k].scale)) < 0 ||
		    put_varint(out, zigzag(c[k].samples)) < 0 ||
		    put_varint(out, zigzag(c[k].scale)) < 0)
			return -1;
	return 0;
}

/* The posts, and which columns share them. */
static enum prof_status
write_columns(const struct block *b, const struct block_sink *sink,
	      struct buf *meta, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t c = 0; c < b->n_column && st == PROF_OK; c++) {
		size_t shared = 0;

		while (shared < c && !same_cells(b, shared, c))
			shared++;
		if (put_varint(meta, shared) < 0)
			st = prof_nomem(err);
		if (st == PROF_OK && shared == c)
			st = write_posts(b, c, sink, err);
	}
	return st;
}

enum prof_status
block_write(struct block *b, const struct block_sink *sink, struct buf *meta,
	    struct buf *sums, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t c = 0; c < b->n_column && st == PROF_OK; c++)
		st = cells_sort(&b->cells[c], err);
	if (st == PROF_OK)
		st = write_columns(b, sink, meta, err);
	for (size_t i = 0; i < b->n_entry && st == PROF_OK; i++)
		if (put_entry(meta, b, i) < 0)
			st = prof_nomem(err);
	return st == PROF_OK ? write_sums(b, sums, err) : st;
}

/* --- from bytes --- */

static enum prof_status
damaged(struct prof_err *err)
{
	return prof_fail(err, PROF_EFORMAT, "damaged");
}

struct reader {
	const uint8_t *p, *end; /* p is NULL after an error */
};

static uint64_t
get_varint(struct reader *r)
{
	uint64_t v = 0;

	if (r->p)
		r->p = wire_varint(r->p, r->end, &v);
	return v;
}

static uint32_t
get32(struct reader *r)
{
	uint64_t v = get_varint(r);

	if (v > UINT32_MAX)
		r->p = NULL;
	return (uint32_t)v;
}

static int64_t
get_signed(struct reader *r)
{
	return unzigzag(get_varint(r));
}

/* v * scale; an overflow is an error. */
static int64_t
get_scaled(struct reader *r, int64_t v, int64_t scale)
{
	int64_t out = 0;

	if (__builtin_mul_overflow(v, scale, &out))
		r->p = NULL;
	return out;
}

static enum prof_status
read_entry(struct block *b, struct reader *r, struct prof_err *err)
{
	struct entry_column column[BLOCK_MAX_COLUMN];
	int64_t before = b->n_entry ? b->entry[b->n_entry - 1].time_ns
				    : b->day * BLOCK_DAY_NS;
	struct entry e = { .file = get32(r) };

	e.time_ns = units_add(before, get_signed(r));
	e.duration_ns = get_signed(r);
	e.build = get32(r);
	e.host = get32(r);
	e.labels = get32(r);
	e.part = get32(r);
	for (size_t k = 0; k < b->n_column; k++) {
		int64_t total = get_signed(r);

		column[k].samples = get_signed(r);
		column[k].scale = get_signed(r);
		column[k].total = get_scaled(r, total, column[k].scale);
		if (column[k].scale < 1)
			r->p = NULL;
	}
	return r->p ? block_add(b, &e, column, err) : damaged(err);
}

enum prof_status
block_read_meta(struct block *b, size_t n_entry, const void *meta, size_t n,
		size_t shared[BLOCK_MAX_COLUMN], struct prof_err *err)
{
	struct reader r = { meta, (const uint8_t *)meta + n };
	enum prof_status st = PROF_OK;

	if (!meta || b->n_column > BLOCK_MAX_COLUMN || n_entry > BLOCK_MAX ||
	    b->day > INT64_MAX / BLOCK_DAY_NS ||
	    b->day < INT64_MIN / BLOCK_DAY_NS)
		return damaged(err);
	for (size_t c = 0; c < b->n_column; c++) {
		shared[c] = get_varint(&r);
		if (!r.p || shared[c] > c || shared[shared[c]] != shared[c])
			return damaged(err);
	}
	while (st == PROF_OK && b->n_entry < n_entry)
		st = read_entry(b, &r, err);
	if (st == PROF_OK && r.p != r.end)
		st = damaged(err);
	return st;
}

enum prof_status
block_read_post(const struct block *b, size_t column, uint32_t fn,
		const void *data, size_t n,
		void (*visit)(void *ctx, const struct cell *c), void *ctx,
		struct prof_err *err)
{
	struct reader r = { data, (const uint8_t *)data + n };
	uint64_t pos = 0;

	while (r.p && r.p < r.end) {
		uint64_t head = get_varint(&r);
		struct cell c = { .fn = fn };
		int64_t scale;

		if (!r.p || head >> 1 >= BLOCK_MAX ||
		    (pos += head >> 1) >= b->n_entry)
			return damaged(err);
		c.pos = (uint32_t)pos;
		scale = scale_of(b, column, c.pos);
		c.flat = get_scaled(&r, get_signed(&r), scale);
		c.cum = head & 1 ? c.flat
				 : get_scaled(&r, get_signed(&r), scale);
		if (r.p)
			visit(ctx, &c);
	}
	return r.p ? PROF_OK : damaged(err);
}

enum prof_status
block_read_sums(size_t n_column, const void *data, size_t n,
		void (*visit)(void *ctx, const struct block_sum *s), void *ctx,
		struct prof_err *err)
{
	struct reader r;
	int64_t sum[2 * BLOCK_MAX_COLUMN];
	uint64_t fn = 0;

	if (!n) /* data may be NULL */
		return PROF_OK;
	r = (struct reader){ data, (const uint8_t *)data + n };
	while (r.p && r.p < r.end) {
		uint64_t left;

		fn += get32(&r);
		left = get_varint(&r);
		for (; r.p && left; left--) {
			struct block_sum s = { (uint32_t)fn, get32(&r), sum };

			for (size_t k = 0; k < 2 * n_column; k++)
				sum[k] = get_signed(&r);
			if (r.p && fn < UINT32_MAX)
				visit(ctx, &s);
		}
	}
	return r.p ? PROF_OK : damaged(err);
}
