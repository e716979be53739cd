/* store.c - see store.h. */
#include "config.h"

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SCHEMA_VERSION 1 /* of the schema: PRAGMA user_version */

static const char schema[] =
	"create table file(id integer primary key, path blob not null unique,"
	" size int, mtime int, inode int, why text);"
	"create table word(id integer primary key, text blob not null);"
	"create table fn(id integer primary key, name blob not null);"
	"create table block(id integer primary key, day int, types int, n int,"
	" meta blob, sums blob);"
	"create index by_day on block(day, id);"
	"create table post(block int, fn int, col int, data blob,"
	" primary key(block, fn, col)) without rowid;";

enum {
	PUT_FILE,
	DROP_FILE,
	PUT_WORD,
	PUT_FN,
	PUT_BLOCK,
	DROP_BLOCK,
	DROP_POSTS,
	PUT_POST,
	POST,
	N_STATEMENT
};

static const char *const statements[N_STATEMENT] = {
	"insert into file values(nullif(?, 0), ?, ?, ?, ?, ?)",
	"delete from file where id = ?",
	"insert into word values(?, ?)",
	"insert into fn values(?, ?)",
	"insert or replace into block values(nullif(?, 0), ?, ?, ?, ?, ?)",
	"delete from block where id = ?",
	"delete from post where block = ?",
	"insert into post values(?, ?, ?, ?)",
	"select data from post where block = ? and fn = ? and col = ?",
};

struct store {
	sqlite3 *db;
	sqlite3_stmt *statement[N_STATEMENT]; /* made when needed */
	char *path;
	int lock_fd;     /* -1: in memory */
	int64_t putting; /* block whose posts are written */
};

static enum prof_status
fail(const struct store *s, struct prof_err *err)
{
	int code = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;

	switch (code) {
	case SQLITE_NOMEM:
		return prof_nomem(err);
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_TOOBIG:
		return prof_fail(err, PROF_EIO, "%s: %s",
				 s->path ? s->path : "index",
				 sqlite3_errmsg(s->db));
	}
	return prof_fail(err, PROF_EFORMAT, "%s: %s",
			 s->path ? s->path : "index", sqlite3_errmsg(s->db));
}

static enum prof_status
run(struct store *s, const char *sql, struct prof_err *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? PROF_OK
		       : fail(s, err);
}

/* --- opening --- */

static void
close_database(struct store *s)
{
	for (int i = 0; i < N_STATEMENT; i++) {
		sqlite3_finalize(s->statement[i]);
		s->statement[i] = NULL;
	}
	sqlite3_close(s->db);
	s->db = NULL;
}

void
store_close(struct store *s)
{
	if (!s)
		return;
	close_database(s);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s->path);
	free(s);
}

static int
take_version(void *ctx, int n, char **value, char **name)
{
	(void)name;
	*(int *)ctx = n && value[0] ? atoi(value[0]) : -1;
	return 0;
}

/*
 * Open what is at the path. What is in the database runs nothing of SQLite's,
 * and a page that contradicts itself is an error.
 */
static enum prof_status
open_database(struct store *s, int *version, struct prof_err *err)
{
	const char *name = s->path ? s->path : ":memory:";

	*version = -1;
	if (sqlite3_open_v2(name, &s->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOFOLLOW,
			    NULL) != SQLITE_OK)
		return fail(s, err);
	sqlite3_extended_result_codes(s->db, 0);
	sqlite3_busy_timeout(s->db, 60000);
	if (sqlite3_exec(s->db,
			 "pragma trusted_schema = off;"
			 "pragma cell_size_check = on;"
			 "pragma cache_size = -65536;",
			 NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(s->db, "pragma user_version", take_version, version,
			 NULL) != SQLITE_OK)
		return fail(s, err);
	return PROF_OK;
}

/* Remove the database, with the journal, which would be played into the next.
 */
static enum prof_status
remove_database(struct store *s, struct prof_err *err)
{
	static const char *const end[] = { "-journal", "-wal", "-shm", "" };
	char path[4096];

	close_database(s);
	for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++) {
		snprintf(path, sizeof(path), "%s%s", s->path, end[i]);
		if (unlink(path) < 0 && errno != ENOENT)
			return prof_fail(err, PROF_EIO, "%s: %s", path,
					 strerror(errno));
	}
	return PROF_OK;
}

