/* store.c - see store.h. */
#include "config.h"

#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "store-impl.h"

static const struct database_schema schema = {
	.version = 7,
	.application_id = 0x70726f00, /* "pro" */
	.sql = "create table file(id integer primary key,"
	       " path blob not null unique, size int, mtime int, inode int,"
	       " why text);"
	       "create table word(id integer primary key, text blob not null);"
	       "create table fn(id integer primary key, name blob not null);"
	       "create table block(id integer primary key, day int, types int,"
	       " n int, meta blob, sums blob);"
	       "create table post(block int, fn int, col int, data blob,"
	       " primary key(block, fn, col)) without rowid;",
};

static const char *const statements[N_STATEMENT] = {
	"insert into file values(?, ?, ?, ?, ?, ?)",
	"delete from file where id = ?",
	"insert into word values(?, ?)",
	"insert into fn values(?, ?)",
	"insert or replace into block values(nullif(?, 0), ?, ?, ?, ?, ?)",
	"delete from block where id = ?",
	"delete from post where block = ?",
	"insert into post values(?, ?, ?, ?)",
	"select data from post where block = ? and fn = ? and col = ?",
};

void
store_close(struct store *s)
{
	if (!s)
		return;
	for (int i = 0; i < N_STATEMENT; i++)
		sqlite3_finalize(s->statement[i]);
	database_close(&s->d);
	free(s);
}

enum prof_status
store_begin(struct store *s, struct prof_err *err)
{
	return database_run(&s->d, "begin", err);
}

enum prof_status
store_commit(struct store *s, struct prof_err *err)
{
	return database_run(&s->d, "commit", err);
}

enum prof_status
store_share(struct store *s, struct prof_err *err)
{
	return database_share(&s->d, err);
}

/* --- rows --- */

sqlite3_stmt *
store_statement(struct store *s, int which)
{
	sqlite3_stmt **at = &s->statement[which];

	database_budget(&s->d);

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

	database_budget(&s->d);
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

enum prof_status
store_open(struct store **out, const struct database_place *place, bool is_new,
	   bool *was_damaged, struct prof_err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	enum prof_status st;

	*out = NULL;
	*was_damaged = false;
	if (!s)
		return prof_nomem(err);
	s->d.lock_fd = -1;
	st = database_open(&s->d, place, is_new, &schema, was_damaged, err);
	if (st == PROF_OK)
		*out = s;
	else
		store_close(s);
	return st;
}

/* --- names --- */

static enum prof_status
load_names(struct store *s, const char *sql, struct names *x,
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
		else if (sqlite3_column_int64(q, 0) != i)
			st = database_damaged(&s->d, err);
		if (st != PROF_OK)
			break;
	}
	x->n_stored = x->t.n_str;
	return store_end_query(s, q, code, st, err);
}

enum prof_status
store_functions(struct store *s, struct names *x, struct prof_err *err)
{
	return load_names(s, "select id, name from fn order by id", x, err);
}

enum prof_status
store_words(struct store *s, struct names *x, struct prof_err *err)
{
	return load_names(s, "select id, text from word order by id", x, err);
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

/* Read the file of a row. Its strings are the caller's; none is NULL. */
static enum prof_status
read_file(struct store *s, sqlite3_stmt *q, struct store_file *f,
	  struct prof_err *err)
{
	const char *path = sqlite3_column_blob(q, 1);
	size_t n = (size_t)sqlite3_column_bytes(q, 1);
	const char *why = (const char *)sqlite3_column_text(q, 5);
	int64_t id = sqlite3_column_int64(q, 0);

	if (id < 1 || id >= UINT32_MAX)
		return database_damaged(&s->d, err);
	*f = (struct store_file){
		.id = (uint32_t)id,
		.path = strndup(path ? path : "", n),
		.why = why ? strdup(why) : NULL,
		.size = sqlite3_column_int64(q, 2),
		.mtime_ns = sqlite3_column_int64(q, 3),
		.inode = sqlite3_column_int64(q, 4),
	};
	if (f->path && (!why || f->why))
		return PROF_OK;
	free(f->path);
	free(f->why);
	return prof_nomem(err);
}

enum prof_status
store_files(struct store *s,
	    enum prof_status (*visit)(void *ctx, struct store_file *f,
				      struct prof_err *err),
	    void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q =
		store_query(s, "select id, path, size, mtime, inode, why "
			       "from file order by path");
	enum prof_status st = PROF_OK;
	struct store_file f;
	int code;

	if (!q)
		return database_fail(&s->d, err);
	while (st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
		st = read_file(s, q, &f, err);
		if (st == PROF_OK)
			st = visit(ctx, &f, err);
	}
	return store_end_query(s, q, code, st, err);
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
	return store_finish(s, q, err);
}

enum prof_status
store_drop_file(struct store *s, uint32_t id, struct prof_err *err)
{
	return store_run_with(s, DROP_FILE, id, err);
}
