/* bytes.h - what n bytes, which need no NUL, begin and end with.
 */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool
bytes_begin(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	return n >= len && !memcmp(s, word, len);
}

static inline bool
bytes_end(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	return n >= len && !memcmp(s + n - len, word, len);
}

/* false for no bytes. */
static inline bool
bytes_are_zero(const void *data, size_t n)
{
	const char *s = data;

	return n && !*s && !memcmp(s, s + 1, n - 1);
}

#endif
