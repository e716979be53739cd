/*
 * import.c - from an operand to a profile. A perf.data is read as it comes,
 * whatever its size; all other formats are read as a whole.
 */
#include "config.h"

#include "import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/budget.h"
#include "lib/base/bytes.h"
#include "lib/formats/legacy/legacy.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "perf.h"

/* Read up to n more bytes: fewer only at the end. */
static enum prof_status
fill_buffer(int fd, struct buf *b, size_t n, size_t *got, struct prof_err *err)
{
	*got = 0;
	if (buf_reserve(b, n) < 0)
		return prof_nomem(err);
	while (*got < n) {
		ssize_t k = read(fd, b->data + b->n, n - *got);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return prof_fail(err, PROF_EIO, "%s", strerror(errno));
		if (!k)
			break;
		b->n += (size_t)k;
		*got += (size_t)k;
		budget_read((size_t)k);
	}
	return PROF_OK;
}

/* The bytes after the mark that some editors and Windows put before UTF-8. */
static struct buf
without_mark(const struct buf *b)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct buf rest = *b;

	if (bytes_begin((const char *)b->data, b->n, mark)) {
		rest.data += strlen(mark);
		rest.n -= strlen(mark);
	}
	return rest;
}

/* A profile of bytes that are not compressed. Legacy formats go first: the
 * first line of some looks like a folded stack. */
static enum prof_status
parse_bytes(const struct buf *bytes, const struct import_options *o,
	    struct profile **out, enum foreign_kind *kind, struct prof_err *err)
{
	const struct buf raw = without_mark(bytes);
	enum legacy_kind legacy = legacy_sniff(raw.data, raw.n);
	enum foreign_kind seems;
	enum prof_status st;

	*kind = o->from;
	if (!*kind && (legacy == LEGACY_NONE || legacy == LEGACY_FOREIGN))
		*kind = foreign_sniff(raw.data, raw.n);
	if (!*kind)
		return profile_parse(raw.data, raw.n, out, err);
	st = import_parse(*kind, raw.data, raw.n, o, out, err);
	seems = st == PROF_EFORMAT && o->from ? foreign_sniff(raw.data, raw.n)
					      : FOREIGN_NONE;
	if (seems != FOREIGN_NONE && seems != *kind)
		snprintf(err->msg + strlen(err->msg),
			 sizeof(err->msg) - strlen(err->msg),
			 "; it looks like a file of format %s",
			 foreign_name(seems));
	return st;
}

/* A file whose beginning is in b. */
static enum prof_status
read_open(int fd, struct buf *b, const struct import_options *o,
	  struct profile **out, enum foreign_kind *kind, struct prof_err *err)
{
	enum prof_status st;

	if (perf_is(b->data, b->n))
		return import_perf(fd, b, &o->perf, out, err);
	st = stream_read(fd, o->max_size, b, err);
	return st == PROF_OK ? parse_bytes(b, o, out, kind, err) : st;
}

static enum prof_status
read_operand(const char *name, const struct import_options *o,
	     struct profile **out, enum foreign_kind *kind,
	     struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st;
	struct stat sb;
	size_t got;
	int fd;

	*out = NULL;
	*kind = FOREIGN_PERF;
	if (strcmp(name, "-") && stat(name, &sb) == 0 && S_ISDIR(sb.st_mode))
		return import_perf_folder(name, &o->perf, out, err);
	fd = cli_try_open(name, err);
	if (fd < 0)
		return err->status;
	st = fill_buffer(fd, &b, 4096, &got, err);
	if (st == PROF_OK)
		st = read_open(fd, &b, o, out, kind, err);
	buf_release(&b);
	cli_close(fd);
	return st;
}

enum prof_status
import_read(const char *name, const struct import_options *o,
	    struct profile **out, enum foreign_kind *kind, struct prof_err *err)
{
	enum prof_status st = read_operand(name, o, out, kind, err);

	if (st == PROF_OK && *kind && !(*out)->n_sample)
		profile_doubt(*out, "no samples");
	return st;
}
