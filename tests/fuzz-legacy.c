/*
 * fuzz-legacy.c - any bytes into the parsers of legacy formats. What they
 * accept must obey the rules of the model and survive a round trip.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/codec.h"
#include "lib/legacy.h"
#include "lib/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf once = { 0 }, twice = { 0 };
	struct profile *p, *q;
	struct prof_err err;

	if (legacy_sniff(data, n) == LEGACY_NONE ||
	    legacy_parse(data, n, n & 1 ? LEGACY_STRIP_HANDLER : 0, &p, &err) !=
		    PROF_OK)
		return 0;
	if (profile_check(p, &err) != PROF_OK ||
	    profile_encode(p, &once, &err) != PROF_OK ||
	    profile_decode(once.data, once.n, &q, &err) != PROF_OK ||
	    profile_encode(q, &twice, &err) != PROF_OK || once.n != twice.n ||
	    memcmp(once.data, twice.data, once.n))
		abort();
	buf_release(&once);
	buf_release(&twice);
	profile_free(p);
	profile_free(q);
	return 0;
}
