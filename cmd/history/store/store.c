/* store.c - see store.h. */
#include "config.h"

#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/wire/compress.h"
#include "store-impl.h"

static const struct database_schema schema = {
	.version = 3,
	.application_id = 0x70726f00, /* "pro" */
	.n_kind = N_DETAIL,
	.sql = "create table file(id integer primary key,"
	       " path blob not null unique, size int, mtime int, inode int,"
	       " why text, crc int);"
	       "create table word(id integer primary key, text blob not null,"
	       " crc int);"
	       "create table fn(id integer primary key, name blob not null,"
	       " crc int);"
	       "create table block(id integer primary key, day int, types int,"
	       " n int, meta blob, sums blob, crc int);"
	       "create table post(block int, fn int, col int, data blob,"
	       " crc int, primary key(block, fn, col)) without rowid;"
	       "create table total(id integer primary key, files int,"
	       " words int, fns int, blocks int, detail int, crc int);",
};

static const char *const statements[N_STATEMENT] = {
	"insert into file values(?, ?, ?, ?, ?, ?, ?)",
	"delete from file where id = ?",
	"insert into word values(?, ?, ?)",
	"insert into fn values(?, ?, ?)",
	"insert or replace into block values(nullif(?, 0), ?, ?, ?, ?, ?, ?)",
	"delete from block where id = ?",
	"delete from post where block = ?",
	"insert into post values(?, ?, ?, ?, ?)",
	"select data, crc from post where block = ? and fn = ? and col = ?",
	"insert or replace into total values(0, ?, ?, ?, ?, ?, ?)",
};

void
store_close(struct store *s)
{
	if (!s)
		return;
	for (int i = 0; i < N_STATEMENT; i++)
		sqlite3_finalize(s->statement[i]);
	database_close(&s->d);
	free(s->block);
	free(s);
}

enum detail
store_detail(const struct store *s)
{
	return (enum detail)s->d.kind;
}

enum prof_status
store_set_detail(struct store *s, enum detail detail, struct prof_err *err)
{
	return database_set_kind(&s->d, (int)detail, &schema, err);
}

void
store_shrink(struct store *s)
{
	struct prof_err why;

	if (database_run(&s->d, "vacuum", &why) != PROF_OK)
		return;
}

enum prof_status
store_begin(struct store *s, struct prof_err *err)
{
	return database_run(&s->d, "begin immediate", err);
}

enum prof_status
store_share(struct store *s, bool *is_same, struct prof_err *err)
{
	return database_share(&s->d, is_same, err);
}

/* --- checksums --- */

/* Add a number and bytes to the checksum of a row. */
uint32_t
store_sum_number(uint32_t crc, int64_t v)
{
	unsigned char byte[8];

	for (int i = 0; i < 8; i++)
		byte[i] = (unsigned char)((uint64_t)v >> 8 * i);
	return gzip_crc32(crc, byte, sizeof(byte));
}

uint32_t
store_sum_bytes(uint32_t crc, const void *data, size_t n)
{
	crc = store_sum_number(crc, (int64_t)n);
	return n ? gzip_crc32(crc, data, n) : crc;
}

/* --- rows --- */

sqlite3_stmt *
store_statement(struct store *s, int which)
{
	sqlite3_stmt **at = &s->statement[which];

	if (!*at && sqlite3_prepare_v3(s->d.db, statements[which], -1,
				       SQLITE_PREPARE_PERSISTENT, at,
				       NULL) != SQLITE_OK)
		return NULL;
	return *at;
}

/* Run a statement that returns no rows. */
enum prof_status
store_finish(struct store *s, sqlite3_stmt *q, struct prof_err *err)
{
	int code = sqlite3_step(q);

	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return code == SQLITE_DONE ? PROF_OK : database_fail(&s->d, err);
}

enum prof_status
store_run_with(struct store *s, int which, int64_t id, struct prof_err *err)
{
	sqlite3_stmt *q = store_statement(s, which);

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, id);
	return store_finish(s, q, err);
}

/* Prepare a query that runs once. */
sqlite3_stmt *
store_query(struct store *s, const char *sql)
{
	sqlite3_stmt *q;

	return sqlite3_prepare_v2(s->d.db, sql, -1, &q, NULL) == SQLITE_OK
		       ? q
		       : NULL;
}

enum prof_status
store_end_query(struct store *s, sqlite3_stmt *q, int code, enum prof_status st,
		struct prof_err *err)
{
	if (st == PROF_OK && code != SQLITE_DONE)
		st = database_fail(&s->d, err);
	sqlite3_finalize(q);
	return st;
}

/* --- totals --- */

