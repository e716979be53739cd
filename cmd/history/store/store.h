/*
 * store.h - the cache of an archive: the tables of an SQLite database
 * (database.h). All of it can be read from the archive again, so a damaged
 * cache is made anew: PROF_EFORMAT says that it is damaged.
 *
 *	file	id, path, size, mtime, inode; why: the file could not be read
 *	word	id, text: build-ids, hosts, sample types, labels
 *	fn	id, name: functions, as prof-text prints them
 *	block	id, day, types, n, meta, sums	(block.h)
 *	post	block, fn, col, data		(block.h)
 *
 * A row may hold anything; readers check it.
 */
#ifndef HISTORY_STORE_H
#define HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block.h"
#include "lib/base/status.h"
#include "names.h"

struct store;

struct store_file {
	uint32_t id;
	char *path; /* the caller's to free */
	char *why;  /* NULL: it was read; the caller's to free */
	int64_t size, mtime_ns, inode;
};

struct database_place;

/*
 * As database_open(). *out is the caller's, for store_close().
 */
enum prof_status store_open(struct store **out,
			    const struct database_place *place, bool is_new,
			    bool *was_damaged, struct prof_err *err) MUST_USE;
void store_close(struct store *s);

/* Begin and end a transaction: its changes are all made, or none. */
enum prof_status store_begin(struct store *s, struct prof_err *err) MUST_USE;
enum prof_status store_commit(struct store *s, struct prof_err *err) MUST_USE;

/* After the last change: as database_share(). */
enum prof_status store_share(struct store *s, struct prof_err *err) MUST_USE;

/* Read the names of functions, or the words. */
enum prof_status store_functions(struct store *s, struct names *x,
				 struct prof_err *err) MUST_USE;
enum prof_status store_words(struct store *s, struct names *x,
			     struct prof_err *err) MUST_USE;

/* Write those that are new. */
enum prof_status store_put_names(struct store *s, struct names *functions,
				 struct names *words,
				 struct prof_err *err) MUST_USE;

/* Call visit() for each file, by path; it takes path and why. */
enum prof_status store_files(struct store *s,
			     enum prof_status (*visit)(void *ctx,
						       struct store_file *f,
						       struct prof_err *err),
			     void *ctx, struct prof_err *err) MUST_USE;

/* Add a file, with an id that no other has. */
enum prof_status store_put_file(struct store *s, const struct store_file *f,
				struct prof_err *err) MUST_USE;
enum prof_status store_drop_file(struct store *s, uint32_t id,
				 struct prof_err *err) MUST_USE;

/* A block as the database lists it: its meta and sums are bytes of this. */
struct store_block {
	int64_t id, day;
	uint32_t types;
	size_t n; /* profiles */
	const void *meta, *sums;
	size_t n_meta, n_sums;
};

/* Call visit() for each block from day `from` to day `to`, by id. */
enum prof_status
store_blocks(struct store *s, int64_t from, int64_t to,
	     enum prof_status (*visit)(void *ctx, const struct store_block *b,
				       struct prof_err *err),
	     void *ctx, struct prof_err *err) MUST_USE;

/*
 * The post of a function and column, for store_post_done(); *n is 0 if there
 * is none.
 */
enum prof_status store_post(struct store *s, int64_t block, uint32_t fn,
			    size_t column, const void **data, size_t *n,
			    struct prof_err *err) MUST_USE;
void store_post_done(struct store *s);

/* Call visit() for all posts of a block. */
enum prof_status
store_posts(struct store *s, int64_t block,
	    enum prof_status (*visit)(void *ctx, uint32_t fn, size_t column,
				      const void *data, size_t n,
				      struct prof_err *err),
	    void *ctx, struct prof_err *err) MUST_USE;

/*
 * Write b in place of what the database has of it; an id of 0 becomes the next
 * free one, and a block without profiles is removed.
 */
enum prof_status store_put_block(struct store *s, struct block *b,
				 struct prof_err *err) MUST_USE;

#endif
