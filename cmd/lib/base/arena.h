/*
 * arena.h - memory that is freed all at once. A profile owns one arena, and
 * everything reachable from the profile lives in it.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena;

/* A new, empty arena, to end with arena_free(); NULL without memory. */
struct arena *arena_new(void);

/* Free a and all that was allocated from it. NULL is allowed. */
void arena_free(struct arena *a);

/*
 * size bytes aligned for any type, not cleared; they live until arena_free().
 * NULL without memory. size 0 gives a valid pointer.
 */
void *arena_alloc(struct arena *a, size_t size);

/* arena_alloc(n * size), or NULL when the product overflows. */
void *arena_array(struct arena *a, size_t n, size_t size);

/*
 * Make room for n elements of the given size in a growable array: p is NULL
 * or the result of an earlier arena_grow(), *cap its capacity (0 at first).
 * The capacity at least doubles, and large blocks move without a copy, so
 * growing an array by one is cheap. The array is not cleared. Returns NULL, and
 * leaves p and *cap as they are, without memory.
 */
void *arena_grow(struct arena *a, void *p, size_t *cap, size_t n, size_t size);

#endif
