/*
 * deflate-walk.h - find the end of a deflate stream, to the bit. libdeflate
 * writes only whole streams: the last block is marked as the last, and the last
 * byte is padded. Appending to such a stream requires both positions, and so a
 * walk over its codes.
 */
#ifndef DEFLATE_WALK_H
#define DEFLATE_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#define DEFLATE_WALK_SLACK 16 /* bytes of room needed after the stream */

struct deflate_walk; /* tables, rebuilt for each block */

/* NULL without memory. */
struct deflate_walk *deflate_walk_new(void);
void deflate_walk_free(struct deflate_walk *w);

/*
 * Change the complete deflate stream of n bytes at data so that another may
 * follow: no block is the last, and it ends with an empty stored block, at a
 * byte boundary. Needs DEFLATE_WALK_SLACK bytes of room after it. Returns the
 * new length, at most n + 5; 0 if data is not a deflate stream of n bytes.
 */
size_t deflate_walk_reopen(struct deflate_walk *w, uint8_t *data,
			   size_t n) MUST_USE;

#endif
