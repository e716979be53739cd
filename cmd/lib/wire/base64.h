/* base64.h - bytes as text, to embed them in a page or a picture. */
#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* Append n bytes in base64, padded. Returns -1 without memory. */
int base64_add(struct buf *out, const uint8_t *s, size_t n);

/*
 * Append the gzip stream of data in base64; level and n_thread as for
 * gzip_out_begin(). PROF_ENOMEM, PROF_EIO.
 */
enum prof_status base64_add_gzip(struct buf *out, const struct buf *data,
				 int level, unsigned n_thread,
				 struct prof_err *err) MUST_USE;

#endif
