/* load.c - see load.h. */
#include "config.h"

#include "load.h"

#include <stdlib.h>

#include "lib/base/array.h"

struct loading {
	struct archive *a;
	int64_t id;
	struct block *b;
	size_t shared[BLOCK_MAX_COLUMN];
	enum prof_status st; /* result of load_cell() */
	size_t column;
};

static void
load_cell(void *ctx, const struct cell *c)
{
	struct loading *l = ctx;
	struct cells *x = &l->b->cells[l->column];

	if (array_reserve(&x->cell, &x->cap, x->n + 1, sizeof(*x->cell)) < 0)
		l->st = PROF_ENOMEM;
	else
		x->cell[x->n++] = *c;
}

/* A sum as a cell of each column: of the group of its build. */
static void
load_sum(void *ctx, const struct block_sum *s)
{
	struct loading *l = ctx;
	const struct groups *g = &l->b->groups;
	struct cell c = { .fn = s->fn };

	while (c.pos < g->n && g->group[c.pos].build != s->build)
		c.pos++;
	if (c.pos == g->n)
		l->st = PROF_EFORMAT;
	for (l->column = 0; l->column < l->b->n_column && l->st == PROF_OK;
	     l->column++) {
		c.flat = s->sum[2 * l->column];
		c.cum = s->sum[2 * l->column + 1];
		if (c.flat || c.cum)
			load_cell(l, &c);
	}
}

/* A visitor of blocks, of which it reads one: the entries, and with DETAIL_NONE
 * the cells. */
static enum prof_status
load_row(void *ctx, const struct store_block *s, struct prof_err *err)
{
	struct loading *l = ctx;
	enum prof_status st;

	if (s->id != l->id)
		return PROF_OK;
	st = archive_read_meta(l->a, s, l->b, l->shared, err);
	if (st == PROF_OK && l->b->groups.detail == DETAIL_NONE)
		st = block_read_sums(l->b->n_column, s->sums, s->n_sums,
				     load_sum, l, err);
	if (st == PROF_OK && l->st != PROF_OK)
		st = l->st == PROF_ENOMEM ? prof_nomem(err)
					  : prof_fail(err, l->st, "damaged");
	return st;
}

static enum prof_status
load_post(void *ctx, uint32_t fn, size_t column, const void *data, size_t n,
	  struct prof_err *err)
{
	struct loading *l = ctx;
	enum prof_status st = PROF_OK;

	for (size_t c = column; c < l->b->n_column && st == PROF_OK; c++) {
		if (l->shared[c] != column)
			continue;
		l->column = c;
		st = block_read_post(l->b, c, fn, data, n, load_cell, l, err);
		if (st == PROF_OK && l->st != PROF_OK)
			st = prof_nomem(err);
	}
	return st;
}

enum prof_status
load_block(struct archive *a, int64_t id, int64_t day, struct block *b,
	   struct prof_err *err)
{
	struct loading l = { .a = a, .id = id, .b = b };
	enum prof_status st =
		store_blocks(a->store, day, day, load_row, &l, err);

	if (st == PROF_OK && b->groups.detail != DETAIL_NONE)
		st = store_posts(a->store, id, load_post, &l, err);
	return st;
}

/* --- less detail --- */

struct listing {
	struct {
		int64_t id, day;
	} * block;
	size_t n, cap;
};

static enum prof_status
list_block(void *ctx, const struct store_block *s, struct prof_err *err)
{
	struct listing *l = ctx;

	if (array_reserve(&l->block, &l->cap, l->n + 1, sizeof(*l->block)) < 0)
		return prof_nomem(err);
	l->block[l->n].id = s->id;
	l->block[l->n++].day = s->day;
	return PROF_OK;
}

enum prof_status
load_coarsen(struct archive *a, enum detail detail, struct prof_err *err)
{
	struct listing l = { 0 };
	enum prof_status st = store_begin(a->store, err);

	if (st == PROF_OK)
		st = store_blocks(a->store, INT64_MIN, INT64_MAX, list_block,
				  &l, err);
	for (size_t i = 0; i < l.n && st == PROF_OK; i++) {
		struct block b = { 0 };

		st = load_block(a, l.block[i].id, l.block[i].day, &b, err);
		if (st == PROF_OK)
			st = block_coarsen(&b, detail, err);
		if (st == PROF_OK)
			st = store_put_block(a->store, &b, err);
		block_release(&b);
	}
	free(l.block);
	if (st == PROF_OK)
		st = store_set_detail(a->store, detail, err);
	if (st == PROF_OK)
		st = store_commit(a->store, err);
	if (st == PROF_OK)
		store_shrink(a->store);
	return st;
}

/* --- files to be read again --- */

enum prof_status
lose_block(struct lost *x, struct archive *a, struct block *b, size_t n_id,
	   struct prof_err *err)
{
	if (!x->is) {
		x->is = calloc(n_id + 1, 1);
		x->n_id = n_id;
		if (!x->is)
			return prof_nomem(err);
	}
	for (size_t i = 0; i < b->n_entry; i++) {
		uint32_t id = b->entry[i].file;

		if (!id || id >= x->n_id)
			continue;
		x->n += !x->is[id];
		x->n_entry++;
		x->is[id] = 1;
	}
	b->n_entry = 0;
	return store_put_block(a->store, b, err);
}

struct losing {
	const struct lost *x;
	struct archive *a;
	int64_t id, day; /* of a block with entries of a lost file; 0: none */
};

static enum prof_status
find_lost(void *ctx, const struct store_block *s, struct prof_err *err)
{
	struct losing *l = ctx;
	struct block b = { 0 };
	size_t shared[BLOCK_MAX_COLUMN];
	enum prof_status st = archive_read_meta(l->a, s, &b, shared, err);

	for (size_t i = 0; i < b.n_entry && st == PROF_OK; i++) {
		uint32_t id = b.entry[i].file;

		if (id >= l->x->n_id)
			st = prof_fail(err, PROF_EFORMAT, "damaged");
		else if (l->x->is[id]) {
			l->id = s->id;
			l->day = s->day;
		}
	}
	block_release(&b);
	return st;
}

enum prof_status
lose_files(struct lost *x, struct archive *a, struct prof_err *err)
{
	struct losing l = { .x = x, .a = a };
	enum prof_status st;

	do {
		struct block b = { 0 };

		l.id = 0;
		st = store_blocks(a->store, INT64_MIN, INT64_MAX, find_lost, &l,
				  err);
		if (st == PROF_OK && l.id)
			st = load_block(a, l.id, l.day, &b, err);
		if (st == PROF_OK && l.id)
			st = lose_block(x, a, &b, x->n_id, err);
		block_release(&b);
	} while (st == PROF_OK && l.id);
	for (uint32_t id = 0; id < x->n_id && st == PROF_OK; id++)
		if (x->is[id])
			st = store_drop_file(a->store, id, err);
	return st;
}
