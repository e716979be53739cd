/* punycode.c - see demangle-impl.h. */
#include "config.h"

#include "demangle-impl.h"

#include <stdbool.h>
#include <string.h>

/* The bias for the next delta: RFC 3492, section 6.1. */
static uint32_t
adapt(uint32_t delta, uint32_t n, bool is_first)
{
	uint32_t k = 0;

	delta /= is_first ? 700 : 2;
	delta += delta / n;
	for (; delta > 455; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* A generalized integer of RFC 3492 from *s to end. */
static bool
read_delta(const char **s, const char *end, uint32_t bias, uint32_t *v)
{
	uint32_t w = 1;

	*v = 0;
	for (uint32_t k = 36;; k += 36) {
		uint32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		uint32_t digit, add;
		char c;

		if (*s == end)
			return false;
		c = *(*s)++;
		if (c >= 'a' && c <= 'z')
			digit = (uint32_t)(c - 'a');
		else if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0') + 26;
		else
			return false;
		if (__builtin_mul_overflow(digit, w, &add) ||
		    __builtin_add_overflow(*v, add, v))
			return false;
		if (digit < t)
			return true;
		if (__builtin_mul_overflow(w, 36 - t, &w))
			return false;
	}
}

size_t
punycode_decode(const char *text, size_t len, char delimiter, uint32_t *wide,
		size_t max)
{
	const char *end = text + len, *s = memrchr(text, delimiter, len);
	size_t n = s ? (size_t)(s - text) : 0;
	uint32_t c = 128, i = 0, bias = 72, delta;
	bool is_first = true;

	if (n >= max)
		return 0;
	for (size_t k = 0; k < n; k++)
		wide[k] = (unsigned char)text[k];
	for (s = s ? s + 1 : text; s < end; is_first = false) {
		if (n == max || !read_delta(&s, end, bias, &delta) ||
		    __builtin_add_overflow(i, delta, &i))
			return 0;
		n++;
		bias = adapt(delta, (uint32_t)n, is_first);
		if (__builtin_add_overflow(c, i / (uint32_t)n, &c) ||
		    c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return 0;
		i %= (uint32_t)n;
		memmove(wide + i + 1, wide + i, (n - 1 - i) * sizeof(*wide));
		wide[i++] = c;
	}
	return n;
}