static enum prof_status
take_lock(struct store *s, const char *dir, struct prof_err *err)
{
	char path[4096];

	if ((size_t)snprintf(path, sizeof(path), "%s/lock", dir) >=
		    sizeof(path) - 16 ||
	    asprintf(&s->path, "%s/index", dir) < 0) {
		s->path = NULL;
		return prof_fail(err, PROF_EIO, "%s: name too long", dir);
	}
	s->lock_fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (s->lock_fd < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", path,
				 strerror(errno));
	while (flock(s->lock_fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return prof_fail(err, PROF_EIO, "%s: %s", path,
					 strerror(errno));
	return PROF_OK;
}

/* The tables, in a database that has none. */
static enum prof_status
create(struct store *s, struct prof_err *err)
{
	char version[64];
	enum prof_status st;

	snprintf(version, sizeof(version), "pragma user_version = %d",
		 SCHEMA_VERSION);
	st = run(s, "begin", err);
	if (st == PROF_OK)
		st = run(s, schema, err);
	if (st == PROF_OK)
		st = run(s, version, err);
	return st == PROF_OK ? run(s, "commit", err) : st;
}

enum prof_status
store_open(struct store **out, const char *dir, bool is_new, bool *was_damaged,
	   struct prof_err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	enum prof_status st = PROF_OK;
	int version = -1;

	*out = NULL;
	*was_damaged = false;
	if (!s)
		return prof_nomem(err);
	s->lock_fd = -1;
	if (dir)
		st = take_lock(s, dir, err);
	if (st == PROF_OK && is_new && dir)
		st = remove_database(s, err);
	if (st == PROF_OK)
		st = open_database(s, &version, err);
	if (dir &&
	    (st == PROF_EFORMAT ||
	     (st == PROF_OK && version != SCHEMA_VERSION && version != 0))) {
		*was_damaged = st != PROF_OK;
		st = remove_database(s, err);
		if (st == PROF_OK)
			st = open_database(s, &version, err);
	}
	if (st == PROF_OK && version != SCHEMA_VERSION)
		st = create(s, err);
	if (st != PROF_OK) {
		store_close(s);
		return st;
	}
	*out = s;
	return PROF_OK;
}

enum prof_status
store_begin(struct store *s, struct prof_err *err)
{
	return run(s, "begin immediate", err);
}

enum prof_status
store_commit(struct store *s, struct prof_err *err)
{
	return run(s, "commit", err);
}

void
store_share(struct store *s)
{
	if (s->lock_fd >= 0)
		flock(s->lock_fd, LOCK_SH);
}

/* --- rows --- */

static sqlite3_stmt *
statement(struct store *s, int which)
{
	sqlite3_stmt **at = &s->statement[which];

	if (!*at && sqlite3_prepare_v3(s->db, statements[which], -1,
				       SQLITE_PREPARE_PERSISTENT, at,
				       NULL) != SQLITE_OK)
		return NULL;
	return *at;
}

/* Run a statement that has no rows. */
static enum prof_status
finish(struct store *s, sqlite3_stmt *q, struct prof_err *err)
{
	int code = sqlite3_step(q);

	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return code == SQLITE_DONE ? PROF_OK : fail(s, err);
}

static enum prof_status
run_with(struct store *s, int which, int64_t id, struct prof_err *err)
{
	sqlite3_stmt *q = statement(s, which);

	if (!q)
		return fail(s, err);
	sqlite3_bind_int64(q, 1, id);
	return finish(s, q, err);
}

/* Prepare a query that runs once. */
static sqlite3_stmt *
query(struct store *s, const char *sql)
{
	sqlite3_stmt *q;

	return sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK ? q
									 : NULL;
}

static enum prof_status
end_query(struct store *s, sqlite3_stmt *q, int code, enum prof_status st,
	  struct prof_err *err)
{
	if (st == PROF_OK && code != SQLITE_DONE)
		st = fail(s, err);
	sqlite3_finalize(q);
	return st;
}

static enum prof_status
load_names(struct store *s, const char *sql, struct names *x,
	   struct prof_err *err)
{
	sqlite3_stmt *q = query(s, sql);
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return fail(s, err);
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		const char *text = sqlite3_column_blob(q, 1);
		size_t n = (size_t)sqlite3_column_bytes(q, 1);
		uint32_t i = strtab_add(&x->t, text ? text : "", n);

		if (i == STRTAB_NONE)
			st = prof_nomem(err);
		else if (sqlite3_column_int64(q, 0) != i)
			st = prof_fail(err, PROF_EFORMAT, "%s: damaged",
				       s->path ? s->path : "index");
		if (st != PROF_OK)
			break;
	}
	x->n_stored = x->t.n_str;
	return end_query(s, q, code, st, err);
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
		sqlite3_stmt *q = statement(s, which);

		if (!q)
			return fail(s, err);
		sqlite3_bind_int64(q, 1, (int64_t)x->n_stored);
		sqlite3_bind_blob64(q, 2, text->s, text->len, SQLITE_STATIC);
		st = finish(s, q, err);
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

enum prof_status
store_files(struct store *s,
	    enum prof_status (*visit)(void *ctx, struct store_file *f,
				      struct prof_err *err),
	    void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q = query(s, "select id, path, size, mtime, inode, why "
				   "from file order by path");
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return fail(s, err);
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		const char *path = sqlite3_column_blob(q, 1);
		size_t n = (size_t)sqlite3_column_bytes(q, 1);
		const char *why = (const char *)sqlite3_column_text(q, 5);
		struct store_file f = {
			.id = (uint32_t)sqlite3_column_int64(q, 0),
			.path = strndup(path ? path : "", n),
			.why = why ? strdup(why) : NULL,
			.size = sqlite3_column_int64(q, 2),
			.mtime_ns = sqlite3_column_int64(q, 3),
			.inode = sqlite3_column_int64(q, 4),
		};

		if (!f.path || (why && !f.why)) {
			free(f.path);
			free(f.why);
			st = prof_nomem(err);
		} else {
			st = visit(ctx, &f, err);
		}
		if (st != PROF_OK)
			break;
	}
	return end_query(s, q, code, st, err);
}

enum prof_status
store_put_file(struct store *s, struct store_file *f, struct prof_err *err)
{
	sqlite3_stmt *q = statement(s, PUT_FILE);
	enum prof_status st;

	if (!q)
		return fail(s, err);
	sqlite3_bind_int64(q, 1, f->id);
	sqlite3_bind_blob64(q, 2, f->path, strlen(f->path), SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, f->size);
	sqlite3_bind_int64(q, 4, f->mtime_ns);
	sqlite3_bind_int64(q, 5, f->inode);
	if (f->why)
		sqlite3_bind_text(q, 6, f->why, -1, SQLITE_STATIC);
	st = finish(s, q, err);
	if (st == PROF_OK && !f->id)
		f->id = (uint32_t)sqlite3_last_insert_rowid(s->db);
	return st;
}

enum prof_status
store_drop_file(struct store *s, uint32_t id, struct prof_err *err)
{
	return run_with(s, DROP_FILE, id, err);
}

/* --- blocks --- */

enum prof_status
store_blocks(struct store *s, int64_t from, int64_t to,
	     enum prof_status (*visit)(void *ctx, const struct store_block *b,
				       struct prof_err *err),
	     void *ctx, struct prof_err *err)
{
	sqlite3_stmt *q = query(s, "select id, day, types, n, meta, sums from "
				   "block where day >= ? and day <= ? "
				   "order by day, id");
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return fail(s, err);
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

		st = visit(ctx, &b, err);
	}
	return end_query(s, q, code, st, err);
}

