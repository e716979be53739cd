/* text-print.c - see text-print.h. */
#include "config.h"

#include "text-print.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/strtab.h"

/*
 * Decode the UTF-8 sequence at s, of at most n bytes: its length, and in *cp
 * the code point; 0 when it is not valid (overlong, surrogate, cut).
 */
static size_t
decode(const unsigned char *s, size_t n, unsigned *cp)
{
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (len == 0 || len > n)
		return 0;
	*cp = len == 1 ? s[0] : s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (s[i] & 0x3fu);
	}
	if (len > 1 && (*cp < least[len] || *cp > 0x10ffff ||
			(*cp >= 0xd800 && *cp < 0xe000)))
		return 0;
	return len;
}

/* Line and paragraph separators, and what sets the direction of writing. */
static bool
is_layout(unsigned cp)
{
	return cp == 0x61c || (cp >= 0x200e && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

size_t
text_piece(const char *s, size_t n, char escape[TEXT_ESCAPE])
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned cp = 0;
	size_t len = decode(u, n, &cp);

	escape[0] = '\0';
	if (len == 0) {
		snprintf(escape, TEXT_ESCAPE, "\\x%02x", u[0]);
		return 1;
	}
	if (cp == '\t' || cp == '\n' || cp == '\r')
		snprintf(escape, TEXT_ESCAPE, "\\%c",
			 cp == '\t'   ? 't'
			 : cp == '\n' ? 'n'
				      : 'r');
	else if (cp < 0x20 || cp == 0x7f)
		snprintf(escape, TEXT_ESCAPE, "\\x%02x", cp);
	else if ((cp >= 0x80 && cp < 0xa0) || is_layout(cp))
		snprintf(escape, TEXT_ESCAPE, "\\u%04x", cp);
	return len;
}

size_t
text_utf8(const char *s, size_t n)
{
	unsigned cp;

	return decode((const unsigned char *)s, n, &cp);
}

/*
 * Length of the plain ASCII that s begins with. Eight bytes at a time: the
 * traces of a large profile are a gigabyte of names. A byte from 0x80 on has
 * its high bit set, one below 0x20 gets it by the subtraction and 0x7f by the
 * addition; carries come from such bytes only.
 */
static size_t
plain(const char *s, size_t n)
{
	const uint64_t each = 0x0101010101010101u;
	uint64_t w;
	size_t i = 0;

	for (; n - i >= sizeof(w); i += sizeof(w)) {
		memcpy(&w, s + i, sizeof(w));
		if ((w | (w - 0x20 * each) | (w + each)) & 0x80 * each)
			break;
	}
	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

/*
 * The longest run at *s, of *n bytes, that can be written with one call: what
 * to write, and its length in *len. *s and *n move on.
 */
static const char *
next_run(const char **s, size_t *n, size_t *len, char escape[TEXT_ESCAPE])
{
	const char *run = *s;
	size_t used = plain(*s, *n);

	*len = used;
	if (!used) {
		used = *len = text_piece(*s, *n, escape);
		if (escape[0]) {
			run = escape;
			*len = strlen(escape);
		}
	}
	*s += used;
	*n -= used;
	return run;
}

void
text_put(FILE *out, const char *s, size_t n)
{
	char escape[TEXT_ESCAPE];
	const char *run;
	size_t len;

	while (n) {
		run = next_run(&s, &n, &len, escape);
		fwrite_unlocked(run, 1, len, out);
	}
}

int
text_append(struct buf *out, const char *s, size_t n)
{
	char escape[TEXT_ESCAPE];
	const char *run;
	size_t len;

	while (n) {
		run = next_run(&s, &n, &len, escape);
		if (buf_add(out, run, len) < 0)
			return -1;
	}
	return 0;
}

void
text_put_str(FILE *out, const struct str *s)
{
	text_put(out, s->s, s->len);
}

void
text_put_lines(FILE *out, const char *s, size_t n)
{
	while (n) {
		const char *end = memchr(s, '\n', n);
		size_t len = end ? (size_t)(end - s) : n;

		text_put(out, s, len);
		if (end) {
			putc('\n', out);
			len++;
		}
		s += len;
		n -= len;
	}
}

size_t
text_width(const char *s, size_t n)
{
	size_t width = 0, len;
	char escape[TEXT_ESCAPE];

	while (n) {
		len = plain(s, n);
		if (len) {
			width += len;
		} else {
			len = text_piece(s, n, escape);
			width += escape[0] ? strlen(escape) : 1;
		}
		s += len;
		n -= len;
	}
	return width;
}

void
text_put_quantity(FILE *out, size_t width, const struct quantity *q)
{
	size_t unit = strlen(q->unit);
	size_t used = strlen(q->number) + text_width(q->unit, unit);

	fprintf(out, "%*s%s", used < width ? (int)(width - used) : 0, "",
		q->number);
	text_put(out, q->unit, unit);
}
