/*
 * origin.h - names of functions: from their entries, or from those that they
 * are instances of, which may be in another unit or another file.
 */
#ifndef DWARF_ORIGIN_H
#define DWARF_ORIGIN_H

#include "scan.h"

/* Read the attributes of the functions at the addresses of s. */
void origin_read_nodes(struct scan *s, struct abbrev_cache *cache);

#endif
