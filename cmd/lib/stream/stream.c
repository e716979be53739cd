/* stream.c - descriptors and formats; compression is in compress.c. */
#include "config.h"

#include "stream.h"

#include "lib/base/retry.h"
#include "lib/base/slurp.h"
#include "lib/formats/exchange/foreign.h"
#include "lib/formats/exchange/otlp.h"
#include "lib/formats/guess.h"
#include "lib/formats/legacy/legacy.h"
#include "lib/model/profile.h"
#include "lib/wire/codec.h"
#include "lib/wire/compress.h"
#include "lib/wire/gzip-out.h"

static enum prof_status
too_large(size_t max_bytes, struct prof_err *err)
{
	return prof_fail(err, PROF_ELIMIT,
			 "larger than the limit of %zu bytes (--max-size)",
			 max_bytes);
}

enum prof_status
stream_inflate(const void *data, size_t n, size_t max_bytes, struct buf *raw,
	       struct prof_err *err)
{
	enum prof_status st;

	if (n == 0)
		return prof_fail(
			err, PROF_EFORMAT,
			"empty input; did the command that wrote it fail?");
	if (compress_is_gzip(data, n))
		st = gzip_inflate(data, n, max_bytes, raw, err);
	else if (compress_is_zstd(data, n))
		st = zstd_inflate(data, n, max_bytes, raw, err);
	else if (n > max_bytes)
		st = too_large(max_bytes, err);
	else
		st = buf_add(raw, data, n) < 0 ? prof_nomem(err) : PROF_OK;
	if (st != PROF_OK)
		buf_release(raw);
	return st;
}

enum prof_status
stream_read(int fd, size_t max_bytes, struct buf *raw, struct prof_err *err)
{
	/* Stored deflate blocks add five bytes to 64 KiB. */
	size_t max = max_bytes < SIZE_MAX / 2
			     ? max_bytes + max_bytes / 1024 + 4096
			     : SIZE_MAX;
	struct buf in = *raw;
	enum prof_status st = slurp_rest(fd, max, &in, err);

	*raw = (struct buf){ 0 };
	if (st == PROF_ELIMIT)
		st = too_large(max_bytes, err);
	if (st == PROF_OK && in.n && !compress_is_gzip(in.data, in.n) &&
	    !compress_is_zstd(in.data, in.n) && in.n <= max_bytes) {
		*raw = in; /* uncompressed: no copy */
		return PROF_OK;
	}
	if (st == PROF_OK)
		st = stream_inflate(in.data, in.n, max_bytes, raw, err);
	buf_release(&in);
	return st;
}

enum prof_status
profile_parse(const void *raw, size_t n, struct profile **out,
	      struct prof_err *err)
{
	enum foreign_kind kind;
	const char *guess;
	enum prof_status st;

	*out = NULL;
	if (compress_is_gzip(raw, n))
		return prof_fail(err, PROF_EFORMAT,
				 "compressed twice: gzip inside gzip");
	if (legacy_sniff(raw, n) != LEGACY_NONE)
		return legacy_parse(raw, n, 0, out, err);
	st = profile_decode(raw, n, out, err);
	/* Try other formats only if it is not profile.proto. OTLP decodes as
	 * that, but lacks strings. */
	kind = st == PROF_EFORMAT || (st == PROF_EINVALID && otlp_is(raw, n))
		       ? foreign_sniff(raw, n)
		       : FOREIGN_NONE;
	if (kind != FOREIGN_NONE)
		return prof_fail(
			err, PROF_EFORMAT,
			"not a profile: looks like a file of format %s; use "
			"prof-import",
			foreign_name(kind));
	guess = st == PROF_EFORMAT ? guess_any(raw, n) : NULL;
	n = guess_sentence(raw, n);
	if (guess)
		return prof_fail(err, PROF_EFORMAT,
				 n ? "not a profile: looks like %s; it says "
				     "'%.*s'"
				   : "not a profile: looks like %s",
				 guess, (int)n, (const char *)raw);
	return st;
}

enum prof_status
profile_read(int fd, size_t max_bytes, struct profile **out,
	     struct prof_err *err)
{
	struct buf raw = { 0 };
	enum prof_status st = stream_read(fd, max_bytes, &raw, err);

	*out = NULL;
	if (st == PROF_OK)
		st = profile_parse(raw.data, raw.n, out, err);
	buf_release(&raw);
	return st;
}

static enum prof_status
put_gzip(void *out, const void *data, size_t n, struct prof_err *err)
{
	return gzip_out_put(out, data, n, err);
}

static enum prof_status
write_gzip(int fd, const struct profile *p, const struct stream_format *format,
	   struct prof_err *err)
{
	enum prof_status st;
	struct gzip_out *out;

	st = gzip_out_begin(fd, format->level, format->n_thread, &out, err);
	if (st != PROF_OK)
		return st;
	st = profile_encode_to(
		p, &(struct codec_sink){ .put = put_gzip, .ctx = out }, err);
	if (st == PROF_OK)
		return gzip_out_end(out, err);
	gzip_out_abandon(out);
	return st;
}

static enum prof_status
write_zstd(int fd, const struct profile *p, int level, struct prof_err *err)
{
	struct buf raw = { 0 }, out = { 0 };
	enum prof_status st = profile_encode(p, &raw, err);

	if (st == PROF_OK)
		st = zstd_deflate(raw.data, raw.n, level, &out, err);
	if (st == PROF_OK)
		st = write_all(fd, out.data, out.n, err);
	buf_release(&raw);
	buf_release(&out);
	return st;
}

enum prof_status
profile_write(int fd, const struct profile *p, struct stream_format format,
	      struct prof_err *err)
{
	return format.kind == STREAM_GZIP
		       ? write_gzip(fd, p, &format, err)
		       : write_zstd(fd, p, format.level, err);
}
