/* catalog-block.h - whole blocks of a cache, to change them. */
#ifndef HISTORY_CATALOG_BLOCK_H
#define HISTORY_CATALOG_BLOCK_H

#include "catalog.h"

/*
 * Read block id, of day `day`, with all its cells into b, which is zeros.
 * PROF_EFORMAT: the cache is damaged.
 */
enum prof_status catalog_load_block(struct catalog *a, int64_t id, int64_t day,
				    struct block *b,
				    struct prof_err *err) MUST_USE;

#endif
