/*
 * block.h - profiles of one day as the cache has them: a block is up to
 * BLOCK_MAX profiles of one UTC day with the same sample types. Of each
 * profile it has an entry, and of each function in it, by sample type, flat and
 * cum: a cell. A profile of several programs has an entry for each, as each has
 * a build of its own; they follow one another.
 *
 * As bytes a block is
 *
 *	meta	for each column, the column whose cells it shares; then the
 *		entries
 *	sums	of all its profiles: for each function, by build, flat and cum
 *		of each column
 *	posts	for each function and column, its cells, by profile
 *
 * all in varints (lib/wire/wire.h), signed ones zigzag. The values of a profile
 * and column are divided by their greatest common divisor first, its scale: a
 * CPU profile counts in periods, so most values fit a byte, and the columns
 * "samples" and "cpu" usually have the same cells, stored once.
 *
 * Bytes come from a file that anybody may have damaged: readers check
 * everything, and return PROF_EFORMAT.
 */
#ifndef HISTORY_BLOCK_H
#define HISTORY_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

#define BLOCK_MAX 4096      /* profiles */
#define BLOCK_MAX_COLUMN 64 /* sample types of a profile */
#define BLOCK_HOUR_NS (3600 * INT64_C(1000000000))
#define BLOCK_DAY_NS (24 * BLOCK_HOUR_NS)

/* One profile, or one program of a profile of several. */
struct entry {
	uint32_t file;                /* the file that it is in */
	uint32_t part;                /* the program's number, from 1; 0: all */
	uint32_t build, host, labels; /* words; 0: unknown */
	int64_t time_ns, duration_ns;
};

/* One sample type of it. */
struct entry_column {
	int64_t total;   /* 100 % */
	int64_t samples; /* events that were sampled; 0: not known */
	int64_t scale;   /* of the stored values, 1 or more */
};

/* A function in profile entry[pos]. */
struct cell {
	uint32_t fn;
	uint32_t pos;
	int64_t flat, cum;
};

struct cells {
	struct cell *cell;
	size_t n, cap;
};

struct block {
	int64_t id;     /* in the cache; 0: not there yet */
	int64_t day;    /* since the epoch */
	uint32_t types; /* word: word_types() */
	size_t n_column;
	struct entry *entry;
	size_t n_entry, cap_entry;
	struct entry_column *column; /* n_entry rows of n_column */
	size_t cap_column;
	struct cells cells[BLOCK_MAX_COLUMN]; /* in the order of entries */
};

/* Free the contents of b; it is then empty and can be used again. */
void block_release(struct block *b);

/*
 * Add a profile; column has b->n_column elements. Its cells are added by
 * block_add_cell() afterwards. PROF_ENOMEM.
 */
enum prof_status block_add(struct block *b, const struct entry *e,
			   const struct entry_column *column,
			   struct prof_err *err) MUST_USE;

/* Add a cell of the last profile. PROF_ENOMEM. */
enum prof_status block_add_cell(struct block *b, size_t column, uint32_t fn,
				int64_t flat, int64_t cum,
				struct prof_err *err) MUST_USE;

/*
 * Remove the profiles i with gone[i], and their cells.
 */
void block_drop(struct block *b, const unsigned char *gone);

/* --- to bytes --- */

/* Where the bytes of a block go: post() is called by function and column. */
struct block_sink {
	enum prof_status (*post)(void *ctx, uint32_t fn, size_t column,
				 const struct buf *data, struct prof_err *err);
	void *ctx;
};

/*
 * Write b: posts to the sink, and meta and sums to the buffers, which the
 * caller releases. The cells are sorted by function.
 * PROF_ENOMEM, or what the sink says.
 */
enum prof_status block_write(struct block *b, const struct block_sink *sink,
			     struct buf *meta, struct buf *sums,
			     struct prof_err *err) MUST_USE;

/* --- from bytes --- */

/*
 * Read meta into b, whose n_column and n_entry say how many there must be; the
 * rest of b is empty. shared[c] is the column whose posts column c has.
 */
enum prof_status block_read_meta(struct block *b, size_t n_entry,
				 const void *meta, size_t n,
				 size_t shared[BLOCK_MAX_COLUMN],
				 struct prof_err *err) MUST_USE;

/*
 * Call visit() for each cell of a post: of function fn and column `column` of
 * b, whose entries are there.
 */
enum prof_status block_read_post(const struct block *b, size_t column,
				 uint32_t fn, const void *data, size_t n,
				 void (*visit)(void *ctx, const struct cell *c),
				 void *ctx, struct prof_err *err) MUST_USE;

/* Sums of a function over the profiles of one build in a block. */
struct block_sum {
	uint32_t fn, build;
	const int64_t *sum; /* flat and cum for each column */
};

/*
 * Call visit() for each sum, by function.
 */
enum prof_status block_read_sums(size_t n_column, const void *data, size_t n,
				 void (*visit)(void *ctx,
					       const struct block_sum *s),
				 void *ctx, struct prof_err *err) MUST_USE;

#endif
