/* label.c - see label.h. */
#include "config.h"

#include "label.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/escape.h"
#include "lib/report/palette.h"
#include "lib/report/shorten.h"

/* Blocks of East Asian and of pictorial characters, which are drawn wide. */
static const uint32_t wide[][2] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd },
};

static size_t
columns_of(const char *s, size_t len)
{
	uint32_t c = (unsigned char)s[0];

	if (len == 3)
		c = (c & 0x0f) << 12 | ((unsigned char)s[1] & 0x3fu) << 6;
	else if (len == 4)
		c = (c & 0x07) << 18 | ((unsigned char)s[1] & 0x3fu) << 12 |
		    ((unsigned char)s[2] & 0x3fu) << 6;
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide) && len > 2; i++)
		if (c >= wide[i][0] && c <= wide[i][1])
			return 2;
	return 1;
}

/* The number of bytes of s that fill at most `columns`; n if all fit. */
static size_t
fitting(const char *s, size_t n, size_t columns)
{
	size_t at = 0, used = 0;

	while (at < n) {
		size_t len = escape_utf8(s + at, n - at);

		if (!len)
			len = 1;
		used += columns_of(s + at, len);
		if (used > columns)
			return at;
		at += len;
	}
	return n;
}

static int
take(struct buf *out, const char *s, size_t n)
{
	out->n = 0;
	return buf_add(out, s, n);
}

/* The start of the next part of a short name, after "." or "::"; n if there is
 * none. */
static size_t
next_part(const char *s, size_t n, size_t from)
{
	for (size_t i = from; i + 1 < n; i++) {
		if (s[i] == '.')
			return i + 1;
		if (s[i] == ':' && s[i + 1] == ':')
			return i + 2;
	}
	return n;
}

/* Try the short forms; *fits: out has one. */
static int
shortened(const char *name, size_t n, size_t columns, struct buf *out,
	  bool *fits)
{
	char *s = malloc(n + 1);
	size_t len;
	int r = 0;

	*fits = false;
	if (!s)
		return -1;
	shorten_name(name, n, s, &len);
	for (size_t from = 0; from < len && !*fits;
	     from = next_part(s, len, from)) {
		*fits = fitting(s + from, len - from, columns) == len - from;
		if (*fits)
			r = take(out, s + from, len - from);
	}
	free(s);
	return r;
}

int
flame_label(const char *name, size_t n, size_t columns, struct buf *out)
{
	size_t len;
	bool fits;

	out->n = 0;
	if (columns < 3)
		return 0;
	if (fitting(name, n, columns) == n)
		return buf_add(out, name, n);
	n = palette_without_clone(name, n);
	if (fitting(name, n, columns) == n)
		return buf_add(out, name, n);
	/* "[libc.so.6]" is a file, and has no shorter form. */
	if (name[0] == '[')
		fits = false;
	else if (shortened(name, n, columns, out, &fits) < 0 || fits)
		return fits ? 0 : -1;
	len = fitting(name, n, columns - 1);
	return take(out, name, len) < 0 ? -1 : buf_add(out, "…", 3);
}
