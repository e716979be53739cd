/*
 * decode.c - any bytes into the decoder. What it accepts must obey the
 * rules of the model, and writing it must be the identity from then on.
 */
#include "config.h"

#include "lib/wire/codec.h"
#include "tests/fuzz/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p;
	struct prof_err err;

	if (profile_decode(data, n, &p, &err) == PROF_OK)
		fuzz_identity(p);
	return 0;
}
