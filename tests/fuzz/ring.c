/*
 * ring.c - any bytes as records of a perf ring, one after the other: their
 * sizes are made to fit, as the kernel's do, and nothing else.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libsample/shm.h"
#include "record/perf/event-kind.h"
#include "record/perf/file.h"
#include "record/perf/kernel.h"
#include "record/perf/label.h"
#include "record/perf/sample.h"
#include "record/perf/space.h"
#include "record/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct perf_kind *const kind[] = {
		&perf_kind_clock, &perf_kind_offcpu,
		perf_kind_find("page-faults", strlen("page-faults"))
	};
	static const uint64_t period[] = { 1, 1, 0 };
	const struct perf_kernel kernel = { .start = UINT64_MAX / 2,
					    .limit = UINT64_MAX };
	struct shm_process count = { 0 };
	struct tally *t = tally_new();
	struct perf_sampler *s = perf_sampler_new(
		t, &count, &kernel,
		PERF_LABEL_THREAD | PERF_LABEL_TID | PERF_LABEL_CPU |
			PERF_LABEL_CGROUP | PERF_LABEL_CONTAINER);

	if (!t || !s || !perf_sampler_kinds(s, kind, period, 3, n % 2))
		abort();
	while (n >= sizeof(struct perf_event_header)) {
		struct perf_event_header *h;
		size_t size;

		h = malloc(n < 65528 ? n : 65528);
		if (!h)
			abort();
		memcpy(h, data, sizeof(*h));
		size = h->size < sizeof(*h) ? sizeof(*h) : h->size;
		if (size > n)
			size = n < 65528 ? n : 65528;
		memcpy(h, data, size);
		h->size = (uint16_t)size;
		h = realloc(h, size);
		if (!h)
			abort();
		perf_record_time(h);
		while (!perf_sampler_take(s, n % 3, h))
			files_wait(spaces_files(perf_sampler_spaces(s)), 1000);
		free(h);
		data += size;
		n -= size;
	}
	perf_sampler_until(s, UINT64_MAX);
	perf_sampler_free(s);
	tally_free(t);
	return 0;
}
