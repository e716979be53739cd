/* span.c - reading lines, words and numbers; see span.h. */
#include "config.h"

#include "span.h"

#include <string.h>

#include "lib/base/ascii.h"
#include "lib/base/bytes.h"

bool
text_next(struct text *t)
{
	const char *lf;

	if (t->p == t->end)
		return false;
	lf = memchr(t->p, '\n', (size_t)(t->end - t->p));
	t->line = (struct span){ t->p, lf ? lf : t->end };
	t->p = lf ? lf + 1 : t->end;
	if (t->line.p < t->line.end && t->line.end[-1] == '\r')
		t->line.end--;
	t->number++;
	return true;
}

struct span
span_trim(struct span s)
{
	while (s.p < s.end && is_blank(*s.p))
		s.p++;
	while (s.p < s.end && is_blank(s.end[-1]))
		s.end--;
	return s;
}

bool
span_is_comment(struct span s)
{
	s = span_trim(s);
	return s.p == s.end || *s.p == '#';
}

bool
span_begins(struct span s, const char *word)
{
	return bytes_begin(s.p, span_len(s), word);
}

bool
span_is(struct span s, const char *word)
{
	return span_len(s) == strlen(word) && span_begins(s, word);
}

const char *
span_find(struct span s, const char *word)
{
	return s.p == s.end ? NULL
			    : memmem(s.p, span_len(s), word, strlen(word));
}

bool
span_take(struct span *s, const char *word)
{
	if (!span_begins(*s, word))
		return false;
	s->p += strlen(word);
	return true;
}

size_t
span_spaces(struct span *s)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p == ' ')
		s->p++;
	return (size_t)(s->p - from);
}

size_t
span_blanks(struct span *s)
{
	const char *from = s->p;

	while (s->p < s->end && is_blank(*s->p))
		s->p++;
	return (size_t)(s->p - from);
}

/* The value of a digit; UINT_MAX: it is none. */
static unsigned
digit(char c)
{
	return (unsigned)hex_digit(c);
}

/* All digits that follow, at least one and at most max in value. */
static bool
take_number(struct span *s, unsigned base, uint64_t max, uint64_t *v)
{
	const char *p = s->p;
	uint64_t x = 0;

	for (; p < s->end && digit(*p) < base; p++) {
		if (x > (max - digit(*p)) / base)
			return false;
		x = x * base + digit(*p);
	}
	if (p == s->p)
		return false;
	s->p = p;
	*v = x;
	return true;
}

bool
span_digits(struct span *s, struct span *digits)
{
	digits->p = s->p;
	while (s->p < s->end && is_digit(*s->p))
		s->p++;
	digits->end = s->p;
	return digits->p < digits->end;
}

bool
span_dec(struct span *s, uint64_t *v)
{
	return take_number(s, 10, INT64_MAX, v);
}

bool
span_signed(struct span *s, int64_t *v)
{
	bool minus = span_take(s, "-");
	uint64_t x;

	if (!span_dec(s, &x))
		return false;
	*v = minus ? -(int64_t)x : (int64_t)x;
	return true;
}

bool
span_hex(struct span *s, uint64_t *v)
{
	return take_number(s, 16, UINT64_MAX, v);
}

bool
span_int(struct span s, int64_t *v)
{
	bool minus = span_take(&s, "-");
	unsigned base = 10;
	uint64_t x;

	if (span_take(&s, "0x") || span_take(&s, "0X"))
		base = 16;
	else if (span_len(s) > 1 && *s.p == '0')
		base = 8;
	if (!take_number(&s, base, INT64_MAX, &x) || s.p != s.end)
		return false;
	*v = minus ? -(int64_t)x : (int64_t)x;
	return true;
}

bool
span_attribute(struct span s, struct span *key, struct span *value)
{
	const char *eq = span_find(s, "=");

	if (!eq)
		return false;
	*key = span_trim((struct span){ s.p, eq });
	*value = span_trim((struct span){ eq + 1, s.end });
	return true;
}
