/* punycode.h - Unicode as ASCII: RFC 3492, with lower case letters only. */
#ifndef PUNYCODE_H
#define PUNYCODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode len bytes into at most max characters. The delimiter stands between
 * the ASCII characters and the deltas. Returns how many characters there are;
 * 0: more than max, or wrong. Takes time quadratic in max.
 */
size_t punycode_decode(const char *text, size_t len, char delimiter,
		       uint32_t *wide, size_t max);

#endif
