/* series.c - see series.h. */
#include "config.h"

#include "series.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/budget.h"
#include "lib/base/bytes.h"
#include "lib/wire/compress.h"
#include "stream.h"

#define WINDOW ((size_t)64 << 20)     /* to read ahead from a pipe */
#define FILE_WINDOW ((size_t)1 << 30) /* ... from a file, of known size */
#define ZEROS ((size_t)64 << 10)      /* ... of what has to be zeros */

void
stream_series_init(struct stream_series *s, int fd, size_t max_bytes)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->max_bytes = max_bytes;
}

void
stream_series_release(struct stream_series *s)
{
	buf_release(&s->in);
}

static size_t
left(const struct stream_series *s)
{
	return s->in.n - s->at;
}

/* The next byte to use; never NULL, even before anything is read. */
static const uint8_t *
next_byte(const struct stream_series *s)
{
	static const uint8_t none;

	return s->in.data ? s->in.data + s->at : &none;
}

/* The first size to read ahead: for a file, one byte more than its size. */
static size_t
first_window(const struct stream_series *s, bool *is_file)
{
	struct stat sb;

	*is_file = fstat(s->fd, &sb) == 0 && S_ISREG(sb.st_mode) &&
		   sb.st_size > 0 && (uint64_t)sb.st_size < FILE_WINDOW &&
		   (uint64_t)sb.st_size <= s->max_bytes;
	return *is_file ? (size_t)sb.st_size + 1 : WINDOW;
}

/* Read until `want` unused bytes are there, or to the end. */
static enum prof_status
fill_series(struct stream_series *s, size_t want, bool at_once,
	    struct prof_err *err)
{
	struct buf *in = &s->in;

	if (s->at) {
		memmove(in->data, in->data + s->at, left(s));
		in->n = left(s);
		s->at = 0;
	}
	while (!s->at_end && in->n < want) {
		size_t more = at_once ? want - in->n : 64 * 1024;
		ssize_t n;

		if (buf_reserve(in, in->cap > in->n ? 1 : more) < 0)
			return prof_nomem(err);
		more = in->cap - in->n < want - in->n ? in->cap - in->n
						      : want - in->n;
		n = read(s->fd, in->data + in->n, more);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return prof_fail(err, PROF_EIO, "%s", strerror(errno));
		s->at_end = n == 0;
		in->n += (size_t)n;
		budget_read((size_t)n);
	}
	return PROF_OK;
}

/*
 * The end of a gzip member of stored blocks, as the commands write into pipes,
 * found without inflating. 0: a member of another kind; SIZE_MAX: it is longer
 * than n bytes.
 */
static size_t
stored_end(const uint8_t *p, size_t n)
{
	size_t at = 10;

	if (n >= 4 && p[3] != 0) /* a header with more fields */
		return 0;
	for (;;) {
		size_t len;

		if (n < at + 5)
			return SIZE_MAX;
		if (p[at] >> 1) /* not stored, or not byte-aligned */
			return 0;
		len = p[at + 1] | (size_t)p[at + 2] << 8;
		if (p[at] & 1)
			return n < at + 5 + len + 8 ? SIZE_MAX
						    : at + 5 + len + 8;
		at += 5 + len;
	}
}

/* Inflate the member at s->at; *used: its size in bytes. */
static enum prof_status
inflate_member(struct stream_series *s, struct buf *raw, size_t *used,
	       struct prof_err *err)
{
	for (;;) {
		const uint8_t *data = next_byte(s);
		bool is_gzip = compress_is_gzip(data, left(s));
		size_t n = left(s), end = is_gzip ? stored_end(data, n) : 0;
		enum prof_status st = PROF_EFORMAT;

		raw->n = 0;
		if (end && end < n)
			st = compress_inflate_one(data, end, true, s->max_bytes,
						  raw, used, err);
		else if (end != SIZE_MAX || s->at_end)
			st = compress_inflate_one(data, n, s->at_end,
						  s->max_bytes, raw, used, err);
		if (st != PROF_EFORMAT || s->at_end)
			return st;
		if (n / 2 > s->max_bytes)
			return prof_fail(err, PROF_ELIMIT,
					 "larger than the limit of %zu bytes "
					 "(--max-size)",
					 s->max_bytes);
		st = fill_series(s, n < WINDOW / 2 ? WINDOW : n * 2, false,
				 err);
		if (st != PROF_OK)
			return st;
	}
}

