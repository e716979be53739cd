/*
 * chain.h - more of a stack than its copy: the kernel follows frame pointers to
 * the end, which are all of the stack in Go, and in distributions whose code
 * keeps them.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "walk.h"

/*
 * Continue a walk of n frames at pc, with room for max, that ended with its
 * copy (UNWIND_TRUNCATED) or where code changed the stack (UNWIND_SWITCHED).
 * chain has n_chain addresses as in pc, found by frame pointers alone. Callers
 * follow if pc has all that chain has before them; those of code without frame
 * pointers are missing, and so is the caller of the code that changed the
 * stack, as that code has none. Returns the number of frames, and sets
 * info->end if they reach the root; what was switched and does not, ends with
 * an UNWIND_GAP.
 */
size_t chain_continue(walk_find_fn *find, void *ctx, const uint64_t *chain,
		      size_t n_chain, uint64_t *pc, size_t n, size_t max,
		      struct unwind_info *info);

#endif
