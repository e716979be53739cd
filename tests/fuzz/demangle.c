/*
 * demangle.c - any bytes as a mangled name, in each mode, and as what libiberty
 * shows of one. The first byte chooses a prefix. libiberty itself is in another
 * process, which a name may end.
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
#if HAVE_LIBIBERTY
	void (*const strip[])(char *name) = {
		demangle_strip_templates,
		demangle_strip_generics,
	};
#endif

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
		if (shown && strlen(shown) > 1 << 16)
			abort();
		free(shown);
		for (unsigned set = 1; set <= LANGUAGE_ADA; set <<= 1)
			free(demangle_by_language(name, set,
						  (enum demangle_mode)mode));
	}
#if HAVE_LIBIBERTY
	for (int i = 0; i < 4; i++) {
		memcpy(name, data + 1, n - 1);
		name[n - 1] = '\0';
		if (i < 2)
			strip[i](name);
		else
			demangle_strip_d(name, i == 2);
		if (strlen(name) > n - 1)
			abort();
	}
#endif
	fuzz_limit(0);
	free(name);
	return 0;
}
