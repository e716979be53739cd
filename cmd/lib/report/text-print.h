/*
 * text-print.h - printing common to all text reports: names, escaped by
 * lib/base/escape.h, and values.
 */
#ifndef TEXT_PRINT_H
#define TEXT_PRINT_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/escape.h"
#include "lib/base/strtab.h"
#include "lib/model/units.h"

static inline void
text_put(FILE *out, const char *s, size_t n)
{
	escape_put(out, ESCAPE_TEXT, s, n);
}

static inline void
text_put_str(FILE *out, const struct str *s)
{
	escape_put(out, ESCAPE_TEXT, s->s, s->len);
}

/* The value, aligned right in at least width columns. */
void text_put_quantity(FILE *out, size_t width, const struct quantity *q);

#endif