enum prof_status
store_post(struct store *s, int64_t block, uint32_t fn, size_t column,
	   const void **data, size_t *n, struct prof_err *err)
{
	sqlite3_stmt *q = statement(s, POST);
	int code;

	*data = NULL;
	*n = 0;
	if (!q)
		return fail(s, err);
	sqlite3_bind_int64(q, 1, block);
	sqlite3_bind_int64(q, 2, fn);
	sqlite3_bind_int64(q, 3, (int64_t)column);
	code = sqlite3_step(q);
	if (code == SQLITE_DONE)
		return PROF_OK;
	if (code != SQLITE_ROW)
		return fail(s, err);
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
	sqlite3_stmt *q = query(s, "select fn, col, data from post "
				   "where block = ? order by fn, col");
	enum prof_status st = PROF_OK;
	int code;

	if (!q)
		return fail(s, err);
	sqlite3_bind_int64(q, 1, block);
	while (st == PROF_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
		const void *data = sqlite3_column_blob(q, 2);

		if (data)
			st = visit(ctx, (uint32_t)sqlite3_column_int64(q, 0),
				   (size_t)sqlite3_column_int64(q, 1), data,
				   (size_t)sqlite3_column_bytes(q, 2), err);
	}
	return end_query(s, q, code, st, err);
}

