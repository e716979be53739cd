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
#include "lib/formats/exchange/script.h"
#include "lib/formats/legacy/legacy.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "lib/wire/compress.h"
#include "perf.h"

#define CHUNK ((size_t)1 << 20)

/* Read up to n more bytes: fewer only at the end. */
static enum prof_status
fill(int fd, struct buf *b, size_t n, size_t *got, struct prof_err *err)
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
	}
	return PROF_OK;
}

/* Append the rest of fd. */
static enum prof_status
slurp(int fd, struct buf *b, size_t max, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	size_t got = 1;

	while (st == PROF_OK && got) {
		st = fill(fd, b, b->n < CHUNK ? CHUNK : b->n, &got, err);
		if (st == PROF_OK && b->n > max)
			st = prof_fail(err, PROF_ELIMIT,
				       "larger than the limit of %zu bytes "
				       "(--max-size)",
				       max);
	}
	return st;
}

static enum prof_status
parse_folded(const char *name, const struct buf *raw,
	     const struct import_options *o, struct profile **out,
	     struct prof_err *err)
{
	struct folded_notes notes;
	enum prof_status st =
		folded_parse(raw->data, raw->n, &o->folded, out, &notes, err);

	if (notes.n_bad)
		warn("%s: %zu lines are not folded stacks; the first is line "
		     "%zu",
		     cli_name(name), notes.n_bad, notes.first_bad);
	if (notes.n_second)
		warn("%s: %zu lines end in two numbers, the first of which is "
		     "taken for part of a name; --diff takes both",
		     cli_name(name), notes.n_second);
	return st;
}

static enum prof_status
parse_script(const char *name, const struct buf *raw, struct profile **out,
	     struct prof_err *err)
{
	struct script_notes notes;
	enum prof_status st = script_parse(raw->data, raw->n, out, &notes, err);

	if (notes.n_bad)
		warn("%s: %zu lines are not from perf script; the first is "
		     "line "
		     "%zu",
		     cli_name(name), notes.n_bad, notes.first_bad);
	return st;
}

/* Losses are reported, and noted in the profile. */
static enum prof_status
parse_otlp(const char *name, const struct buf *raw,
	   const struct import_options *o, struct profile **out,
	   struct prof_err *err)
{
	struct otlp_notes notes;
	char text[160];
	enum prof_status st =
		otlp_parse(raw->data, raw->n, &o->otlp, out, &notes, err);

	if (st != PROF_OK || (!notes.n_time && !notes.n_void))
		return st;
	if (notes.n_time)
		warn("%s: %zu timestamps of samples are left out; --label=time "
		     "keeps them",
		     cli_name(name), notes.n_time);
	if (notes.n_void)
		warn("%s: %zu attributes of samples are empty or 0 without a "
		     "unit, which labels cannot hold",
		     cli_name(name), notes.n_void);
	snprintf(text, sizeof(text),
		 "# import: format=otlp profiles=%zu timestamps=%zu void=%zu",
		 notes.n_profile, notes.n_time, notes.n_void);
	if (profile_add_comment(*out, text) != PROF_NONE)
		return PROF_OK;
	profile_free(*out);
	*out = NULL;
	return prof_nomem(err);
}

static enum prof_status
parse_otlp_json(const char *name, const struct buf *raw,
		const struct import_options *o, struct profile **out,
		struct prof_err *err)
{
	struct buf message = { 0 };
	enum prof_status st =
		otlp_json_convert(raw->data, raw->n, &message, err);

	if (st == PROF_OK)
		st = parse_otlp(name, &message, o, out, err);
	buf_release(&message);
	return st;
}

/* Values in memory take 9 to 14 times as much as their text (measured). */
#define JSON_TIMES 16

/* JSON is read as a whole: refuse what would need more than max_size. */
static enum prof_status
check_json(enum foreign_kind kind, const struct buf *raw, size_t max_size,
	   struct prof_err *err)
{
	if (!foreign_is_json(kind) || raw->n <= max_size / JSON_TIMES)
		return PROF_OK;
	return prof_fail(err, PROF_ELIMIT,
			 "%zu bytes of JSON take up to %d times as much "
			 "memory, more than the limit; --max-size=%zuG raises "
			 "it",
			 raw->n, JSON_TIMES,
			 raw->n / (((size_t)1 << 30) / JSON_TIMES) + 1);
}

