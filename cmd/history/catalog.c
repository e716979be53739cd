/* catalog.c - see catalog.h. */
#include "config.h"

#include "catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "history/store/database.h"
#include "lib/base/cachedir.h"
#include "lib/base/filename.h"
#include "refresh.h"

#define FOLDER ".prof-history"
#define MAX_AGAIN 20 /* lists of an archive that prof-thin works on */

void
catalog_close(struct catalog *a)
{
	store_close(a->store);
	names_release(&a->functions);
	names_release(&a->words);
	walk_release(&a->walk);
	memset(a, 0, sizeof(*a));
}

void
catalog_news_release(struct catalog_news *news)
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

/* Where the cache is; both for free(). */
struct place {
	char *path, *lock; /* path NULL: in memory */
	bool is_chosen;
};

/* FILE and FILE.lock, in a folder without symbolic links. */
static enum prof_status
chosen_place(const char *file, struct place *p, struct prof_err *err)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	char *dir = slash ? strndup(file, (size_t)(slash - file) + 1)
			  : strdup("."),
	     *real = dir ? realpath(dir, NULL) : NULL;

	p->is_chosen = true;
	if (!dir) {
		return prof_nomem(err);
	} else if (!real) {
		prof_fail(err, PROF_EUSAGE, "%s: %s", dir, strerror(errno));
		free(dir);
		return PROF_EUSAGE;
	} else if (cachedir_check(real, err) != PROF_OK) {
		free(real);
		free(dir);
		return PROF_EUSAGE;
	}
	if (asprintf(&p->path, "%s/%s", real, name) < 0)
		p->path = NULL;
	if (asprintf(&p->lock, "%s/%s.lock", real, name) < 0)
		p->lock = NULL;
	free(real);
	free(dir);
	return p->path && p->lock ? PROF_OK : prof_nomem(err);
}

/* The place of the cache; without one, *no_cache says why, for free(). */
static enum prof_status
find_place(const char *root, const char *index, struct place *p,
	   char **no_cache, struct prof_err *err)
{
	struct prof_err why;
	char *dir;

	if (!root)
		return PROF_OK;
	if (index)
		return chosen_place(index, p, err);
	dir = find_folder(root, &why);
	if (!dir) {
		*no_cache = strdup(why.msg);
		return PROF_OK;
	}
	if (asprintf(&p->path, "%s/index", dir) < 0)
		p->path = NULL;
	if (asprintf(&p->lock, "%s/lock", dir) < 0)
		p->lock = NULL;
	free(dir);
	return p->path && p->lock ? PROF_OK : prof_nomem(err);
}

enum prof_status
catalog_read_meta(const struct catalog *a, const struct store_block *s,
		  struct block *b, size_t shared[BLOCK_MAX_COLUMN],
		  struct prof_err *err)
{
	struct word_type type[BLOCK_MAX_COLUMN];

	if (!s->types || s->types >= a->words.t.n_str)
		return prof_fail(err, PROF_EFORMAT, "damaged");
	b->id = s->id;
	b->day = s->day;
	b->types = s->types;
	b->n_column = word_types(&a->words.t.str[s->types], type);
	return block_read_meta(b, s->n, s->meta, s->n_meta, shared, err);
}

/* Open the store, bring it up to date, and give up its lock. */
static enum prof_status
open_and_refresh(struct catalog *a, const struct place *p, bool is_new,
		 const struct catalog_options *o, struct catalog_news *news,
		 struct prof_err *err)
{
	const struct database_place place = { p->path, p->lock, p->is_chosen };
	bool was_damaged;
	enum prof_status st = store_open(&a->store, p->path ? &place : NULL,
					 is_new, &was_damaged, err);

	news->was_damaged |= was_damaged;
	/* Under the lock, so the list is newer than the cache. */
	if (st == PROF_OK && a->root)
		st = walk_archive(&a->walk, a->root, err);
	if (st == PROF_OK &&
	    (names_init(&a->functions) < 0 || names_init(&a->words) < 0))
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = store_functions(a->store, &a->functions, err);
	if (st == PROF_OK)
		st = store_words(a->store, &a->words, err);
	if (st == PROF_OK)
		st = refresh(a, o, news, err);
	return st == PROF_OK ? store_share(a->store, err) : st;
}

/* After an error: forget what was read, and its news. */
static void
catalog_forget(struct catalog *a, struct catalog_news *news)
{
	store_close(a->store);
	a->store = NULL;
	names_release(&a->functions);
	names_release(&a->words);
	if (a->root)
		walk_release(&a->walk);
	catalog_news_release(news);
}

enum prof_status
catalog_open(struct catalog *a, const char *root,
	     const struct catalog_options *o, struct catalog_news *news,
	     struct prof_err *err)
{
	struct place p = { 0 };
	enum prof_status st;
	unsigned n_again = 0;

	memset(news, 0, sizeof(*news));
	a->root = root;
	st = find_place(root, o->index, &p, &news->no_cache, err);
	if (st == PROF_OK)
		st = open_and_refresh(a, &p, o->is_rebuild, o, news, err);
	/* What was listed is gone: nothing of this list may be kept. */
	while (st == PROF_EIO && news->has_moved && n_again++ < MAX_AGAIN) {
		char *no_cache = news->no_cache;

		news->no_cache = NULL;
		catalog_forget(a, news);
		news->no_cache = no_cache;
		st = open_and_refresh(a, &p, o->is_rebuild, o, news, err);
	}
	if (st == PROF_EFORMAT && p.path) {
		catalog_forget(a, news);
		news->was_damaged = true;
		st = open_and_refresh(a, &p, true, o, news, err);
	}
	/* No cache on a disk that is full or read-only, or of another user. */
	if (st == PROF_EIO && p.path) {
		catalog_forget(a, news);
		news->no_cache = strdup(err->msg);
		st = open_and_refresh(a, &(const struct place){ 0 }, true, o,
				      news, err);
	}
	free(p.path);
	free(p.lock);
	return st;
}
