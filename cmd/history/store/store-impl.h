/*
 * store-impl.h - what the tables of store.h share: store.c has names and files,
 * store-blocks.c blocks and posts.
 */
#ifndef HISTORY_STORE_IMPL_H
#define HISTORY_STORE_IMPL_H

#include <sqlite3.h>
#include <stdint.h>

#include "database.h"
#include "store.h"

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

struct store {
	struct database d;
	sqlite3_stmt *statement[N_STATEMENT]; /* made when needed */
	int64_t putting; /* block whose posts are written */
};

/* A statement that is kept, without parameters; NULL: database_fail(). */
sqlite3_stmt *store_statement(struct store *s, int which);

/* Run one that has no rows; run statement `which` with the parameter id. */
enum prof_status store_finish(struct store *s, sqlite3_stmt *q,
			      struct prof_err *err) MUST_USE;
enum prof_status store_run_with(struct store *s, int which, int64_t id,
				struct prof_err *err) MUST_USE;

/* Prepare a query that runs once; NULL: database_fail(). */
sqlite3_stmt *store_query(struct store *s, const char *sql);

/*
 * End it, after the last step gave code: st if that is an error, or else what
 * code says.
 */
enum prof_status store_end_query(struct store *s, sqlite3_stmt *q, int code,
				 enum prof_status st,
				 struct prof_err *err) MUST_USE;

#endif
