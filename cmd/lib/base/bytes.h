/* bytes.h - words at the beginning and the end of n bytes, which need no NUL.
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

#endif
