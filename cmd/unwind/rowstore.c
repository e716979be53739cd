/* rowstore.c - see rowstore.h. */
#include "config.h"

#include "rowstore.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-source.h"
#include "jail.h"
#include "lib/base/array.h"
#include "lib/base/fdpass.h"
#include "lib/base/regular.h"
#include "rows.h"

enum { MAX_KEY = BUILD_ID_TEXT + 16 };

struct entry {
	char key[MAX_KEY];
	struct rows *rows;
	size_t n_user;
	size_t n_bytes;
	uint64_t used; /* when it was last used, by rowstore.turn */
};

struct rowstore {
	pthread_mutex_t lock;
	struct entry *entry;
	size_t n, room;
	size_t n_bytes, max_bytes;
	uint64_t turn;
	struct jail *jail; /* NULL: files are read here */
	atomic_bool is_over;
};

struct rowstore *
rowstore_new(size_t max_bytes)
{
	struct rowstore *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->max_bytes = max_bytes;
	if (jail_start(&s->jail, NULL) != PROF_OK) {
		rowstore_free(s);
		return NULL;
	}
	return s;
}

void
rowstore_stop(struct rowstore *s)
{
	atomic_store(&s->is_over, true);
	jail_end(s->jail);
}

void
rowstore_free(struct rowstore *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		rows_free(s->entry[i].rows);
	free(s->entry);
	jail_stop(s->jail);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* With the lock: the rows of that key, with one more user, or NULL. */
static const struct rows *
hold(struct rowstore *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++) {
		struct entry *e = &s->entry[i];

		if (strcmp(e->key, key) != 0)
			continue;
		e->n_user++;
		e->used = ++s->turn;
		return e->rows;
	}
	return NULL;
}

/* With the lock: drop the least recently used rows until the rest fits. */
static void
shrink(struct rowstore *s)
{
	while (s->n_bytes > s->max_bytes) {
		size_t oldest = s->n;

		for (size_t i = 0; i < s->n; i++)
			if (s->entry[i].n_user == 0 &&
			    (oldest == s->n ||
			     s->entry[i].used < s->entry[oldest].used))
				oldest = i;
		if (oldest == s->n)
			return;
		s->n_bytes -= s->entry[oldest].n_bytes;
		rows_free(s->entry[oldest].rows);
		s->entry[oldest] = s->entry[--s->n];
	}
}

/* Add rows, which become the store's, unless another thread has added them. */
static enum prof_status
rowstore_add(struct rowstore *s, const char *key, struct rows *rows,
	     const struct rows **out, struct prof_err *err)
{
	const struct rows *held;
	struct rows_stats stats;

	pthread_mutex_lock(&s->lock);
	held = hold(s, key);
	if (held || array_reserve(&s->entry, &s->room, s->n + 1,
				  sizeof(*s->entry)) != 0) {
		rows_free(rows);
	} else {
		struct entry *e = &s->entry[s->n++];

		rows_stats(rows, &stats);
		*e = (struct entry){ .rows = rows,
				     .n_user = 1,
				     .n_bytes = stats.n_bytes,
				     .used = ++s->turn };
		snprintf(e->key, sizeof(e->key), "%s", key);
		s->n_bytes += stats.n_bytes;
		held = rows;
		shrink(s);
	}
	pthread_mutex_unlock(&s->lock);
	*out = held;
	return held ? PROF_OK : prof_nomem(err);
}

static const struct rows *
find(struct rowstore *s, const char *key)
{
	const struct rows *held;

	pthread_mutex_lock(&s->lock);
	held = hold(s, key);
	pthread_mutex_unlock(&s->lock);
	return held;
}

/* Never what the file says, as it must not stand for another. Without a
 * build-id, what shows if it has changed. */
static void
key_of(const struct stat *sb, const char *build_id, char key[MAX_KEY])
{
	if (!*build_id)
		snprintf(key, MAX_KEY,
			 "file %" PRIxMAX ":%" PRIxMAX " %jd %jd.%09ld",
			 (uintmax_t)sb->st_dev, (uintmax_t)sb->st_ino,
			 (intmax_t)sb->st_size, (intmax_t)sb->st_ctim.tv_sec,
			 (long)sb->st_ctim.tv_nsec);
	else if (sb->st_uid == 0 || sb->st_uid == geteuid())
		snprintf(key, MAX_KEY, "%s", build_id);
	else
		snprintf(key, MAX_KEY, "%s of %u", build_id,
			 (unsigned)sb->st_uid);
}

const struct rows *
rowstore_find(struct rowstore *s, const struct stat *sb, const char *build_id)
{
	char key[MAX_KEY];

	key_of(sb, build_id, key);
	return find(s, key);
}

static enum prof_status
read_here(int parcel, const char *build_id, struct rows **out,
	  struct prof_err *err)
{
	int fd = fdpass_unwrap(parcel);
	enum prof_status st = rows_of_file(fd, build_id, out, err);

	if (fd >= 0)
		close(fd);
	return st;
}

enum prof_status
rowstore_read(struct rowstore *s, int parcel, const struct stat *sb,
	      const char *build_id, const struct rows **out,
	      struct prof_err *err)
{
	enum prof_status st;
	struct rows *rows;
	char key[MAX_KEY];

	key_of(sb, build_id, key);
	*out = find(s, key);
	if (*out)
		return PROF_OK;
	if (atomic_load(&s->is_over))
		return prof_fail(err, PROF_EIO, "no more files are read");
	st = s->jail ? jail_rows(s->jail, parcel, build_id, &rows, err)
		     : read_here(parcel, build_id, &rows, err);
	return st == PROF_OK ? rowstore_add(s, key, rows, out, err) : st;
}

enum prof_status
rowstore_open(struct rowstore *s, const char *path, const char *build_id,
	      const struct rows **out, struct prof_err *err)
{
	enum prof_status st;
	struct prof_err why;
	struct stat sb;
	int fd = regular_open(path, false, &sb, &why), parcel;

	*out = NULL;
	if (fd < 0) {
		if (err)
			*err = why;
		return why.status;
	}
	parcel = fdpass_wrap(fd);
	if (parcel < 0)
		return prof_fail(err, PROF_EIO, "socketpair: %s",
				 strerror(errno));
	st = rowstore_read(s, parcel, &sb, build_id, out, err);
	close(parcel);
	return st;
}

enum prof_status
rowstore_image(struct rowstore *s, const void *data, size_t n,
	       const struct rows **out, struct prof_err *err)
{
	struct elf_source file = { .data = data, .n = n };
	enum prof_status st = elf_source_open(&file, -1, err);
	struct rows *rows;

	*out = NULL;
	if (st == PROF_OK && !*file.build_id)
		st = prof_fail(err, PROF_EFORMAT, "no build-id");
	if (st != PROF_OK)
		return st;
	*out = find(s, file.build_id);
	if (*out)
		return PROF_OK;
	st = rows_read(&file, &rows, err);
	return st == PROF_OK ? rowstore_add(s, file.build_id, rows, out, err)
			     : st;
}

void
rowstore_put(struct rowstore *s, const struct rows *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n; i++)
		if (s->entry[i].rows == r) {
			s->entry[i].n_user--;
			break;
		}
	shrink(s);
	pthread_mutex_unlock(&s->lock);
}
