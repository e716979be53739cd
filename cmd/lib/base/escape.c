/* escape.c - see escape.h. */
#include "config.h"

#include "escape.h"

#include <stdbool.h>
#include <string.h>

#include "strtab.h"

#define ROOM 16 /* for one escaped character */

/* The special ASCII characters of a format, a bit each. */
struct special {
	uint64_t low, high;
};

#define LOW(c) ((uint64_t)1 << (c))
#define HIGH(c) ((uint64_t)1 << ((c)-64))

static const struct special special[ESCAPE_KINDS] = {
	[ESCAPE_FOLDED] = { LOW(';'), 0 },
	[ESCAPE_JSON] = { LOW('"'), HIGH('\\') },
	[ESCAPE_DOT] = { LOW('"'), HIGH('\\') },
	[ESCAPE_DOT_DRAW] = { LOW('"') | LOW('&'), HIGH('\\') },
	[ESCAPE_XML] = { LOW('"') | LOW('&') | LOW('\'') | LOW('<') | LOW('>'),
			 0 },
	/* ! to /, : to ?, @, [ to `, { to ~: all ASCII punctuation */
	[ESCAPE_MARKDOWN] = { 0xfc00fffe00000000u, 0x78000001f8000001u },
	[ESCAPE_GITHUB] = { LOW('%'), 0 },
	[ESCAPE_GITHUB_PROPERTY] = { LOW('%') | LOW(',') | LOW(':'), 0 },
};

static bool
is_special(enum escape to, unsigned char c)
{
	return (c < 64 ? special[to].low >> c : special[to].high >> (c - 64)) &
	       1;
}

/*
 * Decode the UTF-8 sequence at s, of at most n bytes, into *cp. Returns its
 * length; 0 if it is invalid (overlong, surrogate, cut).
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

size_t
escape_utf8(const char *s, size_t n)
{
	unsigned cp;

	return decode((const unsigned char *)s, n, &cp);
}

size_t
escape_utf8_put(char to[ESCAPE_UTF8_MAX], uint32_t c)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; --i; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(first[n] | c);
	return n;
}

/*
 * Control characters, separators of lines and paragraphs, marks that change the
 * direction of writing, and the two code points of the first plane that XML
 * excludes.
 */
static bool
is_hidden(unsigned cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
	       (cp >= 0x200e && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff ||
	       (cp >= 0xfffe && cp <= 0xffff);
}

/* Escape a special character of the format. */
static int
put_special(char text[ROOM], enum escape to, unsigned char c)
{
	switch (to) {
	case ESCAPE_FOLDED:
		return snprintf(text, ROOM, ":");
	case ESCAPE_XML:
	case ESCAPE_MARKDOWN:
		return snprintf(text, ROOM, "&#%d;", c);
	case ESCAPE_GITHUB:
	case ESCAPE_GITHUB_PROPERTY:
		return snprintf(text, ROOM, "%%%02X", c);
	default:
		return snprintf(text, ROOM, c == '&' ? "&amp;" : "\\%c", c);
	}
}

/* Escape a character that is unsafe in every format. */
static void
put_hidden(char text[ROOM], enum escape to, unsigned cp, bool is_byte)
{
	bool is_dot = to == ESCAPE_DOT || to == ESCAPE_DOT_DRAW;
	char name[8];
	int n = 0;

	if (to == ESCAPE_JSON) {
		snprintf(text, ROOM, is_byte ? "\xef\xbf\xbd" : "\\u%04x", cp);
		return;
	}
	if (is_dot && cp == '\n') {
		strcpy(text, "\\l");
		return;
	}
	if (cp == '\t' || cp == '\n' || cp == '\r')
		snprintf(name, sizeof(name), "%c",
			 cp == '\t'   ? 't'
			 : cp == '\n' ? 'n'
				      : 'r');
	else if (cp < 0x80 || is_byte)
		snprintf(name, sizeof(name), "x%02x", cp & 0xff);
	else
		snprintf(name, sizeof(name), "u%04x", cp & 0xffff);
	if (is_special(to, '\\'))
		n = put_special(text, to, '\\');
	else
		text[n++] = '\\';
	strcpy(text + n, name);
}

/*
 * The length of the character at s, of n > 0 bytes. text is its escape, or ""
 * if it is written unchanged.
 */
static size_t
piece(enum escape to, const char *s, size_t n, char text[ROOM])
{
	unsigned cp = 0;
	size_t len = decode((const unsigned char *)s, n, &cp);
	bool keeps_tab = to == ESCAPE_TEXT || to == ESCAPE_FOLDED;

	text[0] = '\0';
	if (len == 0)
		put_hidden(text, to, (unsigned char)*s, true);
	else if (is_hidden(cp) && !(cp == '\t' && keeps_tab))
		put_hidden(text, to, cp, false);
	else if (cp < 0x80 && is_special(to, (unsigned char)cp))
		put_special(text, to, (unsigned char)cp);
	return len ? len : 1;
}

/*
 * Length of the printable ASCII that s begins with. Eight bytes at a time: the
 * traces of a large profile are a gigabyte of names. A byte from 0x80 on has
 * its high bit set, one below 0x20 gets it by the subtraction and 0x7f by the
 * addition; carries come from such bytes only.
 */
static size_t
printable(const char *s, size_t n)
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

/* The same, up to a special character of the format. */
static size_t
plain(enum escape to, const char *s, size_t n)
{
	size_t len = printable(s, n), i = 0;

	if (!(special[to].low | special[to].high))
		return len;
	while (i < len && !is_special(to, (unsigned char)s[i]))
		i++;
	return i;
}

/*
 * Take the longest run at *s, of *n bytes, that one call can write: *s and *n
 * move past it. Returns its bytes, escaped, and their length in *len.
 */
static const char *
next_run(enum escape to, const char **s, size_t *n, size_t *len,
	 char text[ROOM])
{
	const char *run = *s;
	size_t used = plain(to, *s, *n);

	*len = used;
	if (!used) {
		used = *len = piece(to, *s, *n, text);
		if (text[0]) {
			run = text;
			*len = strlen(text);
		}
	}
	*s += used;
	*n -= used;
	return run;
}

void
escape_put(FILE *out, enum escape to, const char *s, size_t n)
{
	char text[ROOM];
	const char *run;
	size_t len;

	while (n) {
		run = next_run(to, &s, &n, &len, text);
		fwrite_unlocked(run, 1, len, out);
	}
}

int
escape_add(struct buf *out, enum escape to, const char *s, size_t n)
{
	char text[ROOM];
	const char *run;
	size_t len;

	while (n) {
		run = next_run(to, &s, &n, &len, text);
		if (buf_add(out, run, len) < 0)
			return -1;
	}
	return 0;
}

size_t
escape_width(const char *s, size_t n)
{
	size_t width = 0, len;
	char text[ROOM];

	while (n) {
		len = printable(s, n);
		if (len) {
			width += len;
		} else {
			len = piece(ESCAPE_TEXT, s, n, text);
			width += text[0] ? strlen(text) : 1;
		}
		s += len;
		n -= len;
	}
	return width;
}

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
