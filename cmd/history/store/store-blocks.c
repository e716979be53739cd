/* store-blocks.c - blocks and posts in the cache; see store.h. */
#include "config.h"

#include "store-impl.h"

static uint32_t
sum_block(const struct store_block *b)
{
	uint32_t crc = store_sum_number(0, b->id);

	crc = store_sum_number(crc, b->day);
	crc = store_sum_number(crc, b->types);
	crc = store_sum_number(crc, (int64_t)b->n);
	crc = store_sum_bytes(crc, b->meta, b->n_meta);
	return store_sum_bytes(crc, b->sums, b->n_sums);
}

/* Call visit() for block id, which is there. */
static enum prof_status
visit_block(struct store *s, int64_t id,
	    enum prof_status (*visit)(void *ctx, const struct store_block *b,
				      struct prof_err *err),
	    void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q =
		store_query(s, "select id, day, types, n, meta, sums, crc "
			       "from block where id = ?");
	enum prof_status st;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, id);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW) {
		const struct store_block b = {
			.id = sqlite3_column_int64(q, 0),
			.day = sqlite3_column_int64(q, 1),
			.types = (uint32_t)sqlite3_column_int64(q, 2),
			.n = (size_t)sqlite3_column_int64(q, 3),
			.meta = sqlite3_column_blob(q, 4),
			.n_meta = (size_t)sqlite3_column_bytes(q, 4),
			.sums = sqlite3_column_blob(q, 5),
			.n_sums = (size_t)sqlite3_column_bytes(q, 5),
		};

		st = sum_block(&b) == sqlite3_column_int64(q, 6)
			     ? visit(ctx, &b, err)
			     : database_damaged(&s->d, err);
	} else {
		st = code == SQLITE_DONE ? database_damaged(&s->d, err)
					 : database_fail(&s->d, err);
	}
	sqlite3_finalize(q);
	return st;
}

/* Without an index of days: a damaged index would lose blocks. */
enum prof_status
store_blocks(struct store *s, int64_t from, int64_t to,
	     enum prof_status (*visit)(void *ctx, const struct store_block *b,
				       struct prof_err *err),
	     void *ctx, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < s->n_block && st == PROF_OK; i++)
		if (s->block[i].day >= from && s->block[i].day <= to)
			st = visit_block(s, s->block[i].id, visit, ctx, err);
	return st;
}

static uint32_t
sum_post(int64_t block, uint32_t fn, size_t column, const void *data, size_t n)
{
	uint32_t crc = store_sum_number(0, block);

	crc = store_sum_number(store_sum_number(crc, fn), (int64_t)column);
	return store_sum_bytes(crc, data, n);
}

enum prof_status
store_post(struct store *s, int64_t block, uint32_t fn, size_t column,
	   const void **data, size_t *n, struct prof_err *err)
{
	sqlite3_stmt *q = store_statement(s, POST);
	int code;

	*data = NULL;
	*n = 0;
	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, block);
	sqlite3_bind_int64(q, 2, fn);
	sqlite3_bind_int64(q, 3, (int64_t)column);
	code = sqlite3_step(q);
	if (code == SQLITE_DONE)
		return PROF_OK;
	if (code != SQLITE_ROW)
		return database_fail(&s->d, err);
	*data = sqlite3_column_blob(q, 0);
	*n = *data ? (size_t)sqlite3_column_bytes(q, 0) : 0;
	return sum_post(block, fn, column, *data, *n) ==
			       sqlite3_column_int64(q, 1)
		       ? PROF_OK
		       : database_damaged(&s->d, err);
}

void
store_post_done(struct store *s)
{
	sqlite3_reset(s->statement[POST]);
}

