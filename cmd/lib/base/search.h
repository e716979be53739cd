/*
 * search.h - binary search in an array of n structs of `size` bytes, ascending
 * by an address: a uint64_t at offset `key` of each; or n addresses, key 0.
 */
#ifndef SEARCH_H
#define SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The first whose key is above at, or n. If the key is the end of a range, this
 * is the range that contains at, or the next one.
 */
static inline size_t
search_above(const void *base, size_t n, size_t size, size_t key, uint64_t at)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;
		uint64_t its;

		memcpy(&its, (const char *)base + mid * size + key,
		       sizeof(its));
		if (its <= at)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

/* The first whose key is at or above it, or n. */
static inline size_t
search_from(const void *base, size_t n, size_t size, size_t key, uint64_t at)
{
	return at ? search_above(base, n, size, key, at - 1) : 0;
}

#endif
