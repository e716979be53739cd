/*
 * names.h - strings of the cache by number: the names of functions, and words
 * (build-ids, hosts, types, labels). Numbers are those of a strtab, so 0 is "".
 */
#ifndef HISTORY_NAMES_H
#define HISTORY_NAMES_H

#include "lib/base/strtab.h"

struct arena;

struct names {
	struct arena *arena;
	struct strtab t;
	size_t n_stored; /* as many are in the cache */
};

/* Begin with no names. Returns -1 without memory. */
int names_init(struct names *x);
void names_release(struct names *x);

static inline const struct str *
names_str(const struct names *x, uint32_t i)
{
	return &x->t.str[i < x->t.n_str ? i : 0];
}

#endif
