/* ascii.h - classes of ASCII, whatever the locale. */
#ifndef ASCII_H
#define ASCII_H

#include <stdbool.h>

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
is_letter(char c)
{
	return is_lower(c) || is_upper(c);
}

/* The value of a digit of either case; -1: it is none. */
static inline int
hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
