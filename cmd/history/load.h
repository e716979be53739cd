/* load.h - whole blocks of a cache: to change, reduce or drop them. */
#ifndef HISTORY_LOAD_H
#define HISTORY_LOAD_H

#include "archive.h"

/*
 * Read block id, of day `day`, with all its cells into b, which is zeros.
 * PROF_EFORMAT: the cache is damaged.
 */
enum prof_status load_block(struct archive *a, int64_t id, int64_t day,
			    struct block *b, struct prof_err *err) MUST_USE;

/*
 * Reduce the cache to a detail that is less than it has (groups.h), without
 * reading a profile: also those are kept that prof-thin has summed. After an
 * error it is unchanged.
 */
enum prof_status load_coarsen(struct archive *a, enum detail detail,
			      struct prof_err *err) MUST_USE;

/*
 * Files to be read again, because a cell that is the sum of several profiles
 * cannot lose one of them. Begins with zeros; free(is).
 */
struct lost {
	unsigned char *is; /* by id of file, n_id of them */
	size_t n_id;
	size_t n, n_entry; /* files, and their entries that were dropped */
};

/*
 * Note the files of b (0: none), all below n_id, which is the same each time;
 * drop b.
 */
enum prof_status lose_block(struct lost *x, struct archive *a, struct block *b,
			    size_t n_id, struct prof_err *err) MUST_USE;

/*
 * After the last: drop the files from the cache, as if they were new. Sums that
 * prof-thin made have entries in other blocks, which are dropped as well.
 */
enum prof_status lose_files(struct lost *x, struct archive *a,
			    struct prof_err *err) MUST_USE;

#endif
