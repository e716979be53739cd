/* addrs.h - sorted arrays of addresses. */
#ifndef ADDRS_H
#define ADDRS_H

#include <stddef.h>
#include <stdint.h>

/* The index of the first of n sorted addresses that is not below a, or n. */
static inline size_t
addrs_lower_bound(const uint64_t *addr, size_t n, uint64_t a)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (addr[mid] < a)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

#endif
