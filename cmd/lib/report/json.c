/* json.c - see json.h. */
#include "config.h"

#include "json.h"

#include "lib/base/strtab.h"
#include "text-print.h"

void
json_put(FILE *out, const char *s, size_t n)
{
	const char *end = s + n;
	size_t len;

	putc('"', out);
	for (; s < end; s += len) {
		len = text_utf8(s, (size_t)(end - s));
		if (len == 0) {
			fputs("\xef\xbf\xbd", out);
			len = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s);
		} else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", (unsigned char)*s);
		} else {
			fwrite(s, 1, len, out);
		}
	}
	putc('"', out);
}

void
json_put_str(FILE *out, const struct str *s)
{
	json_put(out, s->s, s->len);
}
