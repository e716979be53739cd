/* label.c - see label.h. */
#include "config.h"

#include "label.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* Does s[i] belong to the name of an operator, as in "operator<<"? */
static bool
is_operator(const char *s, size_t i)
{
	return (i >= 8 && !memcmp(s + i - 8, "operator", 8)) ||
	       (i >= 9 && !memcmp(s + i - 9, "operator", 8));
}

/*
 * The start of the next part of a short name, after "." or "::" that no bracket
 * encloses; n if there is none. "{closure#1}" and "<>" say nothing alone.
 */
static size_t
next_part(const char *s, size_t n, size_t from)
{
	size_t depth = 0;

	for (size_t i = from; i + 1 < n; i++) {
		if (strchr("(<[{", s[i]) && s[i] && !is_operator(s, i))
			depth++;
		else if (strchr(")>]}", s[i]) && s[i] && depth)
			depth--;
		else if (s[i] == '.' && !depth && !strchr("<{", s[i + 1]))
			return i + 1;
		else if (s[i] == ':' && s[i + 1] == ':' && !depth &&
			 i + 2 < n && !strchr("<{", s[i + 2]))
			return i + 2;
	}
	return n;
}

/* Both ends of s, 42 % in front; nothing of it below 5 columns. */
static int
add_ends(struct buf *out, const char *s, size_t n, size_t columns)
{
	size_t front = (42 * (columns - 1) + 50) / 100, at = n, used = 0;

	if (columns < 5)
		return 0;
	while (at) {
		size_t begin = at - 1, width;

		while (begin && ((unsigned char)s[begin] & 0xc0) == 0x80)
			begin--;
		width = columns_of(s + begin, at - begin);
		if (used + width > columns - 1 - front)
			break;
		used += width;
		at = begin;
	}
	if (buf_add(out, s, fitting(s, n, front)) < 0 ||
	    buf_add(out, "…", 3) < 0)
		return -1;
	return buf_add(out, s + at, n - at);
}

/* The longest of the short forms that fits, else both ends of the last one. */
static int
shortened(const char *name, size_t n, size_t columns, struct buf *out)
{
	char *s = malloc(n + 1);
	size_t len, part = 0, next = 0;
	int r;

	if (!s)
		return -1;
	shorten_name(name, n, s, &len);
	while (next < len) {
		part = next;
		if (fitting(s + part, len - part, columns) == len - part)
			break;
		next = next_part(s, len, part);
	}
	r = next < len ? buf_add(out, s + part, len - part)
		       : add_ends(out, s + part, len - part, columns);
	free(s);
	return r;
}

int
flame_label(const char *name, size_t n, size_t columns, struct buf *out)
{
	out->n = 0;
	if (columns < 3)
		return 0;
	if (fitting(name, n, columns) == n)
		return buf_add(out, name, n);
	n = palette_without_clone(name, n);
	if (fitting(name, n, columns) == n)
		return buf_add(out, name, n);
	/* "[libc.so.6]" is a file, and has no shorter form. */
	if (name[0] != '[')
		return shortened(name, n, columns, out);
	return add_ends(out, name, n, columns);
}
