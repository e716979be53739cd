/*
 * block.c - any bytes as a block of the cache of prof-history: its entries, a
 * post and the sums. The first four bytes are the numbers of columns and of
 * entries, and the sizes of the entries and of the post.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "history/store/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
take_cell(void *ctx, const struct cell *c)
{
	const struct block *b = ctx;

	if (c->pos >= b->n_entry)
		abort();
}

static void
take_sum(void *ctx, const struct block_sum *s)
{
	const size_t *n_column = ctx;
	int64_t seen = 0;

	for (size_t i = 0; i < 2 * *n_column; i++)
		seen ^= s->sum[i];
	if (seen && s->fn == UINT32_MAX && s->build == UINT32_MAX)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct block b = { .day = 20000 };
	size_t shared[BLOCK_MAX_COLUMN], n_entry, n_meta, n_post;
	const uint8_t *rest = data + 4;
	struct prof_err err;

	if (n < 4)
		return 0;
	n -= 4;
	b.n_column = 1 + data[0] % BLOCK_MAX_COLUMN;
	n_entry = data[1];
	n_meta = data[2] < n ? data[2] : n;
	n_post = data[3] < n - n_meta ? data[3] : n - n_meta;
	if (block_read_meta(&b, n_entry, rest, n_meta, shared, &err) ==
	    PROF_OK) {
		if (b.n_entry != n_entry)
			abort();
		for (size_t c = 0; c < b.n_column; c++)
			if (shared[c] > c ||
			    (block_read_post(&b, c, 7, rest + n_meta, n_post,
					     take_cell, &b, &err) != PROF_OK &&
			     !err.msg[0]))
				abort();
	}
	if (block_read_sums(b.n_column, rest + n_meta + n_post,
			    n - n_meta - n_post, take_sum, &b.n_column,
			    &err) != PROF_OK &&
	    !err.msg[0])
		abort();
	block_release(&b);
	return 0;
}
