/* brackets.c - see brackets.h. */
#include "config.h"

#include "brackets.h"

#include <stdlib.h>

/* One pass, as a name of 60,000 that nothing closes is made of a few bytes. */
uint32_t *
brackets_match(const char *s, size_t n)
{
	uint32_t *past = calloc(n + 1, 2 * sizeof(*past));
	uint32_t *open = past ? past + n + 1 : NULL, n_open = 0;

	for (uint32_t i = 0; past && i < n; i++) {
		switch (s[i]) {
		case '(':
		case '[':
		case '{':
		case '<':
			open[n_open++] = i;
			break;
		case ')':
		case ']':
		case '}':
			while (n_open && s[open[n_open - 1]] == '<')
				n_open--;
			n_open -= n_open > 0;
			break;
		case '>':
			if (n_open && s[open[n_open - 1]] == '<' &&
			    s[i - 1] != '-')
				past[open[--n_open]] = i + 1;
			break;
		}
	}
	return past;
}
