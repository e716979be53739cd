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

#define PATH_SIZE 4096
#define WAIT_MS 60000 /* for a lock of SQLite's own, of another program */

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

enum prof_status
database_run(struct database *d, const char *sql, struct prof_err *err)
{
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

/* --- opening --- */

static int
take_number(void *ctx, int n, char **value, char **name)
{
	(void)name;
	*(int *)ctx = n && value[0] ? atoi(value[0]) : -1;
	return 0;
}

static enum prof_status
ask_number(struct database *d, const char *sql, int *out, struct prof_err *err)
{
	*out = -1;
	return sqlite3_exec(d->db, sql, take_number, out, NULL) == SQLITE_OK
		       ? PROF_OK
		       : database_fail(d, err);
}

/*
 * Open the file at the path. SQLite runs nothing that the database contains,
 * and an inconsistent page is an error.
 */
static enum prof_status
connect(struct database *d, int *version, struct prof_err *err)
{
	const char *name = d->path ? d->path : ":memory:";
	enum prof_status st;

	*version = -1;
	if (sqlite3_open_v2(name, &d->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOFOLLOW,
			    NULL) != SQLITE_OK)
		return database_fail(d, err);
	sqlite3_extended_result_codes(d->db, 0);
	sqlite3_busy_timeout(d->db, WAIT_MS);
	st = database_run(d,
			  "pragma trusted_schema = off;"
			  "pragma cell_size_check = on;"
			  "pragma cache_size = -65536;",
			  err);
	return st == PROF_OK
		       ? ask_number(d, "pragma user_version", version, err)
		       : st;
}

/* Remove the database, and its journal, which the next one would replay. */
static enum prof_status
remove_files(struct database *d, struct prof_err *err)
{
	static const char *const end[] = { "-journal", "-wal", "-shm", "" };
	char path[PATH_SIZE];

	sqlite3_close(d->db);
	d->db = NULL;
	for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++) {
		snprintf(path, sizeof(path), "%s%s", d->path, end[i]);
		if (unlink(path) < 0 && errno != ENOENT)
			return prof_fail(err, PROF_EIO, "%s: %s", path,
					 strerror(errno));
	}
	return PROF_OK;
}

static enum prof_status
lock(struct database *d, int how, struct prof_err *err)
{
	while (flock(d->lock_fd, how) < 0)
		if (errno != EINTR)
			return prof_fail(err, PROF_EIO, "%s: no lock: %s",
					 d->path, strerror(errno));
	return PROF_OK;
}

/*
 * The kind that the header of the file at the path notes, at the place that
 * SQLite's format gives to the application id; -1: none of the schema.
 */
static int
kind_of(const char *path, const struct database_schema *schema)
{
	unsigned char head[72] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int64_t id = 0;

	if (fd < 0)
		return -1;
	if (pread(fd, head, sizeof(head), 0) != sizeof(head))
		memset(head, 0, sizeof(head));
	close(fd);
	for (int i = 68; i < 72; i++)
		id = id << 8 | head[i];
	id -= schema->application_id;
	return id >= 0 && id < schema->n_kind ? (int)id : -1;
}

static enum prof_status
take_lock(struct database *d, const struct database_place *p,
	  struct prof_err *err)
{
	if (strlen(p->path) >= PATH_SIZE - 16)
		return prof_fail(err, PROF_EIO, "%s: name too long", p->path);
	d->path = strdup(p->path);
	if (!d->path)
		return prof_nomem(err);
	d->lock_fd =
		open(p->lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (d->lock_fd < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", p->lock,
				 strerror(errno));
	return lock(d, LOCK_EX, err);
}

/* A file that the user named is replaced only if it is a database of ours. */
static enum prof_status
check_chosen(const struct database_place *p, int kind, struct prof_err *err)
{
	struct stat sb;

	if (!p->is_chosen || kind >= 0 || stat(p->path, &sb) < 0 ||
	    (S_ISREG(sb.st_mode) && !sb.st_size))
		return PROF_OK;
	return prof_fail(err, PROF_EUSAGE,
			 "%s: not a cache of prof-history; remove it, or give "
			 "another name",
			 p->path);
}

enum prof_status
database_set_kind(struct database *d, int kind,
		  const struct database_schema *schema, struct prof_err *err)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "pragma application_id = %d",
		 schema->application_id + kind);
	d->kind = kind;
	return database_run(d, sql, err);
}