/* Read all of the rest as one profile: the stream is not a series. */
static enum prof_status
read_whole(struct stream_series *s, struct profile **out, struct prof_err *err)
{
	size_t max = s->max_bytes < SIZE_MAX / 4 ? s->max_bytes * 2 + 4096
						 : SIZE_MAX / 2;
	struct buf raw = { 0 };
	enum prof_status st = fill_series(s, max, false, err);

	s->is_done = true;
	if (st == PROF_OK)
		st = stream_inflate(s->in.data, s->in.n, s->max_bytes, &raw,
				    err);
	buf_release(&s->in);
	if (st == PROF_OK)
		st = profile_parse(raw.data, raw.n, out, err);
	buf_release(&raw);
	return st;
}

/*
 * Read the next member as a profile; none if it is empty, as bgzip has one at
 * the end and pzstd before the first. *is_piece: it is the first and no profile
 * by itself.
 */
static enum prof_status
read_member(struct stream_series *s, struct profile **out, bool *is_piece,
	    struct prof_err *err)
{
	struct buf raw = { 0 };
	struct prof_err why;
	size_t used;
	enum prof_status st = inflate_member(s, &raw, &used, &why);

	if (st == PROF_OK && (raw.n || (!s->n_profile && used == left(s))))
		st = profile_parse(raw.data, raw.n, out, &why);
	buf_release(&raw);
	if (st == PROF_OK) {
		s->is_zstd = compress_is_zstd(next_byte(s), left(s));
		s->at += used;
		s->n_used += used;
		s->n_profile += *out != NULL;
		if (s->at_end && !left(s))
			buf_release(&s->in), s->at = 0;
		return PROF_OK;
	}
	*is_piece = s->n_profile == 0 && st != PROF_ENOMEM;
	if (s->n_profile == 0)
		return prof_fail(err, st, "%s", why.msg);
	return prof_fail(err, st, "profile %zu: %s", s->n_profile + 1, why.msg);
}

/* Fail because of data after a member that is no member. */
static enum prof_status
rubbish(const struct stream_series *s, struct prof_err *err)
{
	if (s->is_zstd)
		return prof_fail(err, PROF_EFORMAT,
				 "damaged zstd stream near byte %zu: rubbish "
				 "after the frame",
				 s->n_used);
	return prof_fail(err, PROF_EFORMAT,
			 "%zu bytes of rubbish after the gzip stream", left(s));
}

/* Pass over zeros, as those that fill up the blocks of a tape: there must be
 * nothing behind them. */
static enum prof_status
read_zeros(struct stream_series *s, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	while (st == PROF_OK && left(s) &&
	       bytes_are_zero(next_byte(s), left(s))) {
		s->at = s->in.n;
		st = fill_series(s, ZEROS, false, err);
	}
	return st == PROF_OK && left(s) ? rubbish(s, err) : st;
}

static enum prof_status
next_member(struct stream_series *s, struct profile **out, struct prof_err *err)
{
	bool is_first = s->n_profile == 0, is_file = false, is_piece = false;
	size_t want = is_first ? first_window(s, &is_file) : WINDOW;
	enum prof_status st = PROF_OK;
	const uint8_t *data;

	if (is_first || left(s) < 4)
		st = fill_series(s, want, is_file, err);
	data = next_byte(s);
	if (st == PROF_OK && !is_first &&
	    (!left(s) || bytes_are_zero(data, left(s)))) {
		s->is_done = true;
		return read_zeros(s, err);
	}
	if (st == PROF_OK && (compress_is_gzip(data, left(s)) ||
			      compress_is_zstd(data, left(s))))
		st = read_member(s, out, &is_piece, err);
	else if (st == PROF_OK && !is_first)
		st = rubbish(s, err);
	else if (st == PROF_OK)
		is_piece = true;
	return is_piece ? read_whole(s, out, err) : st;
}

enum prof_status
stream_series_next(struct stream_series *s, struct profile **out,
		   struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	*out = NULL;
	while (st == PROF_OK && !*out && !s->is_done)
		st = next_member(s, out, err);
	if (st != PROF_OK)
		s->is_done = true;
	return st;
}
