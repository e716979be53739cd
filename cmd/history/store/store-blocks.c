/* store-blocks.c - blocks and posts in the cache; see store.h. */
#include "config.h"

#include "store-impl.h"

enum prof_status
store_blocks(struct store *s, int64_t from, int64_t to,
	     enum prof_status (*visit)(void *ctx, const struct store_block *b,
				       struct prof_err *err),
	     void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q =
		store_query(s, "select id, day, types, n, meta, sums from block"
			       " where day between ? and ? order by id");
	enum prof_status st = PROF_OK;
	int64_t last = 0;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, from);
	sqlite3_bind_int64(q, 2, to);
	while (st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
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

		st = b.id > last ? visit(ctx, &b, err)
				 : database_damaged(&s->d, err);
		last = b.id;
	}
	return store_end_query(s, q, code, st, err);
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
	return PROF_OK;
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
	sqlite3_stmt *q = store_query(s, "select fn, col, data from post "
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
	return store_finish(s, q, err);
}

static enum prof_status
put_block(struct store *s, struct block *b, const struct buf *meta,
	  const struct buf *sums, struct prof_err *err)
{
	sqlite3_stmt *q = store_statement(s, PUT_BLOCK);
	enum prof_status st;

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, b->id);
	sqlite3_bind_int64(q, 2, b->day);
	sqlite3_bind_int64(q, 3, b->types);
	sqlite3_bind_int64(q, 4, (int64_t)b->n_entry);
	sqlite3_bind_blob64(q, 5, meta->data, meta->n, SQLITE_STATIC);
	sqlite3_bind_blob64(q, 6, sums->data, sums->n, SQLITE_STATIC);
	st = store_finish(s, q, err);
	if (st == PROF_OK && !b->id)
		b->id = sqlite3_last_insert_rowid(s->d.db);
	return st;
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
		return b->id ? store_run_with(s, DROP_BLOCK, b->id, err)
			     : PROF_OK;
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
