/*
 * translate.h - the tables of many profiles in one: from the indices of the
 * profile at hand to those of a common one, in which equal entries are one.
 * What makes entries equal: of mappings, mapping_key_cmp() of canon.h; of
 * functions and locations, all that they say, addresses relative to their
 * mapping.
 */
#ifndef TRANSLATE_H
#define TRANSLATE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/hashtab.h"
#include "lib/model/profile.h"

struct mapping_state;

struct translation {
	struct profile *out; /* the common one; the caller's */
	struct hashtab mappings, functions, locations;
	struct mapping_state *mapping;
	size_t cap_mapping;

	/* The profile at hand; of its indices those in out, or PROF_NONE. */
	const struct profile *from;
	uint32_t *string, *map, *function, *location;
	size_t cap_string, cap_map, cap_function, cap_location;
};

/*
 * Begin to fill the tables of out, an empty profile. Until
 * translation_finish() the addresses in it are relative to their mappings.
 * All functions here return -1 or PROF_NONE without memory.
 */
int translation_init(struct translation *x, struct profile *out);
void translation_release(struct translation *x);

/*
 * Turn to the profile `from`. Its mapping 0, if any, is taken over even when
 * nothing uses it.
 */
int translation_begin(struct translation *x, const struct profile *from);

uint32_t translate_string(struct translation *x, uint32_t s);

/* For translate_location(): one that x->location does not know yet. */
uint32_t translate_new_location(struct translation *x, uint32_t i);

static inline uint32_t
translate_location(struct translation *x, uint32_t i)
{
	uint32_t l = x->location[i];

	return l != PROF_NONE ? l : translate_new_location(x, i);
}

/*
 * The last profile is done: give mappings and locations of out their
 * addresses. Returns the mapping that is to be the first, or PROF_NONE;
 * *all_used: every other one is used by a location.
 */
uint32_t translation_finish(struct translation *x, bool *all_used);

#endif
