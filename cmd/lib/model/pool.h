/*
 * pool.h - grow the arrays of a profile, for modules that build one without
 * profile_add_*().
 */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

#include "lib/base/arena.h"

/*
 * Make room for n entries past `used` in the array p->arr, whose capacity is
 * p->room.field. Returns -1, with the array as it was, without memory.
 */
#define POOL_RESERVE(p, arr, used, field, n)                                   \
	pool_reserve((p)->arena, &(p)->arr, sizeof(*(p)->arr),                 \
		     &(p)->room.field, (used), (n))

int pool_grow(struct arena *a, void *array, size_t size, size_t *cap,
	      size_t used, size_t n);

/* array: the address of the pointer to the array, which holds `used` entries or
 * will. Nearly always there is room. */
static inline int
pool_reserve(struct arena *a, void *array, size_t size, size_t *cap,
	     size_t used, size_t n)
{
	if (*cap && used <= *cap && n <= *cap - used)
		return 0;
	return pool_grow(a, array, size, cap, used, n);
}

#endif
