/* json.c - see json.h. */
#include "config.h"

#include "json.h"

#include "escape.h"
#include "strtab.h"

void
json_put(FILE *out, const char *s, size_t n)
{
	putc('"', out);
	escape_put(out, ESCAPE_JSON, s, n);
	putc('"', out);
}

void
json_put_str(FILE *out, const struct str *s)
{
	json_put(out, s->s, s->len);
}
