/*
 * series.c - any bytes as profiles one after the other, once as a file and
 * once through a pipe: both must give the same profiles and the same end.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/model/profile.h"
#include "lib/stream/series.h"

enum { MAX_INPUT = 60000 }; /* what a pipe takes at once */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct outcome {
	size_t n_profile, n_sample;
	enum prof_status status;
};

static struct outcome
read_all(int fd)
{
	struct outcome o = { 0 };
	struct stream_series s;
	struct profile *p;
	struct prof_err err;

	stream_series_init(&s, fd, 1 << 20);
	while ((o.status = stream_series_next(&s, &p, &err)) == PROF_OK && p) {
		if (profile_check(p, &err) != PROF_OK)
			abort();
		o.n_profile++;
		o.n_sample += p->n_sample;
		profile_free(p);
	}
	if (p || (o.status == PROF_OK && !o.n_profile))
		abort();
	stream_series_release(&s);
	return o;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int file = memfd_create("series", 0), both[2];
	struct outcome a, b;

	if (n > MAX_INPUT)
		n = MAX_INPUT;
	if (file < 0 || pipe(both) < 0)
		abort();
	if (pwrite(file, data, n, 0) != (ssize_t)n ||
	    write(both[1], data, n) != (ssize_t)n)
		abort();
	close(both[1]);
	a = read_all(file);
	b = read_all(both[0]);
	if (a.n_profile != b.n_profile || a.n_sample != b.n_sample ||
	    a.status != b.status)
		abort();
	close(both[0]);
	close(file);
	return 0;
}
