/*
 * catalog.h - an archive of profiles and its cache (store.h), which is updated
 * each time it is opened: new profiles are read, and the entries of files that
 * were removed, or changed, are dropped.
 *
 * One exception is the sum that prof-thin puts in place of a folder: F.pb.gz
 * for the files F/.... If its totals are those of the removed files, their
 * entries stay, and belong to the sum from then on: the cache still has the
 * minutes when the archive has only days. If the totals differ, because the
 * cache has not seen some of the profiles, the sum is read instead.
 */
#ifndef HISTORY_CATALOG_H
#define HISTORY_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "history/store/block.h"
#include "history/store/names.h"
#include "history/store/store.h"
#include "lib/base/status.h"
#include "walk.h"

struct catalog {
	const char *root; /* NULL: files that were named one by one */
	struct walk walk;
	struct store *store;
	struct names functions, words;
};

/* What a refresh did. */
struct catalog_news {
	size_t n_read, n_gone, n_handed; /* files */
	size_t n_new_bad; /* files that cannot be read, reported in this run */
	size_t n_bad;     /* ... and those reported in an earlier run */
	char *bad;        /* the first of these, and why; for free() */
	size_t n_no_time; /* profiles read, with the time of the file */
	bool has_moved;   /* a file was listed, and gone before it was read */
	bool was_damaged; /* the cache was, and was made anew */
	char *no_cache;   /* why nothing is kept, or NULL; for free() */
};

struct catalog_options {
	size_t max_size;   /* of a profile, inflated */
	bool is_rebuild;   /* throw the cache away first */
	const char *index; /* the file of the cache; NULL: in the archive */
	/* Called for each new file that cannot be read. */
	void (*tell_bad)(const char *root, const char *path, const char *why);
};

/*
 * Open the archive in folder root, or if that is NULL what was added to
 * a->walk, which begins with zeros. *news is filled. A damaged cache is made
 * anew. To end with catalog_close(), whatever it returns. PROF_EUSAGE:
 * options->index is a file of another kind, or in no folder.
 */
enum prof_status catalog_open(struct catalog *a, const char *root,
			      const struct catalog_options *o,
			      struct catalog_news *news,
			      struct prof_err *err) MUST_USE;
void catalog_close(struct catalog *a);
void catalog_news_release(struct catalog_news *news);

/* Read the meta of a block as the store lists it; b is zeros. PROF_EFORMAT. */
enum prof_status catalog_read_meta(const struct catalog *a,
				   const struct store_block *s, struct block *b,
				   size_t shared[BLOCK_MAX_COLUMN],
				   struct prof_err *err) MUST_USE;

#endif