static enum prof_status
parse_chrome_trace(const char *name, const struct buf *raw,
		   const struct import_options *o, struct profile **out,
		   struct prof_err *err)
{
	size_t n_overlap;
	enum prof_status st = chrome_trace_parse(raw->data, raw->n, o->idle,
						 out, &n_overlap, err);

	if (n_overlap)
		warn("%s: profiles left out because another one sampled the "
		     "same thread at the same time: %zu",
		     cli_name(name), n_overlap);
	return st;
}

/* The bytes after the mark that some editors and Windows put before UTF-8. */
static struct buf
without_mark(const struct buf *b)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct buf rest = *b;

	if (b->n >= strlen(mark) && !memcmp(b->data, mark, strlen(mark))) {
		rest.data += strlen(mark);
		rest.n -= strlen(mark);
	}
	return rest;
}

/* A profile of bytes that are not compressed. Legacy formats go first: the
 * first line of some looks like a folded stack. */
static enum prof_status
parse(const char *name, const struct buf *bytes, const struct import_options *o,
      struct profile **out, struct prof_err *err)
{
	const struct buf rest = without_mark(bytes), *raw = &rest;
	enum legacy_kind legacy = legacy_sniff(raw->data, raw->n);
	enum foreign_kind kind = o->from;
	enum prof_status st;

	if (!kind && (legacy == LEGACY_NONE || legacy == LEGACY_FOREIGN))
		kind = foreign_sniff(raw->data, raw->n);
	if (foreign_hint(kind))
		return prof_fail(err, PROF_ENOTSUP, "%s: %s",
				 foreign_name(kind), foreign_hint(kind));
	st = check_json(kind, raw, o->max_size, err);
	if (st != PROF_OK)
		return st;
	switch (kind) {
	case FOREIGN_PERF:
		return import_perf_bytes(name, raw, &o->perf, out, err);
	case FOREIGN_FOLDED:
		return parse_folded(name, raw, o, out, err);
	case FOREIGN_SPEEDSCOPE:
		return speedscope_parse(raw->data, raw->n, &o->speedscope, out,
					err);
	case FOREIGN_CPUPROFILE:
		return cpuprofile_parse(raw->data, raw->n, o->idle, out, err);
	case FOREIGN_HEAPPROFILE:
		return heapprofile_parse(raw->data, raw->n, out, err);
	case FOREIGN_CHROME_TRACE:
		return parse_chrome_trace(name, raw, o, out, err);
	case FOREIGN_OTLP:
		return parse_otlp(name, raw, o, out, err);
	case FOREIGN_OTLP_JSON:
		return parse_otlp_json(name, raw, o, out, err);
	case FOREIGN_SCRIPT:
		return parse_script(name, raw, out, err);
	default:
		return profile_parse(raw->data, raw->n, out, err);
	}
}

/* A file whose beginning is in b. */
static enum prof_status
read_open(const char *name, int fd, struct buf *b,
	  const struct import_options *o, struct profile **out,
	  struct prof_err *err)
{
	struct buf raw = { 0 };
	enum prof_status st;

	if (perf_is(b->data, b->n))
		return import_perf(name, fd, b, &o->perf, out, err);
	st = slurp(fd, b, o->max_size, err);
	if (st == PROF_OK && b->n && !compress_is_gzip(b->data, b->n) &&
	    !compress_is_zstd(b->data, b->n))
		return parse(name, b, o, out, err);
	if (st == PROF_OK)
		st = stream_inflate(b->data, b->n, o->max_size, &raw, err);
	if (st == PROF_OK)
		st = parse(name, &raw, o, out, err);
	buf_release(&raw);
	return st;
}

enum prof_status
import_read(const char *name, const struct import_options *o,
	    struct profile **out, struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st;
	struct stat sb;
	size_t got;
	int fd;

	*out = NULL;
	if (strcmp(name, "-") && stat(name, &sb) == 0 && S_ISDIR(sb.st_mode))
		return import_perf_folder(name, &o->perf, out, err);
	fd = cli_try_open(name, err);
	if (fd < 0)
		return err->status;
	st = fill(fd, &b, 4096, &got, err);
	if (st == PROF_OK)
		st = read_open(name, fd, &b, o, out, err);
	buf_release(&b);
	cli_close(fd);
	return st;
}
