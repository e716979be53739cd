/* import/perf.c - see perf.h. */
#include "config.h"

#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/budget.h"
#include "lib/base/regular.h"
#include "lib/model/profile.h"
#include "lib/wire/zstd-in.h"
#include "unwind.h"

#define CHUNK ((size_t)1 << 20)
#define MAX_PARTS 4096

static const struct perf_inflate inflate = {
	.open = zstd_in_open,
	.put = zstd_in_put,
	.close = zstd_in_close,
};

/* A recording being read. */
struct reading {
	struct perf *r;
	struct import_unwind *unwind;
};

static bool
reading_begin(struct reading *g, const struct perf_options *o)
{
	struct perf_options with = *o;

	g->unwind = import_unwind_new();
	if (!g->unwind)
		return false;
	with.inflate = zstd_in_is_there() ? &inflate : NULL;
	with.unwind = import_unwind_of(g->unwind);
	g->r = perf_new(&with);
	return g->r;
}

static void
reading_end(struct reading *g)
{
	perf_free(g->r);
	import_unwind_free(g->unwind);
}

/* --- what to say --- */

#define N(v) ((unsigned long long)(v))

static void
tell_losses(struct profile *p, const struct perf_notes *n)
{
	uint64_t all = n->samples + n->lost;

	if (n->lost && n->lost >= all / 100)
		profile_doubt(
			p,
			"%llu of %llu samples are missing: perf's buffers "
			"were "
			"full%s",
			N(n->lost), N(all),
			n->has_mapping_loss
				? ", and mappings may be missing too"
				: "");
	if (n->throttled)
		profile_doubt(p, "the kernel paused sampling %llu times",
			      N(n->throttled));
	if (n->damage[0])
		profile_doubt(p, "%llu records are damaged; the first, %s",
			      N(n->damaged), n->damage);
	if (n->cut[0])
		profile_doubt(p, "%s", n->cut);
	if (n->is_open)
		profile_doubt(
			p,
			"perf did not finish the file: build-ids and names of "
			"events are missing");
	if (n->unknown_event)
		profile_doubt(p,
			      "%llu samples belong to no event of the header",
			      N(n->unknown_event));
	if (n->late)
		profile_doubt(p, "%llu records came out of order", N(n->late));
}

static void
tell_unused(struct profile *p, const struct perf_notes *n)
{
	if (n->dumps)
		profile_doubt(
			p,
			"%llu copies of stacks (--call-graph dwarf) are not "
			"of "
			"64-bit x86 and not unwound: they have the innermost "
			"frame "
			"only",
			N(n->dumps));
	if (n->aux)
		profile_doubt(p, "hardware traces are not decoded; perf inject "
				 "--itrace "
				 "makes samples of them");
	if (n->branches)
		profile_doubt(
			p,
			"branches of %llu samples are not used: they are not "
			"call chains",
			N(n->branches));
	if (n->groups)
		profile_doubt(p,
			      "counts of a group's other events are not used");
	if (n->no_build_ids)
		profile_doubt(
			p,
			"no build-ids: nothing tells whether a file is still "
			"the one that ran; perf record --buildid-mmap has "
			"them");
}

/* What was read, if st says that all went well, as a profile. */
static enum prof_status
finish(struct reading *g, enum prof_status st, struct profile **out,
       struct prof_err *err)
{
	struct perf_notes notes;

	if (st == PROF_OK)
		st = perf_finish(g->r, out, &notes, err);
	if (st == PROF_OK) {
		tell_losses(*out, &notes);
		tell_unused(*out, &notes);
		import_unwind_tell(g->unwind, *out);
	}
	reading_end(g);
	return st;
}

/* --- bytes --- */

/* Feed the next piece of fd: *got is 0 at its end. */
static enum prof_status
feed_piece(struct perf *r, size_t stream, int fd, void *chunk, size_t *got,
	   struct prof_err *err)
{
	ssize_t n;

	do
		n = read(fd, chunk, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	*got = (size_t)n;
	budget_read((size_t)n);
	return n ? perf_feed(r, stream, chunk, (size_t)n, err)
		 : perf_end(r, stream, err);
}

static enum prof_status
feed_rest(struct perf *r, int fd, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	void *chunk = malloc(CHUNK);
	size_t got = 1;

	if (!chunk)
		return prof_nomem(err);
	while (st == PROF_OK && got)
		st = feed_piece(r, 0, fd, chunk, &got, err);
	free(chunk);
	return st;
}

enum prof_status
import_perf(int fd, struct buf *b, const struct perf_options *o,
	    struct profile **out, struct prof_err *err)
{
	struct reading g = { 0 };
	enum prof_status st = reading_begin(&g, o) ? PROF_OK : prof_nomem(err);

	if (st == PROF_OK)
		st = perf_feed(g.r, 0, b->data, b->n, err);
	if (st == PROF_OK)
		st = feed_rest(g.r, fd, err);
	return finish(&g, st, out, err);
}

enum prof_status
import_perf_bytes(const void *data, size_t n, const struct perf_options *o,
		  struct profile **out, struct prof_err *err)
{
	struct reading g = { 0 };
	enum prof_status st = reading_begin(&g, o) ? PROF_OK : prof_nomem(err);

	if (st == PROF_OK)
		st = perf_feed(g.r, 0, data, n, err);
	if (st == PROF_OK)
		st = perf_end(g.r, 0, err);
	return finish(&g, st, out, err);
}

/* --- folders --- */

static int
open_part(int dir, size_t i)
{
	struct stat sb;
	char name[32];

	snprintf(name, sizeof(name), "data.%zu", i);
	return regular_open_at(dir, name, false, &sb, NULL);
}

static enum prof_status
feed_parts(struct perf *r, int *fd, size_t n_part, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	void *chunk = malloc(CHUNK);
	size_t stream, got;

	if (!chunk)
		return prof_nomem(err);
	for (size_t i = 0; st == PROF_OK && i < n_part; i++)
		st = perf_add_part(r, &stream, err);
	while (st == PROF_OK && (stream = perf_wants(r)))
		st = feed_piece(r, stream, fd[stream - 1], chunk, &got, err);
	free(chunk);
	return st;
}

static enum prof_status
read_folder(struct perf *r, int dir, struct prof_err *err)
{
	struct stat sb;
	int data = regular_open_at(dir, "data", false, &sb, NULL);
	int fd[MAX_PARTS];
	enum prof_status st;
	size_t n = 0;

	if (data < 0)
		return prof_fail(err, PROF_EFORMAT,
				 "Is a directory, and not one of perf record "
				 "--threads: it has no file \"data\"");
	st = feed_rest(r, data, err);
	close(data);
	while (st == PROF_OK && n < MAX_PARTS &&
	       (fd[n] = open_part(dir, n)) >= 0)
		n++;
	if (st == PROF_OK)
		st = feed_parts(r, fd, n, err);
	while (n)
		close(fd[--n]);
	return st;
}

enum prof_status
import_perf_folder(const char *name, const struct perf_options *o,
		   struct profile **out, struct prof_err *err)
{
	int dir = regular_folder(name);
	enum prof_status st;
	struct reading g = { 0 };

	if (dir < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	st = reading_begin(&g, o) ? read_folder(g.r, dir, err)
				  : prof_nomem(err);
	close(dir);
	return finish(&g, st, out, err);
}
