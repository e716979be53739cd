/* stream.c - any bytes as a stream, with a small cap. */
#include "config.h"

#include <stdlib.h>

#include "lib/model/profile.h"
#include "lib/stream/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const size_t max = 1 << 20;
	struct buf raw = { 0 };
	struct profile *p;
	struct prof_err err;

	if (stream_inflate(data, n, max, &raw, &err) != PROF_OK)
		return 0;
	if (raw.n > max)
		abort();
	if (profile_parse(raw.data, raw.n, &p, &err) == PROF_OK) {
		if (profile_check(p, &err) != PROF_OK)
			abort();
		profile_free(p);
	}
	buf_release(&raw);
	return 0;
}
