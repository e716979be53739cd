/* dot-write.c - text, values and escapes of a drawing; see dot-impl.h. */
#include "config.h"

#include "dot-impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/model/units.h"

void
dot_put(struct drawing *d, const char *s, size_t n)
{
	if (buf_add(d->out, s, n) < 0)
		d->failed = true;
}

void
dot_putf(struct drawing *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (buf_vprintf(d->out, fmt, ap) < 0)
		d->failed = true;
	va_end(ap);
}

void
dot_escape(struct drawing *d, const char *s, size_t n)
{
	enum escape to = d->is_rendered ? ESCAPE_DOT_DRAW : ESCAPE_DOT;

	if (escape_add(d->out, to, s, n) < 0)
		d->failed = true;
}

void
dot_value(struct drawing *d, int64_t v)
{
	struct quantity q;

	report_format(d->r, &q, v);
	dot_escape(d, q.number, strlen(q.number));
	dot_escape(d, q.unit, strlen(q.unit));
}
