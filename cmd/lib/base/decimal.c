/*
 * decimal.c - see decimal.h. x times a power of ten is rounded to an integer.
 * The product is off by less than NEAR while it is below LARGE, so the result
 * is right unless x is so close to a tie that bits which the product lost
 * decide: those, and all large numbers, are left to printf().
 */
#include "config.h"

#include "decimal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LARGE 1e9
#define NEAR 1e-6 /* the product is off by 1e9 * 2^-53 at most */

/* Round y to *n. Returns false if y is negative, large, no number or a tie. */
static bool
round_to(uint64_t *n, double y)
{
	double rest;

	if (!(y >= 0 && y < LARGE))
		return false;
	*n = (uint64_t)y;
	rest = y - (double)*n;
	if (rest > 0.5 - NEAR && rest < 0.5 + NEAR)
		return false;
	*n += rest > 0.5;
	return true;
}

/* Write n / 10^places, with all places. Returns the length. */
static size_t
put_fixed(char *to, uint64_t n, size_t places)
{
	char digits[DECIMAL_MAX];
	char *end = digits + sizeof(digits), *from;
	size_t whole;

	memset(digits, '0', sizeof(digits));
	from = decimal(end, n);
	if ((size_t)(end - from) <= places)
		from = end - places - 1;
	whole = (size_t)(end - from) - places;
	memcpy(to, from, whole);
	to[whole] = '.';
	memcpy(to + whole + 1, end - places, places);
	to[whole + 1 + places] = '\0';
	return whole + 1 + places;
}

size_t
decimal_hundredths(char to[DECIMAL_FRACTION], double x)
{
	bool minus = __builtin_signbit(x);
	uint64_t n;

	if (!round_to(&n, (minus ? -x : x) * 100))
		return (size_t)snprintf(to, DECIMAL_FRACTION, "%.2f", x);
	*to = '-';
	return minus + put_fixed(to + minus, n, 2);
}

size_t
decimal_two_digits(char to[DECIMAL_FRACTION], double x)
{
	/* The places of two digits of numbers from each limit on. */
	static const double limit[] = { 1, 0.1, 0.01, 0.001, 0.0001 };
	static const double scale[] = { 10, 100, 1000, 10000, 100000 };
	size_t i = 0, len;
	uint64_t n;

	while (i < 5 && !(x >= limit[i]))
		i++;
	if (i == 5 || x >= 9.9 || !round_to(&n, x * scale[i]))
		return (size_t)snprintf(to, DECIMAL_FRACTION, "%.2g", x);
	len = put_fixed(to, n, i + 1);
	while (to[len - 1] == '0')
		len--;
	if (to[len - 1] == '.')
		len--;
	to[len] = '\0';
	return len;
}
