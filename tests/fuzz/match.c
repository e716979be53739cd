/*
 * match.c - any pattern against any text: the pattern ends at the first NUL.
 * Matching must end soon, and give the same result twice.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *nul = memchr(data, '\0', n);
	enum prof_status first, second;
	bool yes = false, again = false;
	struct match *m = NULL;
	struct prof_err err;
	char *pattern, *text;
	size_t n_text;

	if (!nul || n > 4096)
		return 0;
	n_text = n - (size_t)(nul + 1 - data);
	pattern = malloc(n + 1);
	text = malloc(n_text + 1);
	if (!pattern || !text)
		abort();
	memcpy(pattern, data, (size_t)(nul + 1 - data));
	memcpy(text, nul + 1, n_text);
	text[n_text] = '\0';
	for (int flags = 0; flags <= MATCH_WHOLE; flags++) {
		if (match_new("fuzz", pattern, flags, &m, &err) != PROF_OK)
			continue;
		first = match_bytes(m, text, n_text, &yes, &err);
		second = match_bytes(m, text, n_text, &again, &err);
		if (first != second || yes != again)
			abort();
		match_free(m);
	}
	free(pattern);
	free(text);
	return 0;
}
