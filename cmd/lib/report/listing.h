/*
 * listing.h - the source lines of functions with their values: the numbers of
 * prof-list and of the source views. The source text comes from code/sources.h;
 * instructions from code/assembly.h.
 *
 * A block is one function in one file, by printed names: pprof's ROUTINE.
 * Functions that are only inlined have blocks, too. doc/differences.md has the
 * rules that differ from pprof's.
 */
#ifndef LISTING_H
#define LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct arena;
struct frames;
struct graph_options;
struct str;

#define LISTING_MARGIN 5 /* lines shown around those with values */

/* Sums are as printed: divided, if the mean is asked for. */
struct listing_line {
	int64_t line; /* 0 or less: unknown */
	int64_t flat, cum;
	int64_t flat_before, cum_before; /* if listing.has_sides, else 0 */
};

struct listing_block {
	uint32_t name, file; /* strings of frames; file is 0 when unknown */
	uint32_t location;   /* of the profile: one of the block */
	int64_t flat, cum;   /* a sample counts once */
	int64_t flat_before, cum_before; /* as in listing_line */
	/*
	 * The listed lines, if the file has them: from the start of the
	 * functions (or the margin above the first value), at least 1, to the
	 * margin below the last value.
	 */
	int64_t first, last;
	size_t line, n_line; /* listing.line[line]...: ascending, distinct */
};

struct listing {
	const struct frames *frames;
	struct arena *arena;         /* holds everything below */
	struct listing_block *block; /* by name, then file, as bytes */
	size_t n_block;
	struct listing_line *line;
	size_t n_line;
	/*
	 * Both sides of a difference are kept: flat and cum are the values
	 * after, *_before those before (changes.h).
	 */
	bool has_sides;
};

/*
 * List the functions whose name wants() accepts. It is called once for each
 * distinct name, and for "" only if there are frames without name. f must be
 * BY_LINE with by_object, and outlive the result. Uses o->column, mean,
 * leave_out and drop_negative. Lines whose values all cancel out are omitted,
 * as are blocks without lines.
 *
 * sides: keep the base of a difference separate; o->leave_out must be NULL.
 * Then values that cancel out are listed, and drop_negative applies to changes.
 * *out is the caller's, for listing_free(). PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status listing_new(const struct frames *f,
			     const struct graph_options *o, bool sides,
			     bool (*wants)(const struct str *name, void *ctx),
			     void *ctx, struct listing **out,
			     struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void listing_free(struct listing *l);

#endif