/* The tables, in a database that has none. */
static enum prof_status
create(struct database *d, int kind, const struct database_schema *schema,
       struct prof_err *err)
{
	char version[64];
	enum prof_status st;

	snprintf(version, sizeof(version), "pragma user_version = %d",
		 schema->version);
	st = database_run(d, "begin", err);
	if (st == PROF_OK)
		st = database_run(d, schema->sql, err);
	if (st == PROF_OK)
		st = database_run(d, version, err);
	if (st == PROF_OK)
		st = database_set_kind(d, kind < 0 ? 0 : kind, schema, err);
	return st == PROF_OK ? database_run(d, "commit", err) : st;
}

/* Connect, and look at the version and the kind. */
static enum prof_status
examine(struct database *d, const struct database_schema *schema, int *version,
	struct prof_err *err)
{
	enum prof_status st = connect(d, version, err);

	if (st == PROF_OK && *version == schema->version) {
		st = ask_number(d, "pragma application_id", &d->kind, err);
		d->kind -= schema->application_id;
		if (st == PROF_OK && (d->kind < 0 || d->kind >= schema->n_kind))
			st = database_damaged(d, err);
	}
	return st;
}

enum prof_status
database_open(struct database *d, const struct database_place *place,
	      bool is_new, int kind, const struct database_schema *schema,
	      bool *was_damaged, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	int version = -1, old;

	*was_damaged = false;
	if (place)
		st = take_lock(d, place, err);
	old = place && st == PROF_OK ? kind_of(d->path, schema) : -1;
	if (kind < 0)
		kind = old;
	if (st == PROF_OK && place)
		st = check_chosen(place, old, err);
	if (st == PROF_OK && is_new && place)
		st = remove_files(d, err);
	if (st == PROF_OK)
		st = examine(d, schema, &version, err);
	if (place &&
	    (st == PROF_EFORMAT ||
	     (st == PROF_OK && version != schema->version && version != 0))) {
		*was_damaged = st != PROF_OK;
		st = remove_files(d, err);
		if (st == PROF_OK)
			st = connect(d, &version, err);
	}
	if (st == PROF_OK && version != schema->version)
		st = create(d, kind, schema, err);
	return st;
}

/* --- sharing --- */

/* The file of that name, and how often others have changed the open one. */
struct state {
	struct stat file;
	int changes;
};

static enum prof_status
take_state(struct database *d, struct state *s, struct prof_err *err)
{
	if (stat(d->path, &s->file) < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", d->path,
				 strerror(errno));
	return ask_number(d, "pragma data_version", &s->changes, err);
}

enum prof_status
database_share(struct database *d, bool *is_same, struct prof_err *err)
{
	struct state before, after;
	enum prof_status st;

	*is_same = true;
	if (d->lock_fd < 0)
		return PROF_OK;
	st = take_state(d, &before, err);
	/* flock() gives one lock up before it takes the other. */
	if (st == PROF_OK)
		st = lock(d, LOCK_SH, err);
	if (st == PROF_OK)
		st = take_state(d, &after, err);
	if (st == PROF_OK)
		*is_same = before.file.st_dev == after.file.st_dev &&
			   before.file.st_ino == after.file.st_ino &&
			   before.changes == after.changes;
	return st;
}

/* --- looking for damage --- */

static int
take_answer(void *ctx, int n, char **value, char **name)
{
	(void)name;
	*(bool *)ctx = n && value[0] && !strcmp(value[0], "ok");
	return 0;
}

enum prof_status
database_check(struct database *d, struct prof_err *err)
{
	bool is_ok = false;

	if (sqlite3_exec(d->db, "pragma integrity_check(1)", take_answer,
			 &is_ok, NULL) != SQLITE_OK)
		return database_fail(d, err);
	return is_ok ? PROF_OK : database_damaged(d, err);
}
