/* load.h - whole blocks of a cache, to change them. */
#ifndef HISTORY_LOAD_H
#define HISTORY_LOAD_H

#include "archive.h"

/*
 * Read block id, of day `day`, with all its cells into b, which is zeros.
 * PROF_EFORMAT: the cache is damaged.
 */
enum prof_status load_block(struct archive *a, int64_t id, int64_t day,
			    struct block *b, struct prof_err *err) MUST_USE;

#endif
