/*
 * perf.c - any bytes into the reader of perf.data, in pieces of a size given by
 * the first byte. The result must obey the rules of the model.
 */
#include "config.h"

#include "lib/formats/perf/perf.h"
#include "lib/wire/zstd-in.h"
#include "tests/fuzz/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct perf_inflate inflate = { zstd_in_open, zstd_in_put,
					     zstd_in_close };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct perf_options o = { .max_bytes = 1 << 20, .inflate = &inflate };
	enum prof_status st = PROF_OK;
	struct perf_notes notes;
	struct prof_err err;
	struct profile *p = NULL;
	struct perf *r;
	size_t piece;

	if (n < 2)
		return 0;
	o.is_google = data[0] & 1;
	o.kernel = data[0] >> 1 & 3;
	o.kernel = o.kernel > PERF_KERNEL_FOLD ? PERF_KERNEL_KEEP : o.kernel;
	o.labels = data[0] & 8 ? ~0u : 0;
	o.weight = data[0] & 16;
	piece = 1 + (data[0] >> 5) * 997u;
	r = perf_new(&o);
	if (!r)
		return 0;
	for (size_t at = 1; st == PROF_OK && at < n; at += piece)
		st = perf_feed(r, 0, data + at, n - at < piece ? n - at : piece,
			       &err);
	if (st == PROF_OK)
		st = perf_end(r, 0, &err);
	if (st == PROF_OK && perf_finish(r, &p, &notes, &err) == PROF_OK)
		fuzz_identity(p);
	perf_free(r);
	return 0;
}
