/*
 * origin.h - names of functions: their own, or those of the entries that they
 * are instances of, which may be in another unit or in another file.
 */
#ifndef DWARF_ORIGIN_H
#define DWARF_ORIGIN_H

#include "scan.h"

/* Read what is to be known of the functions at the addresses of s. */
void origin_read_nodes(struct scan *s, struct abbrev_cache *cache);

#endif