static uint32_t
sum_totals(const int64_t total[N_TOTAL])
{
	uint32_t crc = 0;

	for (int i = 0; i < N_TOTAL; i++)
		crc = store_sum_number(crc, total[i]);
	return crc;
}

/* The totals that the last commit wrote; zeros in a new database. */
static enum prof_status
load_totals(struct store *s, struct prof_err *err)
{
	sqlite3_stmt *q = store_query(
		s, "select files, words, fns, blocks, detail, crc from total");
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	while (st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
		for (int i = 0; i < N_TOTAL; i++)
			s->total[i] = sqlite3_column_int64(q, i);
		if (sum_totals(s->total) != sqlite3_column_int64(q, N_TOTAL) ||
		    s->total[DETAIL] != s->d.kind)
			st = database_damaged(&s->d, err);
	}
	return store_end_query(s, q, code, st, err);
}

/* Has the table as many rows as its total says? */
static enum prof_status
check_total(const struct store *s, int which, size_t n, struct prof_err *err)
{
	return s->total[which] == (int64_t)n ? PROF_OK
					     : database_damaged(&s->d, err);
}

enum prof_status
store_list_block(struct store *s, int64_t id, int64_t day, struct prof_err *err)
{
	if (array_reserve(&s->block, &s->cap_block, s->n_block + 1,
			  sizeof(*s->block)) < 0)
		return prof_nomem(err);
	s->block[s->n_block++] = (struct listed){ id, day };
	return PROF_OK;
}

static enum prof_status
load_blocks(struct store *s, struct prof_err *err)
{
	sqlite3_stmt *q =
		store_query(s, "select id, day from block order by id");
	enum prof_status st = PROF_OK;
	int64_t last = 0;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	while (st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(q, 0);

		st = id > last ? store_list_block(
					 s, id, sqlite3_column_int64(q, 1), err)
			       : database_damaged(&s->d, err);
		last = id;
	}
	st = store_end_query(s, q, code, st, err);
	return st == PROF_OK ? check_total(s, BLOCKS, s->n_block, err) : st;
}

enum prof_status
store_open(struct store **out, const struct database_place *place, bool is_new,
	   int detail, bool *was_damaged, struct prof_err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	enum prof_status st;

	*out = NULL;
	*was_damaged = false;
	if (!s)
		return prof_nomem(err);
	s->d.lock_fd = -1;
	st = database_open(&s->d, place, is_new, detail, &schema, was_damaged,
			   err);
	if (st == PROF_OK)
		st = load_totals(s, err);
	if (st == PROF_OK)
		st = load_blocks(s, err);
	if (st == PROF_OK)
		*out = s;
	else
		store_close(s);
	return st;
}

/* Write how many rows there are. */
static enum prof_status
put_totals(struct store *s, struct prof_err *err)
{
	sqlite3_stmt *q = store_query(s, "select (select count(*) from file),"
					 " (select count(*) from word),"
					 " (select count(*) from fn),"
					 " (select count(*) from block)");
	int64_t total[N_TOTAL] = { [DETAIL] = s->d.kind };
	int code;

	if (!q)
		return database_fail(&s->d, err);
	code = sqlite3_step(q);
	for (int i = 0; i < DETAIL && code == SQLITE_ROW; i++)
		total[i] = sqlite3_column_int64(q, i);
	sqlite3_finalize(q);
	if (code != SQLITE_ROW || !(q = store_statement(s, PUT_TOTAL)))
		return database_fail(&s->d, err);
	for (int i = 0; i < N_TOTAL; i++)
		sqlite3_bind_int64(q, i + 1, total[i]);
	sqlite3_bind_int64(q, N_TOTAL + 1, sum_totals(total));
	memcpy(s->total, total, sizeof(total));
	return store_finish(s, q, err);
}

enum prof_status
store_commit(struct store *s, struct prof_err *err)
{
	enum prof_status st = put_totals(s, err);

	return st == PROF_OK ? database_run(&s->d, "commit", err) : st;
}

/* --- names --- */

static uint32_t
sum_name(uint32_t id, const void *text, size_t n)
{
	return store_sum_bytes(store_sum_number(0, id), text, n);
}

static enum prof_status
load_names(struct store *s, int which, const char *sql, struct names *x,
	   struct prof_err *err)
{
	sqlite3_stmt *q = store_query(s, sql);
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		const char *text = sqlite3_column_blob(q, 1);
		size_t n = (size_t)sqlite3_column_bytes(q, 1);
		uint32_t i = strtab_add(&x->t, text ? text : "", n);

