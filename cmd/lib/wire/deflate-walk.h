/*
 * deflate-walk.h - where a deflate stream ends, to the bit. libdeflate writes
 * whole streams only: the last block is marked as the last, and the rest of the
 * last byte is padding. To append to such a stream, both places must be found,
 * which takes a walk over its codes.
 */
#ifndef DEFLATE_WALK_H
#define DEFLATE_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#define DEFLATE_WALK_SLACK 16 /* bytes after the stream that are ours, too */

struct deflate_walk; /* tables, made anew for each block */

/* NULL without memory. */
struct deflate_walk *deflate_walk_new(void);
void deflate_walk_free(struct deflate_walk *w);

/*
 * Make the whole deflate stream of n bytes at data one that another may follow:
 * no block of it is the last, and it ends with an empty stored block, which
 * ends at a byte. There is room for DEFLATE_WALK_SLACK bytes more. Returns the
 * new length, at most n + 5; or 0 if that is no deflate stream of n bytes.
 */
size_t deflate_walk_reopen(struct deflate_walk *w, uint8_t *data,
			   size_t n) MUST_USE;

#endif
