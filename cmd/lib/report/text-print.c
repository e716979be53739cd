/* text-print.c - see text-print.h. */
#include "config.h"

#include "text-print.h"

#include <string.h>

void
text_put_quantity(FILE *out, size_t width, const struct quantity *q)
{
	size_t unit = strlen(q->unit);
	size_t used = strlen(q->number) + escape_width(q->unit, unit);

	for (; used < width; used++)
		putc_unlocked(' ', out);
	fputs(q->number, out);
	text_put(out, q->unit, unit);
}
