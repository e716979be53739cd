/* buf.h - a growable byte buffer on the heap. */
#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct buf {
	uint8_t *data; /* n bytes in use, cap allocated; NULL while cap is 0 */
	size_t n;
	size_t cap;
};

/* Make room for more bytes past n. Returns -1, unchanged, without memory. */
int buf_reserve(struct buf *b, size_t more);

/* Append. Returns -1, unchanged, without memory. */
int buf_add(struct buf *b, const void *data, size_t n);

/* Append as vprintf() does, without the NUL. Returns -1 as buf_add() does. */
int buf_vprintf(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/*
 * A stream that appends to b, for what prints to a FILE; NULL without memory.
 * The bytes are there when it is closed, which returns -1 if one is missing, as
 * memory was short: no other call need be checked.
 */
FILE *buf_stream(struct buf *b);
int buf_stream_close(FILE *f);

/* Free the bytes; b is then empty and can be used again. */
void buf_release(struct buf *b);

#endif