		if (i == STRTAB_NONE)
			st = prof_nomem(err);
		else if (sqlite3_column_int64(q, 0) != i ||
			 sqlite3_column_int64(q, 2) != sum_name(i, text, n))
			st = database_damaged(&s->d, err);
		if (st != PROF_OK)
			break;
	}
	x->n_stored = x->t.n_str;
	st = store_end_query(s, q, code, st, err);
	return st == PROF_OK ? check_total(s, which, x->t.n_str - 1, err) : st;
}

enum prof_status
store_functions(struct store *s, struct names *x, struct prof_err *err)
{
	return load_names(s, FNS, "select id, name, crc from fn order by id", x,
			  err);
}

enum prof_status
store_words(struct store *s, struct names *x, struct prof_err *err)
{
	return load_names(s, WORDS,
			  "select id, text, crc from word order by id", x, err);
}

static enum prof_status
put_names(struct store *s, int which, struct names *x, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (; st == PROF_OK && x->n_stored < x->t.n_str; x->n_stored++) {
		const struct str *text = &x->t.str[x->n_stored];
		sqlite3_stmt *q = store_statement(s, which);

		if (!q)
			return database_fail(&s->d, err);
		sqlite3_bind_int64(q, 1, (int64_t)x->n_stored);
		sqlite3_bind_blob64(q, 2, text->s, text->len, SQLITE_STATIC);
		sqlite3_bind_int64(
			q, 3,
			sum_name((uint32_t)x->n_stored, text->s, text->len));
		st = store_finish(s, q, err);
	}
	return st;
}

enum prof_status
store_put_names(struct store *s, struct names *functions, struct names *words,
		struct prof_err *err)
{
	enum prof_status st = put_names(s, PUT_FN, functions, err);

	return st == PROF_OK ? put_names(s, PUT_WORD, words, err) : st;
}

static uint32_t
sum_file(const struct store_file *f)
{
	uint32_t crc = store_sum_number(0, f->id);

	crc = store_sum_bytes(crc, f->path, strlen(f->path));
	crc = store_sum_number(crc, f->size);
	crc = store_sum_number(crc, f->mtime_ns);
	crc = store_sum_number(crc, f->inode);
	return f->why ? store_sum_bytes(crc, f->why, strlen(f->why)) : crc;
}

/* Read the file of a row. Its strings are the caller's; none is NULL. */
static enum prof_status
take_file(struct store *s, sqlite3_stmt *q, struct store_file *f,
	  struct prof_err *err)
{
	const char *path = sqlite3_column_blob(q, 1);
	size_t n = (size_t)sqlite3_column_bytes(q, 1);
	const char *why = (const char *)sqlite3_column_text(q, 5);
	enum prof_status st = PROF_OK;

	*f = (struct store_file){
		.id = (uint32_t)sqlite3_column_int64(q, 0),
		.path = strndup(path ? path : "", n),
		.why = why ? strdup(why) : NULL,
		.size = sqlite3_column_int64(q, 2),
		.mtime_ns = sqlite3_column_int64(q, 3),
		.inode = sqlite3_column_int64(q, 4),
	};
	if (!f->path || (why && !f->why))
		st = prof_nomem(err);
	else if (sum_file(f) != sqlite3_column_int64(q, 6))
		st = database_damaged(&s->d, err);
	if (st == PROF_OK)
		return PROF_OK;
	free(f->path);
	free(f->why);
	return st;
}

enum prof_status
store_files(struct store *s,
	    enum prof_status (*visit)(void *ctx, struct store_file *f,
				      struct prof_err *err),
	    void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q =
		store_query(s, "select id, path, size, mtime, inode, why, crc "
			       "from file order by path");
	enum prof_status st = PROF_OK;
	struct store_file f;
	size_t n = 0;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	for (; st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW; n++) {
		st = take_file(s, q, &f, err);
		if (st == PROF_OK)
			st = visit(ctx, &f, err);
	}
	st = store_end_query(s, q, code, st, err);
	return st == PROF_OK ? check_total(s, FILES, n, err) : st;
}

enum prof_status
store_put_file(struct store *s, const struct store_file *f,
	       struct prof_err *err)
{
	sqlite3_stmt *q = store_statement(s, PUT_FILE);

	if (!q)
		return database_fail(&s->d, err);
	sqlite3_bind_int64(q, 1, f->id);
	sqlite3_bind_blob64(q, 2, f->path, strlen(f->path), SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, f->size);
	sqlite3_bind_int64(q, 4, f->mtime_ns);
	sqlite3_bind_int64(q, 5, f->inode);
	if (f->why)
		sqlite3_bind_text(q, 6, f->why, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 7, sum_file(f));
	return store_finish(s, q, err);
}

enum prof_status
store_drop_file(struct store *s, uint32_t id, struct prof_err *err)
{
	return store_run_with(s, DROP_FILE, id, err);
}