static enum prof_status
put_post(void *ctx, uint32_t fn, size_t column, const struct buf *data,
	 struct prof_err *err)
{
	struct store *s = ctx;
	sqlite3_stmt *q = statement(s, PUT_POST);

	if (!q)
		return fail(s, err);
	sqlite3_bind_int64(q, 1, s->putting);
	sqlite3_bind_int64(q, 2, fn);
	sqlite3_bind_int64(q, 3, (int64_t)column);
	sqlite3_bind_blob64(q, 4, data->data, data->n, SQLITE_STATIC);
	return finish(s, q, err);
}

static enum prof_status
put_block(struct store *s, struct block *b, const struct buf *meta,
	  const struct buf *sums, struct prof_err *err)
{
	sqlite3_stmt *q = statement(s, PUT_BLOCK);
	enum prof_status st;

	if (!q)
		return fail(s, err);
	sqlite3_bind_int64(q, 1, b->id);
	sqlite3_bind_int64(q, 2, b->day);
	sqlite3_bind_int64(q, 3, b->types);
	sqlite3_bind_int64(q, 4, (int64_t)b->n_entry);
	sqlite3_bind_blob64(q, 5, meta ? meta->data : NULL, meta ? meta->n : 0,
			    SQLITE_STATIC);
	sqlite3_bind_blob64(q, 6, sums ? sums->data : NULL, sums ? sums->n : 0,
			    SQLITE_STATIC);
	st = finish(s, q, err);
	if (st == PROF_OK && !b->id)
		b->id = sqlite3_last_insert_rowid(s->db);
	return st;
}

enum prof_status
store_put_block(struct store *s, struct block *b, struct prof_err *err)
{
	const struct block_sink sink = { put_post, s };
	struct buf meta = { 0 }, sums = { 0 };
	enum prof_status st = PROF_OK;

	if (b->id)
		st = run_with(s, DROP_POSTS, b->id, err);
	if (st == PROF_OK && !b->n_entry)
		return b->id ? run_with(s, DROP_BLOCK, b->id, err) : PROF_OK;
	/* A row without bytes takes the number that the posts need. */
	if (st == PROF_OK && !b->id)
		st = put_block(s, b, NULL, NULL, err);
	s->putting = b->id;
	if (st == PROF_OK)
		st = block_write(b, &sink, &meta, &sums, err);
	if (st == PROF_OK)
		st = put_block(s, b, &meta, &sums, err);
	buf_release(&meta);
	buf_release(&sums);
	return st;
}

static int
take_answer(void *ctx, int n, char **value, char **name)
{
	(void)name;
	*(bool *)ctx = n && value[0] && !strcmp(value[0], "ok");
	return 0;
}

enum prof_status
store_check(struct store *s, struct prof_err *err)
{
	bool is_ok = false;

	if (sqlite3_exec(s->db, "pragma integrity_check(1)", take_answer,
			 &is_ok, NULL) != SQLITE_OK)
		return fail(s, err);
	return is_ok ? PROF_OK
		     : prof_fail(err, PROF_EFORMAT, "%s: damaged",
				 s->path ? s->path : "index");
}
