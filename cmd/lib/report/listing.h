/*
 * listing.h - which source lines of which functions have values: the numbers
 * of prof-list and of the source views. Pure: where the text of the lines comes
 * from is list/sources.h; instructions are list/assembly.h.
 *
 * A block is one function in one file, by printed names: what pprof calls a
 * ROUTINE. Functions that are only inlined have blocks too. Rules that differ
 * from pprof's are in doc/differences.md.
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

#define LISTING_MARGIN 5 /* lines that are shown around those with values */

/* Sums are those that are printed: divided, if the mean is asked for. */
struct listing_line {
	int64_t line; /* 0 or less: unknown */
	int64_t flat, cum;
	int64_t flat_before, cum_before; /* of listing.has_sides; else 0 */
};

struct listing_block {
	uint32_t name, file; /* strings of frames; file is 0 when unknown */
	uint32_t location;   /* of the profile: one that is in the block */
	int64_t flat, cum; /* a sample counts once, however often it is here */
	int64_t flat_before, cum_before; /* as in listing_line */
	/*
	 * The lines that are listed, if the file has them: from where the
	 * functions begin (or the margin above the first value), at least 1, to
	 * the margin below the last value.
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
	 * Both sides of a difference: flat and cum are what there is after,
	 * beside what there was before (changes.h).
	 */
	bool has_sides;
};

/*
 * The listing of the functions whose name wants() accepts; it is asked once for
 * each distinct name that is not "", and for "" if there are frames without.
 * f must be BY_LINE with by_object, and outlive the result; of o, column, mean,
 * leave_out and drop_negative are followed. Lines all of whose values cancel
 * out are left out, as are blocks without lines.
 *
 * sides: keep the base of a difference apart; o->leave_out must be NULL. Then
 * values that cancel out are there, and drop_negative is about changes. *out is
 * the caller's, for listing_free(). PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status listing_new(const struct frames *f,
			     const struct graph_options *o, bool sides,
			     bool (*wants)(const struct str *name, void *ctx),
			     void *ctx, struct listing **out,
			     struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void listing_free(struct listing *l);

#endif
