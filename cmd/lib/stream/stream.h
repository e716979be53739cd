/*
 * stream.h - profiles on file descriptors: compression, and telling formats
 * apart. A reader takes whatever it finds, by content: gzip, zstd or nothing
 * around a profile.proto or a legacy format. A writer writes one gzip member,
 * or a zstd frame when asked to.
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
	unsigned n_thread; /* that compress, of gzip; 0: the caller's alone */
};

/*
 * Read fd to its end and inflate what was read into raw, which the caller
 * releases. max_bytes bounds both. fd stays open. PROF_EIO, PROF_EFORMAT,
 * PROF_ELIMIT, PROF_ENOTSUP or PROF_ENOMEM; raw is then empty.
 */
enum prof_status stream_read(int fd, size_t max_bytes, struct buf *raw,
			     struct prof_err *err) MUST_USE;

/* As stream_read(), from the n bytes at data. */
enum prof_status stream_inflate(const void *data, size_t n, size_t max_bytes,
				struct buf *raw, struct prof_err *err) MUST_USE;

/*
 * Make a profile of inflated bytes in any format that is known: profile.proto,
 * or a legacy format (legacy.h). *out is the caller's.
 */
enum prof_status profile_parse(const void *raw, size_t n, struct profile **out,
			       struct prof_err *err) MUST_USE;

/* stream_read() and profile_parse(). */
enum prof_status profile_read(int fd, size_t max_bytes, struct profile **out,
			      struct prof_err *err) MUST_USE;

/*
 * Write p to fd in the given format, all of it or an error. The compressed
 * bytes depend on the library, but not on the number of threads; what they
 * inflate to depends on p alone. Beside p it takes a few MiB for each thread.
 */
enum prof_status profile_write(int fd, const struct profile *p,
			       struct stream_format format,
			       struct prof_err *err) MUST_USE;

#endif
