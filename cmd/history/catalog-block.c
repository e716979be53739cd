/* catalog-block.c - see catalog-block.h. */
#include "config.h"

#include "catalog-block.h"

#include <stdlib.h>

#include "lib/base/array.h"

struct loading {
	struct catalog *a;
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

/* A visitor of blocks, of which it reads one: the entries. */
static enum prof_status
load_row(void *ctx, const struct store_block *s, struct prof_err *err)
{
	struct loading *l = ctx;

	if (s->id != l->id)
		return PROF_OK;
	return catalog_read_meta(l->a, s, l->b, l->shared, err);
}

static enum prof_status
load_post(void *ctx, uint32_t fn, size_t column, const void *data, size_t n,
	  struct prof_err *err)
{
	struct loading *l = ctx;
	enum prof_status st = PROF_OK;

	if (fn >= l->a->functions.t.n_str)
		return prof_fail(err, PROF_EFORMAT, "damaged");
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
catalog_load_block(struct catalog *a, int64_t id, int64_t day, struct block *b,
		   struct prof_err *err)
{
	struct loading l = { .a = a, .id = id, .b = b };
	enum prof_status st =
		store_blocks(a->store, day, day, load_row, &l, err);

	if (st == PROF_OK)
		st = store_posts(a->store, id, load_post, &l, err);
	return st;
}
