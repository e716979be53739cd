/* buf.c - see buf.h. */
#include "config.h"

#include "buf.h"

#include <stdlib.h>
#include <string.h>

#include "bigmem.h"

int
buf_reserve(struct buf *b, size_t more)
{
	size_t want = b->cap ? b->cap : 4096;
	uint8_t *data;

	if (more <= b->cap - b->n)
		return 0;
	if (more > PTRDIFF_MAX - b->n)
		return -1;
	while (want < b->n + more)
		want = want > PTRDIFF_MAX / 2 ? b->n + more : want * 2;
	data = realloc(b->data, want);
	if (!data)
		return -1;
	if (!b->data)
		bigmem_hint(data, want);
	b->data = data;
	b->cap = want;
	return 0;
}

int
buf_add(struct buf *b, const void *data, size_t n)
{
	if (buf_reserve(b, n) < 0)
		return -1;
	if (n)
		memcpy(b->data + b->n, data, n);
	b->n += n;
	return 0;
}

int
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = 128; /* enough for most: one pass */
	va_list again;
	int n;

	if (buf_reserve(b, room) < 0)
		return -1;
	va_copy(again, ap);
	n = vsnprintf((char *)b->data + b->n, room, fmt, again);
	va_end(again);
	if (n < 0)
		return -1;
	if ((size_t)n >= room) {
		room = (size_t)n + 1;
		if (buf_reserve(b, room) < 0)
			return -1;
		vsnprintf((char *)b->data + b->n, room, fmt, ap);
	}
	b->n += (size_t)n;
	return 0;
}

/* --- as a stream --- */

static ssize_t
stream_write(void *b, const char *data, size_t n)
{
	return buf_add(b, data, n) < 0 ? 0 : (ssize_t)n;
}

/* For ftello(), which asks where it is. */
static int
stream_seek(void *ctx, off64_t *at, int whence)
{
	const struct buf *b = ctx;

	if (whence != SEEK_CUR || *at != 0)
		return -1;
	*at = (off64_t)b->n;
	return 0;
}

FILE *
buf_stream(struct buf *b)
{
	return fopencookie(b, "w",
			   (cookie_io_functions_t){ .write = stream_write,
						    .seek = stream_seek });
}

int
buf_stream_close(FILE *f)
{
	int bad = ferror(f);

	return fclose(f) != 0 || bad ? -1 : 0;
}

void
buf_release(struct buf *b)
{
	free(b->data);
	b->data = NULL;
	b->n = b->cap = 0;
}
