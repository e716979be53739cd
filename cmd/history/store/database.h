/*
 * database.h - an SQLite database used as a cache: a damaged one is made again.
 * Only this module and store.h, which has the tables, know SQLite.
 *
 * Beside the database is a lock file: a process that writes has it exclusively,
 * readers share it. A database is replaced only under the lock, so no process
 * reads one that was unlinked, or plays back the journal of another.
 */
#ifndef HISTORY_DATABASE_H
#define HISTORY_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/status.h"

/* Where it is. */
struct database_place {
	const char *path, *lock;
	/* Another file of that name is left alone: it is an error. */
	bool is_chosen;
};

/* Begin with zeros and a lock_fd of -1; end with database_close(). */
struct database {
	sqlite3 *db;
	char *path;  /* NULL: in memory */
	int lock_fd; /* -1: in memory */
	int kind;    /* below schema.n_kind */
};

/*
 * The tables of a new database, and the version that is noted in it. Its header
 * has the application id plus the kind of the database, which outlives damage
 * elsewhere.
 */
struct database_schema {
	const char *sql;
	int version; /* not 0 */
	int application_id, n_kind;
};

/*
 * Open the database at a place, with the lock, exclusively; one that is
 * missing, of another version or damaged is made anew; damage sets
 * *was_damaged. is_new: one that is there is thrown away. kind: of a new one;
 * -1: that of the one before, or 0. place NULL: in memory. PROF_EIO,
 * PROF_ENOMEM, PROF_EUSAGE: another file is there; then, too, *d is closed by
 * database_close().
 */
enum prof_status database_open(struct database *d,
			       const struct database_place *place, bool is_new,
			       int kind, const struct database_schema *schema,
			       bool *was_damaged,
			       struct prof_err *err) MUST_USE;
void database_close(struct database *d);

/*
 * Share the lock, after the last change. A process that waits for it may write
 * first; *is_same is true if none did, and what was read before is still valid.
 */
enum prof_status database_share(struct database *d, bool *is_same,
				struct prof_err *err) MUST_USE;

/* Run statements without rows or parameters. */
enum prof_status database_run(struct database *d, const char *sql,
			      struct prof_err *err) MUST_USE;

/* The error of the last call of SQLite: PROF_EFORMAT if it is damage. */
enum prof_status database_fail(const struct database *d, struct prof_err *err);

/* Note another kind in the database, which must be in a transaction. */
enum prof_status database_set_kind(struct database *d, int kind,
				   const struct database_schema *schema,
				   struct prof_err *err) MUST_USE;

/* The database contradicts itself: PROF_EFORMAT. */
enum prof_status database_damaged(const struct database *d,
				  struct prof_err *err);

/* Look for damage in the structure of all pages: PROF_EFORMAT. */
enum prof_status database_check(struct database *d,
				struct prof_err *err) MUST_USE;

#endif
