/* fixture.c - any text into the fixture parser. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	struct profile *p;
	struct prof_err err;

	if (!text)
		return 0;
	memcpy(text, data, n);
	text[n] = '\0';
	if (fixture_parse(text, &p, &err) == PROF_OK &&
	    profile_check(p, &err) != PROF_OK)
		abort();
	profile_free(p);
	free(text);
	return 0;
}
