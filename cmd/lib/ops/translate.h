/*
 * translate.h - combine the tables of many profiles: map the indices of the
 * current profile to those of a common one, without duplicates. Mappings are
 * equal by mapping_key_cmp() of canon.h; functions and locations if all their
 * fields are, with addresses relative to their mapping.
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

	/* The current profile, and its indices mapped to those of out, or
	 * PROF_NONE. */
	const struct profile *from;
	uint32_t *string, *map, *function, *location;
	size_t cap_string, cap_map, cap_function, cap_location;
	/* The translation of a location that is not used yet: its equal in out,
	 * found ahead of time, or PROF_NONE. */
	uint32_t *known;
	size_t cap_known;
};

/*
 * Begin to fill the tables of out, an empty profile. Until
 * translation_finish(), addresses in it are relative to their mappings.
 * Functions here return -1 or PROF_NONE without memory.
 */
int translation_init(struct translation *x, struct profile *out);
void translation_release(struct translation *x);

/*
 * Make `from` the current profile. Its mapping 0, if any, is added even if
 * unused.
 */
int translation_begin(struct translation *x, const struct profile *from);

uint32_t translate_string(struct translation *x, uint32_t s);

/* For translate_location(): a location that is not in x->location yet. */
uint32_t translate_new_location(struct translation *x, uint32_t i);

static inline uint32_t
translate_location(struct translation *x, uint32_t i)
{
	uint32_t l = x->location[i];

	return l != PROF_NONE ? l : translate_new_location(x, i);
}

/*
 * After the last profile: set the addresses of mappings and locations of out.
 * Returns the mapping that is to be the first, or PROF_NONE; *all_used: a
 * location uses every other mapping.
 */
uint32_t translation_finish(struct translation *x, bool *all_used);

#endif
