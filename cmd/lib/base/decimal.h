/*
 * decimal.h - numbers as text, for outputs of so many that printf() would take
 * most of the time.
 */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdint.h>

enum { DECIMAL_MAX = 20 }; /* digits of a number of 64 bits */

/* Write the digits of v before end. Returns their start. */
static inline char *
decimal(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

#endif
