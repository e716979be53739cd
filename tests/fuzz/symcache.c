/*
 * symcache.c - any bytes as an entry of the symbol cache, with the checksum
 * disabled. What can be read must survive a round trip.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/binary/symcache-image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char key[] = "key";

static void
same(const struct symbol_frame *a, const struct symbol_frame *b, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(a[i].name, b[i].name) != 0 ||
		    strcmp(a[i].file, b[i].file) != 0 ||
		    a[i].line != b[i].line || a[i].column != b[i].column ||
		    a[i].start_line != b[i].start_line)
			abort();
}

/* All that image a has is in the one that is made of it. */
static void
copy(const struct image *a)
{
	static struct symbol_frame frame[SYMCACHE_MAX_FRAMES],
		again[SYMCACHE_MAX_FRAMES];
	struct image_maker m;
	struct buf bytes = { 0 };
	uint64_t last = 0;
	struct image b;

	if (image_maker_init(&m) < 0)
		return;
	for (uint32_t i = 0; i < a->n_addr; i++) {
		int n = image_find(a, a->addr[i], frame);

		/* Each address once, as the maker wants it. */
		if (n < 0 || (m.n_entry && a->addr[i] <= last))
			continue;
		last = a->addr[i];
		if (image_add(&m, last, frame, (size_t)n) < 0)
			abort();
	}
	if (image_write(&m, key, &bytes) != 0 ||
	    !image_read(&b, bytes.data, bytes.n, key, true))
		abort();
	for (uint32_t i = 0; i < b.n_addr; i++) {
		int n = image_find(a, b.addr[i], frame);

		if (n < 0 || image_find(&b, b.addr[i], again) != n)
			abort();
		same(frame, again, n);
	}
	buf_release(&bytes);
	image_maker_release(&m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* A separate block: aligned, and with an end. */
	void *bytes = malloc(n ? n : 1);
	struct image im;

	if (!bytes)
		return 0;
	memcpy(bytes, data, n);
	if (image_read(&im, bytes, n, key, false))
		copy(&im);
	image_read(&im, bytes, n, key, true);
	free(bytes);
	return 0;
}
