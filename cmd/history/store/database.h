/*
 * database.h - an SQLite database used as a cache. Its file is input: it may be
 * damaged, or come with an archive of strangers. It is used only if this user
 * owns it and no other may write it, and if its schema is ours to the byte, so
 * it has no views, triggers or expressions. What SQLite finds wrong later, or a
 * reader of its rows, makes it anew: PROF_EFORMAT. So does a page that is not
 * what was written (checked-file.h).
 *
 * Only this module and store.h, which has the tables, know SQLite.
 *
 * Beside the database is a lock file, which a process has from opening the
 * database to its last change. The database is replaced only under the lock.
 */
#ifndef HISTORY_DATABASE_H
#define HISTORY_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/status.h"

/* Where it is; both in a folder that no other user may write. */
struct database_place {
	const char *path, *lock;
	/* Another file of that name is left alone: it is an error. */
	bool is_chosen;
};

/* Begin with zeros and a lock_fd of -1; end with database_close(). */
struct database {
	sqlite3 *db;
	char *path;     /* NULL: in memory */
	int lock_fd;    /* -1: in memory, or shared */
	int64_t budget; /* steps that the running statement may still take */
};

/* The tables, and the numbers in the header of the file. */
struct database_schema {
	const char *sql;
	int version; /* not 0 */
	int application_id;
};

/*
 * Open the database at a place, with the lock; one that is missing, of another
 * version or damaged is made anew; damage sets *was_damaged. is_new: one that
 * is there is thrown away. place NULL: in memory. PROF_EIO, PROF_ENOMEM,
 * PROF_EUSAGE: a chosen file is of another kind or owner; then, too, *d is
 * closed by database_close().
 */
enum prof_status database_open(struct database *d,
			       const struct database_place *place, bool is_new,
			       const struct database_schema *schema,
			       bool *was_damaged,
			       struct prof_err *err) MUST_USE;
void database_close(struct database *d);

/*
 * After the last change: give up the lock. What is read from now on is the
 * database as it is now; another process that changes it waits for
 * database_close(), for a minute at most.
 */
enum prof_status database_share(struct database *d,
				struct prof_err *err) MUST_USE;

/* Run statements without rows or parameters. */
enum prof_status database_run(struct database *d, const char *sql,
			      struct prof_err *err) MUST_USE;

/*
 * Before each statement: bound its steps by the size of the database, so that
 * pages that refer to each other in circles are an error.
 */
void database_budget(struct database *d);

/* The error of the last call of SQLite: PROF_EFORMAT if it is damage. */
enum prof_status database_fail(const struct database *d, struct prof_err *err);

/* The database contradicts itself: PROF_EFORMAT. */
enum prof_status database_damaged(const struct database *d,
				  struct prof_err *err);

#endif
