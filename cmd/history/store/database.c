/* database.c - see database.h. */
#include "config.h"

#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checked-file.h"
#include "lib/base/buf.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"

#define PATH_SIZE 4096
#define WAIT_MS 60000  /* for a lock of SQLite's own */
#define CACHE_KB 65536 /* of pages in memory */
#define STEPS_AT_ONCE 10000
#define STEPS_A_BYTE 4 /* of a table; a row of ten bytes takes about ten */
#define MAX_LENGTH (1 << 30) /* of a row: entries and sums of a block */

static const char *
name_of(const struct database *d)
{
	return d->path ? d->path : "index";
}

enum prof_status
database_fail(const struct database *d, struct prof_err *err)
{
	int code = d->db ? sqlite3_errcode(d->db) : SQLITE_NOMEM;

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
		return prof_fail(err, PROF_EIO, "%s: %s", name_of(d),
				 sqlite3_errmsg(d->db));
	}
	return prof_fail(err, PROF_EFORMAT, "%s: %s", name_of(d),
			 sqlite3_errmsg(d->db));
}

enum prof_status
database_damaged(const struct database *d, struct prof_err *err)
{
	return prof_fail(err, PROF_EFORMAT, "%s: damaged", name_of(d));
}

void
database_budget(struct database *d)
{
	struct stat sb = { 0 };

	if (d->path && stat(d->path, &sb) < 0)
		sb.st_size = 0;
	d->budget = STEPS_A_BYTE * (sb.st_size + CACHE_KB * INT64_C(1024));
}

static int
count_steps(void *ctx)
{
	struct database *d = ctx;

	d->budget -= STEPS_AT_ONCE;
	return d->path && d->budget < 0;
}

enum prof_status
database_run(struct database *d, const char *sql, struct prof_err *err)
{
	database_budget(d);
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? PROF_OK
		       : database_fail(d, err);
}

void
database_close(struct database *d)
{
	sqlite3_close(d->db);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	free(d->path);
	*d = (struct database){ .lock_fd = -1 };
}

/* --- files --- */

/* Does this user own it, and may no other write it? */
static bool
is_own(const struct stat *sb)
{
	return S_ISREG(sb->st_mode) && sb->st_uid == geteuid() &&
	       !(sb->st_mode & (S_IWGRP | S_IWOTH));
}

/* Does the header have our application id, where SQLite's format has it? */
static bool
has_id(const char *path, const struct database_schema *schema)
{
	unsigned char head[72] = { 0 };
	struct prof_err err;
	struct stat sb;
	uint32_t id = 0;
	int fd = regular_open(path, true, &sb, &err);

	if (fd < 0)
		return false;
	if (pread(fd, head, sizeof(head), 0) == sizeof(head))
		for (int i = 68; i < 72; i++)
			id = id << 8 | head[i];
	close(fd);
	return id == (uint32_t)schema->application_id;
}

/* Of a database: SQLite opens, replays and removes what has these names. */
static const char *const file_end[] = { "-journal", "-wal", "-shm", "" };
enum { N_FILE = sizeof(file_end) / sizeof(*file_end) };

/* A file that the user named is replaced only if it is a database of ours. */
static enum prof_status
check_files(const struct database_place *p,
	    const struct database_schema *schema, struct prof_err *err)
{
	enum prof_status st = p->is_chosen ? PROF_EUSAGE : PROF_EIO;
	char path[PATH_SIZE];
	struct stat sb;

	if (p->is_chosen && lstat(p->path, &sb) == 0 &&
	    !(S_ISREG(sb.st_mode) && !sb.st_size) && !has_id(p->path, schema))
		return prof_fail(err, st,
				 "%s: not a cache of prof-history; remove it, "
				 "or give another name",
				 p->path);
	for (size_t i = 0; i < N_FILE; i++) {
		snprintf(path, sizeof(path), "%s%s", p->path, file_end[i]);
		if (lstat(path, &sb) == 0 ? is_own(&sb) : errno == ENOENT)
			continue;
		return prof_fail(err, st,
				 "%s: not a file that this user alone may "
				 "write",
				 path);
	}
	return PROF_OK;
}

/* Only this user may open it: any other that reads it could hold the lock. */
static enum prof_status
take_lock(struct database *d, const struct database_place *p,
	  struct prof_err *err)
{
	struct stat sb;

