/* perfmap.c - see symlist.h. */
#include "config.h"

#include "symlist.h"

#include <stdbool.h>
#include <string.h>

/* A hexadecimal number, with or without 0x, and the blanks after it. */
static bool
read_hex(const char **s, const char *end, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;
	int digits = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (; p < end; p++, digits++) {
		unsigned c = (unsigned char)*p, lower = c | 0x20;

		if (c - '0' < 10)
			v = v << 4 | (c - '0');
		else if (lower - 'a' < 6)
			v = v << 4 | (lower - 'a' + 10);
		else
			break;
		if (digits == 16)
			return false;
	}
	if (!digits || p == end || (*p != ' ' && *p != '\t'))
		return false;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*s = p;
	*out = v;
	return true;
}

enum prof_status
perfmap_read(struct symlist *l, const char *text, size_t n,
	     struct prof_err *err)
{
	const char *end = text + n, *eol;

	for (const char *s = text; s < end; s = eol + 1) {
		uint64_t start, size;
		uint32_t name;

		eol = memchr(s, '\n', (size_t)(end - s));
		if (!eol)
			break;
		if (!read_hex(&s, eol, &start) || !read_hex(&s, eol, &size) ||
		    s == eol || size == 0)
			continue;
		name = symlist_text(l, s, (size_t)(eol - s));
		if (name == SYMLIST_NONE ||
		    symlist_add(l, start, size, name) < 0)
			return prof_nomem(err);
	}
	return PROF_OK;
}
