/*
 * demangle.c - any bytes as a mangled name, in each mode. The first byte
 * chooses a prefix, as a fuzzer would take long to find D's and Rust's ways in.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/names/demangle-impl.h"
#include "tests/fuzz/limit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const prefix[] = { "",   "_Z",    "_R",
					      "_D", "_RNvM", "_GLOBAL__I_" };
	const char *first;
	char *name, *shown;
	size_t len;

	if (n == 0)
		return 0;
	first = prefix[data[0] % (sizeof(prefix) / sizeof(*prefix))];
	len = strlen(first);
	name = malloc(len + n);
	if (!name)
		return 0;
	memcpy(name, first, len);
	memcpy(name + len, data + 1, n - 1);
	name[len + n - 1] = '\0';
	fuzz_limit(5);
	for (int mode = DEMANGLE_DEFAULT; mode <= DEMANGLE_NONE; mode++) {
		shown = demangle_name(name, (enum demangle_mode)mode);
		if (shown && strlen(shown) > 1 << 17)
			abort();
		free(shown);
		for (unsigned set = 1; set <= LANGUAGE_ADA; set <<= 1)
			free(demangle_by_language(name, set,
						  (enum demangle_mode)mode));
	}
	fuzz_limit(0);
	free(name);
	return 0;
}
