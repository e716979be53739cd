/*
 * number.h - numbers in text, without strtoull(): its page and that of its
 * locale are two faults in every process of a shell script, and the headers of
 * glibc 2.38 and later call it by a name that older ones and musl lack.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

/* Read a number of base 10, or of base 16 with 0x or without it, after spaces,
 * and move *text behind it: where it was if there is none. UINT64_MAX: or more.
 */
static inline uint64_t
number_read(const char **text, unsigned base)
{
	const char *at = *text;
	uint64_t n = 0;

	while (*at == ' ')
		at++;
	if (base == 16 && at[0] == '0' && at[1] == 'x')
		at += 2;
	for (;; at++) {
		unsigned digit =
			*at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
			: *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
						   : base;

		if (digit >= base)
			return n;
		n = n > (UINT64_MAX - digit) / base ? UINT64_MAX
						    : n * base + digit;
		*text = at + 1;
	}
}

#endif