enum prof_status
store_posts(struct store *s, int64_t block,
	    enum prof_status (*visit)(void *ctx, uint32_t fn, size_t column,
				      const void *data, size_t n,
				      struct prof_err *err),
	    void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q = store_query(s, "select fn, col, data, crc from post "
					 "where block = ? order by fn, col");
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, block);
	while (st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
		uint32_t fn = (uint32_t)sqlite3_column_int64(q, 0);
		size_t column = (size_t)sqlite3_column_int64(q, 1);
		const void *data = sqlite3_column_blob(q, 2);
		size_t n = data ? (size_t)sqlite3_column_bytes(q, 2) : 0;

		if (!n || sum_post(block, fn, column, data, n) !=
				  sqlite3_column_int64(q, 3))
			st = database_damaged(&s->d, err);
		else if (visit)
			st = visit(ctx, fn, column, data, n, err);
	}
	return store_end_query(s, q, code, st, err);
}

static enum prof_status
put_post(void *ctx, uint32_t fn, size_t column, const struct buf *data,
	 struct prof_err *err)
{
	struct store *s = ctx;
	sqlite3_stmt *q = store_statement(s, PUT_POST);

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, s->putting);
	sqlite3_bind_int64(q, 2, fn);
	sqlite3_bind_int64(q, 3, (int64_t)column);
	sqlite3_bind_blob64(q, 4, data->data, data->n, SQLITE_STATIC);
	sqlite3_bind_int64(
		q, 5, sum_post(s->putting, fn, column, data->data, data->n));
	return store_finish(s, q, err);
}

static enum prof_status
put_block(struct store *s, struct block *b, const struct buf *meta,
	  const struct buf *sums, struct prof_err *err)
{
	const struct store_block row = { .id = b->id,
					 .day = b->day,
					 .types = b->types,
					 .n = b->n_entry,
					 .meta = meta->data,
					 .sums = sums->data,
					 .n_meta = meta->n,
					 .n_sums = sums->n };
	sqlite3_stmt *q = store_statement(s, PUT_BLOCK);
	enum prof_status st;

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, row.id);
	sqlite3_bind_int64(q, 2, row.day);
	sqlite3_bind_int64(q, 3, row.types);
	sqlite3_bind_int64(q, 4, (int64_t)row.n);
	sqlite3_bind_blob64(q, 5, row.meta, row.n_meta, SQLITE_STATIC);
	sqlite3_bind_blob64(q, 6, row.sums, row.n_sums, SQLITE_STATIC);
	sqlite3_bind_int64(q, 7, sum_block(&row));
	st = store_finish(s, q, err);
	if (st == PROF_OK && !b->id) {
		b->id = sqlite3_last_insert_rowid(s->d.db);
		st = store_list_block(s, b->id, b->day, err);
	}
	return st;
}

static enum prof_status
drop_block(struct store *s, int64_t id, struct prof_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_block; i++)
		if (s->block[i].id != id)
			s->block[n++] = s->block[i];
	s->n_block = n;
	return store_run_with(s, DROP_BLOCK, id, err);
}

enum prof_status
store_put_block(struct store *s, struct block *b, struct prof_err *err)
{
	const struct block_sink sink = { put_post, s };
	struct buf meta = { 0 }, sums = { 0 };
	enum prof_status st = PROF_OK;

	if (b->id)
		st = store_run_with(s, DROP_POSTS, b->id, err);
	if (st == PROF_OK && !b->n_entry)
		return b->id ? drop_block(s, b->id, err) : PROF_OK;
	/* A row without bytes, for the number that the posts need. */
	if (st == PROF_OK && !b->id)
		st = put_block(s, b, &meta, &sums, err);
	s->putting = b->id;
	if (st == PROF_OK)
		st = block_write(b, &sink, &meta, &sums, err);
	if (st == PROF_OK)
		st = put_block(s, b, &meta, &sums, err);
	buf_release(&meta);
	buf_release(&sums);
	return st;
}

/* --- looking for damage --- */

static enum prof_status
check_block(void *ctx, const struct store_block *b, struct prof_err *err)
{
	return store_posts(ctx, b->id, NULL, NULL, err);
}

enum prof_status
store_check(struct store *s, struct prof_err *err)
{
	enum prof_status st = database_check(&s->d, err);

	return st == PROF_OK ? store_blocks(s, INT64_MIN, INT64_MAX,
					    check_block, s, err)
			     : st;
}
