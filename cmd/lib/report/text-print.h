/*
 * text-print.h - bytes of a profile on their way to people and terminals.
 *
 * Names come from strangers. Whatever could move a cursor, recolour a screen
 * or reorder a line is shown as an escape: \t, \n, \r, \x1b and so on for
 * other control characters and for bytes that are not UTF-8, \u202e for
 * characters that change the direction of writing. Nothing else is changed.
 */
#ifndef TEXT_PRINT_H
#define TEXT_PRINT_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/buf.h"
#include "lib/model/units.h"

struct str;

#define TEXT_ESCAPE 12 /* room for what text_piece() writes */

/*
 * The next piece of the n > 0 bytes at s: its length in bytes. When it must not
 * be shown as it is, what is shown instead is put in escape, which is else "".
 */
size_t text_piece(const char *s, size_t n, char escape[TEXT_ESCAPE]);

/* Write n bytes, escaped. */
void text_put(FILE *out, const char *s, size_t n);
void text_put_str(FILE *out, const struct str *s);

/* Append what text_put() would write. Returns -1 without memory. */
int text_append(struct buf *out, const char *s, size_t n);

/* Write n bytes of lines: escaped, but for the newlines. */
void text_put_lines(FILE *out, const char *s, size_t n);

/* Length of the UTF-8 sequence that s begins with; 0 if it is not one. */
size_t text_utf8(const char *s, size_t n);

/* How many columns text_put() fills: one for each code point. */
size_t text_width(const char *s, size_t n);

/* The value, aligned right in at least width columns. */
void text_put_quantity(FILE *out, size_t width, const struct quantity *q);

#endif
