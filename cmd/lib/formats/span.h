/*
 * span.h - lines of a text, and words and numbers of a line, as the parsers of
 * text formats take them.
 */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of a line: what is still to be read of it. */
struct span {
	const char *p;
	const char *end;
};

/* Lines of a text, one after the other; see text_next(). */
struct text {
	const char *p; /* what follows the line */
	const char *end;
	struct span line; /* without LF, CR LF */
	size_t number;    /* of the line, from 1 */
};

/* Step to the next line: false after the last. */
bool text_next(struct text *t);

/* Space, tab, CR, LF, FF. */
static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

static inline size_t
span_len(struct span s)
{
	return (size_t)(s.end - s.p);
}

/* Without the blanks around it. */
struct span span_trim(struct span s);

/* Blank, or '#' first. */
bool span_is_comment(struct span s);

/* Is it exactly this word? */
bool span_is(struct span s, const char *word);

/* Does it begin with word? */
bool span_begins(struct span s, const char *word);

/* Where word is in s, or NULL. */
const char *span_find(struct span s, const char *word);

/*
 * Read from the beginning of *s, and move past what was read; false, and *s is
 * where it was, when that isn't there.
 */
bool span_take(struct span *s, const char *word);
size_t span_spaces(struct span *s); /* ' ' only; how many */
size_t span_blanks(struct span *s);
bool span_digits(struct span *s, struct span *digits); /* one or more */
bool span_dec(struct span *s, uint64_t *v);   /* digits, at most INT64_MAX */
bool span_signed(struct span *s, int64_t *v); /* the same, perhaps '-' before */
bool span_hex(struct span *s, uint64_t *v);   /* digits, upper case too */

/* The whole of s as C writes integers: 12, 0x1f, 017. At most INT64_MAX. */
bool span_int(struct span s, int64_t *v);

/* "key = value": false without '='. Both are trimmed. */
bool span_attribute(struct span s, struct span *key, struct span *value);

#endif
