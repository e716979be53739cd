/*
 * canon.h - the canonical form of a profile: tables that hold only what
 * samples need, in an order that depends on nothing but what they say.
 */
#ifndef CANON_H
#define CANON_H

#include <stdbool.h>
#include <stdint.h>

struct mapping;
struct profile;

/*
 * What makes two mappings the same: how many pages they have, from which
 * offset, and of which file: by build id, or by path where there is none.
 */
uint64_t mapping_pages(uint64_t size);
int mapping_key_cmp(const struct profile *p, const struct mapping *a,
		    const struct mapping *b);

/*
 * Drop the locations, functions and mappings of p that no sample needs; sort
 * those that are left by what they say, and the samples by their stacks, from
 * the leaf on, and labels; number everything from 1. main_mapping, an index or
 * PROF_NONE, is always kept and becomes the first: by convention that is
 * the main binary. is_tight: the caller knows that every location is used, and
 * that every function and mapping, but perhaps main_mapping, is, too.
 *
 * Equal entries and equal samples stay apart, in the order they had:
 * merge.h makes them one. Returns -1 without memory, and p is then only good
 * for profile_free().
 */
int profile_canonicalize(struct profile *p, uint32_t main_mapping,
			 bool is_tight);

#endif