	if (strlen(p->path) >= PATH_SIZE - 16)
		return prof_fail(err, PROF_EIO, "%s: name too long", p->path);
	d->path = strdup(p->path);
	if (!d->path)
		return prof_nomem(err);
	d->lock_fd = outfile_kept(AT_FDCWD, p->lock, O_RDWR | O_CREAT, 0600);
	if (d->lock_fd < 0 || fstat(d->lock_fd, &sb) < 0 ||
	    (is_own(&sb) && fchmod(d->lock_fd, 0600) < 0))
		return prof_fail(err, PROF_EIO, "%s: %s", p->lock,
				 strerror(errno));
	if (!is_own(&sb))
		return prof_fail(
			err, p->is_chosen ? PROF_EUSAGE : PROF_EIO,
			"%s: not a file that this user alone may write",
			p->lock);
	while (flock(d->lock_fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return prof_fail(err, PROF_EIO, "%s: no lock: %s",
					 d->path, strerror(errno));
	return PROF_OK;
}

/* Remove the database, and its journal, which the next one would replay. */
static enum prof_status
remove_files(struct database *d, struct prof_err *err)
{
	char path[PATH_SIZE];

	sqlite3_close(d->db);
	d->db = NULL;
	for (size_t i = 0; i < N_FILE; i++) {
		snprintf(path, sizeof(path), "%s%s", d->path, file_end[i]);
		if (unlink(path) < 0 && errno != ENOENT)
			return prof_fail(err, PROF_EIO, "%s: %s", path,
					 strerror(errno));
	}
	return PROF_OK;
}

/* --- opening --- */

/* Add a row to a buffer, as text. */
static int
add_row(void *ctx, int n, char **value, char **name)
{
	struct buf *b = ctx;

	(void)name;
	for (int i = 0; i < n; i++)
		if (buf_add(b, value[i] ? value[i] : "",
			    value[i] ? strlen(value[i]) + 1 : 1) < 0)
			return -1;
	return 0;
}

/* The version, and all that the database defines. */
static enum prof_status
read_schema(struct database *d, struct buf *b, struct prof_err *err)
{
	database_budget(d);
	return sqlite3_exec(d->db,
			    "pragma user_version;"
			    "select type, name, tbl_name, sql "
			    "from sqlite_master order by rowid",
			    add_row, b, NULL) == SQLITE_OK
		       ? PROF_OK
		       : database_fail(d, err);
}

/* Open the file at the path: SQLite runs nothing that the database contains. */
static enum prof_status
connect(struct database *d, struct prof_err *err)
{
	static const struct {
		int what, on;
	} config[] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },
		       { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		       { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		       { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 } };
	int reserve = CHECKED_FILE_RESERVE;
	char pragmas[80];

	if (checked_file_register() != SQLITE_OK ||
	    sqlite3_open_v2(d->path ? d->path : ":memory:", &d->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOFOLLOW,
			    CHECKED_FILE) != SQLITE_OK ||
	    sqlite3_file_control(d->db, "main", SQLITE_FCNTL_RESERVE_BYTES,
				 &reserve) != SQLITE_OK)
		return database_fail(d, err);
	for (size_t i = 0; i < sizeof(config) / sizeof(*config); i++)
		sqlite3_db_config(d->db, config[i].what, config[i].on, NULL);
	sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, MAX_LENGTH);
	sqlite3_extended_result_codes(d->db, 0);
	sqlite3_busy_timeout(d->db, WAIT_MS);
	sqlite3_progress_handler(d->db, STEPS_AT_ONCE, count_steps, d);
	snprintf(pragmas, sizeof(pragmas),
		 "pragma cell_size_check = on; pragma cache_size = -%d",
		 CACHE_KB);
	return database_run(d, pragmas, err);
}

/* The tables, in a database that has none. */
static enum prof_status
create(struct database *d, const struct database_schema *schema,
       struct prof_err *err)
{
	struct buf sql = { 0 };
	enum prof_status st;
	char numbers[96];

	snprintf(numbers, sizeof(numbers),
		 "pragma user_version = %d; pragma application_id = %d; commit",
		 schema->version, schema->application_id);
	if (buf_add(&sql, "begin;", 6) < 0 ||
	    buf_add(&sql, schema->sql, strlen(schema->sql)) < 0 ||
	    buf_add(&sql, numbers, strlen(numbers) + 1) < 0)
		st = prof_nomem(err);
	else
		st = database_run(d, (const char *)sql.data, err);
	buf_release(&sql);
	return st;
}

/* What read_schema() gives of a database that was just made. */
static enum prof_status
read_own_schema(const struct database_schema *schema, struct buf *b,
		struct prof_err *err)
{
	struct database d = { .lock_fd = -1 };
	enum prof_status st = connect(&d, err);

	if (st == PROF_OK)
		st = create(&d, schema, err);
	if (st == PROF_OK)
		st = read_schema(&d, b, err);
	database_close(&d);
	return st;
}

/*
 * Connect; *is_ours: to a database of this version and schema. One that is
 * empty, or of another version, is none, and no damage.
 */
static enum prof_status
examine(struct database *d, const struct database_schema *schema, bool *is_ours,
	struct prof_err *err)
{
	struct buf found = { 0 }, ours = { 0 };
	enum prof_status st = connect(d, err);

	*is_ours = false;
	if (st == PROF_OK)
		st = read_schema(d, &found, err);
	if (st == PROF_OK)
		st = read_own_schema(schema, &ours, err);
	if (st == PROF_OK) {
		*is_ours = found.n == ours.n &&
			   !memcmp(found.data, ours.data, ours.n);
		if (!*is_ours &&
		    atoi((const char *)found.data) == schema->version)
			st = database_damaged(d, err);
	}
	buf_release(&found);
	buf_release(&ours);
	return st;
}

enum prof_status
database_open(struct database *d, const struct database_place *place,
	      bool is_new, const struct database_schema *schema,
	      bool *was_damaged, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	bool is_ours = false;

	*was_damaged = false;
	if (place)
		st = take_lock(d, place, err);
	if (st == PROF_OK && place)
		st = check_files(place, schema, err);
	if (st == PROF_OK && is_new && place)
		st = remove_files(d, err);
	if (st == PROF_OK)
		st = examine(d, schema, &is_ours, err);
	if (place && (st == PROF_EFORMAT || (st == PROF_OK && !is_ours))) {
		*was_damaged = st != PROF_OK;
		st = remove_files(d, err);
		if (st == PROF_OK)
			st = connect(d, err);
	}
	if (st == PROF_OK && !is_ours)
		st = create(d, schema, err);
	return st;
}

enum prof_status
database_share(struct database *d, struct prof_err *err)
{
	enum prof_status st;

	if (d->lock_fd < 0)
		return PROF_OK;
	/* SQLite's own lock is taken by the first read of a transaction. */
	st = database_run(d, "begin; select 1 from sqlite_master limit 1", err);
	close(d->lock_fd);
	d->lock_fd = -1;
	return st;
}
