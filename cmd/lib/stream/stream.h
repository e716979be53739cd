/*
 * stream.h - profiles on file descriptors: compression and detection of
 * formats. A reader detects by content: gzip, zstd or no compression, of
 * profile.proto or another format. A writer writes one gzip member or, on
 * request, one zstd frame.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

#define STREAM_MAX_SIZE ((size_t)4 << 30) /* cap of the inflated size */

enum stream_kind { STREAM_GZIP, STREAM_ZSTD };

struct stream_format {
	enum stream_kind kind;
	int level;         /* gzip: 0 (stored) to 9; zstd: 1 to 19 */
	unsigned n_thread; /* threads for gzip; 0: only the caller's */
};

/*
 * Read fd to its end and inflate it into raw, which the caller releases. raw
 * may hold the beginning, which was read before. max_bytes limits both sizes.
 * fd stays open. PROF_EIO, PROF_EFORMAT, PROF_ELIMIT, PROF_ENOTSUP or
 * PROF_ENOMEM; raw is then empty.
 */
enum prof_status stream_read(int fd, size_t max_bytes, struct buf *raw,
			     struct prof_err *err) MUST_USE;

/* As stream_read(), from the n bytes at data. */
enum prof_status stream_inflate(const void *data, size_t n, size_t max_bytes,
				struct buf *raw, struct prof_err *err) MUST_USE;

/*
 * Parse inflated bytes in any known format: profile.proto, or one of
 * lib/formats. *out is the caller's.
 */
enum prof_status profile_parse(const void *raw, size_t n, struct profile **out,
			       struct prof_err *err) MUST_USE;

/* stream_read() and profile_parse(). */
enum prof_status profile_read(int fd, size_t max_bytes, struct profile **out,
			      struct prof_err *err) MUST_USE;

/*
 * Write p to fd in the given format, completely or with an error. The
 * compressed bytes depend on the library, but not on the number of threads; the
 * inflated bytes depend on p alone. Needs a few MiB for each thread.
 */
enum prof_status profile_write(int fd, const struct profile *p,
			       struct stream_format format,
			       struct prof_err *err) MUST_USE;

#endif
