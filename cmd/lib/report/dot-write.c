/* dot-write.c - the words of a drawing: text, values, escapes; see dot-impl.h.
 */
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
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text))
		d->failed = true;
	else
		dot_put(d, text, (size_t)n);
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
