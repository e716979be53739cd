/*
 * decimal.h - numbers as text, for outputs of so many that printf() would take
 * most of the time. Fractions are, to the byte, as printf() writes them.
 */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
	DECIMAL_MAX = 20,       /* digits of a number of 64 bits */
	DECIMAL_FRACTION = 352, /* room for any double, with two decimals */
};

/* Write the digits of v before end. Returns their start. */
static inline char *
decimal(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

/* Write x as "%.2f" does. Returns the length. */
size_t decimal_hundredths(char to[DECIMAL_FRACTION], double x);

/* Write x as "%.2g" does. Returns the length. */
size_t decimal_two_digits(char to[DECIMAL_FRACTION], double x);

#endif
