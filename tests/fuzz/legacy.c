/*
 * legacy.c - any bytes into the parsers of legacy formats. What they
 * accept must obey the rules of the model and survive a round trip.
 */
#include "config.h"

#include "lib/formats/legacy/legacy.h"
#include "tests/fuzz/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p;
	struct prof_err err;

	if (legacy_sniff(data, n) != LEGACY_NONE &&
	    legacy_parse(data, n, n & 1 ? LEGACY_STRIP_HANDLER : 0, &p, &err) ==
		    PROF_OK)
		fuzz_identity(p);
	return 0;
}
