/*
 * rare-stacks.h - fold rare stacks into their callers, so that a sum of many
 * profiles stays small while its totals stay right.
 */
#ifndef RARE_STACKS_H
#define RARE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/model/profile.h"

/* The result of rare_stacks_fold(). */
struct rare_stacks_notes {
	size_t n_sample;   /* samples in p */
	size_t n_folded;   /* ... that lost frames */
	int64_t n_counted; /* their count, out of total */
	int64_t total;
};

/*
 * Cut frames off the leaf of each stack that counts less than min, until the
 * stacks that end at its new leaf count min, or one frame is left. The count of
 * a sample is its absolute value in the first column with unit "count", or 1 if
 * there is no such column; labels do not distinguish stacks. Totals stay, and
 * so does the cum of every remaining frame; flat moves from callees to callers.
 * Folding a sum is not the sum of folded parts: do it last. Equal samples are
 * not summed. PROF_ENOMEM.
 */
enum prof_status rare_stacks_fold(struct profile *p, int64_t min,
				  struct rare_stacks_notes *notes,
				  struct prof_err *err) MUST_USE;

#endif
