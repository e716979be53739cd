/* archive.c - see archive.h. */
#include "config.h"

#include "archive.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/cachedir.h"
#include "lib/base/filename.h"
#include "refresh.h"
#include "take.h"

#define FOLDER ".prof-history"

void
archive_close(struct archive *a)
{
	store_close(a->store);
	names_release(&a->functions);
	names_release(&a->words);
	walk_release(&a->walk);
	memset(a, 0, sizeof(*a));
}

void
archive_news_release(struct archive_news *news)
{
	free(news->bad);
	free(news->no_cache);
	memset(news, 0, sizeof(*news));
}

/* The user's own folder for the archive at path, as for symbols. */
static char *
own_folder(const char *path, struct prof_err *err)
{
	const char *base = getenv("PROF_CACHE");
	char name[FILENAME_SAFE_MAX], *below, *dir;

	filename_safe(path, strlen(path), name);
	if (base && !*base) {
		prof_fail(err, PROF_EIO, "PROF_CACHE is empty");
		return NULL;
	}
	if (asprintf(&below, "%s/history/%s", base ? base : "profpipe", name) <
	    0) {
		prof_nomem(err);
		return NULL;
	}
	dir = base ? cachedir_at(below, err) : cachedir_path(below, err);
	free(below);
	return dir;
}

/* The folder of the cache, for free(); NULL and the reason if there is none. */
static char *
find_folder(const char *root, struct prof_err *err)
{
	char *path = realpath(root, NULL), *inside = NULL, *dir;

	if (!path) {
		prof_fail(err, PROF_EIO, "%s: %s", root, strerror(errno));
		return NULL;
	}
	if (asprintf(&inside, "%s/" FOLDER, path) < 0) {
		free(path);
		prof_nomem(err);
		return NULL;
	}
	dir = cachedir_at(inside, err);
	if (dir && access(dir, R_OK | W_OK | X_OK) < 0) {
		free(dir);
		dir = NULL;
	}
	if (!dir)
		dir = own_folder(path, err);
	free(inside);
	free(path);
	return dir;
}

enum prof_status
archive_read_meta(const struct archive *a, const struct store_block *s,
		  struct block *b, size_t shared[BLOCK_MAX_COLUMN],
		  struct prof_err *err)
{
	struct take_type type[BLOCK_MAX_COLUMN];

	if (!s->types || s->types >= a->words.t.n_str)
		return prof_fail(err, PROF_EFORMAT, "damaged");
	b->id = s->id;
	b->day = s->day;
	b->types = s->types;
	b->n_column = take_types(&a->words.t.str[s->types], type);
	return block_read_meta(b, s->n, s->meta, s->n_meta, shared, err);
}

/* Open the store, and bring it up to date. */
static enum prof_status
try(struct archive *a, const char *dir, bool is_new,
    const struct archive_options *o, struct archive_news *news,
    struct prof_err *err)
{
	bool was_damaged;
	enum prof_status st =
		store_open(&a->store, dir, is_new, &was_damaged, err);

	news->was_damaged |= was_damaged;
	/* Under the lock, so the list is newer than the cache. */
	if (st == PROF_OK && a->root)
		st = walk_archive(&a->walk, a->root, err);
	if (st == PROF_OK &&
	    (names_init(&a->functions) < 0 || names_init(&a->words) < 0))
		st = prof_nomem(err);
	if (st == PROF_OK && o->is_check)
		st = store_check(a->store, err);
	if (st == PROF_OK)
		st = store_functions(a->store, &a->functions, err);
	if (st == PROF_OK)
		st = store_words(a->store, &a->words, err);
	if (st == PROF_OK)
		st = refresh(a, o, news, err);
	return st;
}

/* Forget what was read from the store. */
static void
forget(struct archive *a)
{
	store_close(a->store);
	a->store = NULL;
	names_release(&a->functions);
	names_release(&a->words);
	if (a->root)
		walk_release(&a->walk);
}

/* After a try that failed: forget its messages and counts. */
static void
forget_news(struct archive_news *news)
{
	free(news->bad);
	news->bad = NULL;
	news->n_read = news->n_gone = news->n_handed = news->n_bad = 0;
	news->n_new_bad = news->n_no_time = 0;
}

/*
 * Share the lock. If another process has changed the store first, read it again
 * under the lock.
 */
static enum prof_status
share(struct archive *a, const char *dir, const struct archive_options *o,
      struct archive_news *news, struct prof_err *err)
{
	bool is_same;
	enum prof_status st = store_share(a->store, &is_same, err);

	while (st == PROF_OK && !is_same) {
		struct archive_news more = { 0 };

		forget(a);
		st = try(a, dir, false, o, &more, err);
		news->was_damaged |= more.was_damaged;
		news->n_read += more.n_read;
		news->n_gone += more.n_gone;
		news->n_handed += more.n_handed;
		news->n_new_bad += more.n_new_bad;
		news->n_no_time += more.n_no_time;
		archive_news_release(&more);
		if (st == PROF_OK)
			st = store_share(a->store, &is_same, err);
	}
	return st;
}

enum prof_status
archive_open(struct archive *a, const char *root,
	     const struct archive_options *o, struct archive_news *news,
	     struct prof_err *err)
{
	bool is_new = o->is_rebuild;
	struct prof_err why = { 0 };
	enum prof_status st;
	char *dir = NULL;

	memset(news, 0, sizeof(*news));
	a->root = root;
	if (root && !(dir = find_folder(root, &why)))
		news->no_cache = strdup(why.msg);
	for (int tries = 2;; tries--) {
		st = try(a, dir, is_new, o, news, err);
		if (st == PROF_OK)
			st = share(a, dir, o, news, err);
		if (st != PROF_EFORMAT || !dir || tries == 1)
			break;
		forget(a);
		forget_news(news);
		news->was_damaged = is_new = true;
	}
	/* No cache on a disk that is full or read-only. */
	if (st == PROF_EIO && dir) {
		forget(a);
		forget_news(news);
		news->no_cache = strdup(err->msg);
		st = try(a, NULL, true, o, news, err);
	}
	free(dir);
	return st;
}
