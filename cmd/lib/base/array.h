/* array.h - arrays on the heap that grow as they are filled. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>

/* The slow path of array_reserve(). */
int array_grow(void *array, size_t *cap, size_t want, size_t size);

/*
 * Make room for want elements of size bytes in an array that was malloc'd or is
 * NULL; array is the address of the pointer to it and *cap counts elements. An
 * array that moves at least doubles, so adding elements one by one is cheap.
 * Returns -1, all unchanged, without memory.
 */
static inline int
array_reserve(void *array, size_t *cap, size_t want, size_t size)
{
	return want <= *cap ? 0 : array_grow(array, cap, want, size);
}

#endif
