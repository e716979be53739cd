/*
 * canon.h - the canonical form of a profile: tables hold only the entries that
 * samples use, in an order that depends only on their contents.
 */
#ifndef CANON_H
#define CANON_H

#include <stdbool.h>
#include <stdint.h>

struct mapping;
struct profile;

/*
 * Two mappings are equal if they have the same number of pages, the same offset
 * and the same file: by build id or, without one, by path.
 */
uint64_t mapping_pages(uint64_t size);
int mapping_key_cmp(const struct profile *p, const struct mapping *a,
		    const struct mapping *b);

/*
 * Drop the locations, functions and mappings of p that no sample uses; sort the
 * others by their contents, samples by stack, from the leaf on, and labels;
 * number everything from 1. main_mapping, an index or PROF_NONE, is always kept
 * and becomes the first: by convention that is the main binary. is_tight: the
 * caller guarantees that every location, function and mapping is used, except
 * perhaps main_mapping.
 *
 * Equal entries and equal samples are not merged (see merge.h) and keep their
 * order. Returns -1 without memory; then p may only be passed to
 * profile_free().
 */
int profile_canonicalize(struct profile *p, uint32_t main_mapping,
			 bool is_tight);

#endif
