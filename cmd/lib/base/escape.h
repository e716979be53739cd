/*
 * escape.h - escape untrusted strings for output.
 *
 * Names, comments, units, labels, paths and messages of servers are untrusted.
 * All output of such strings goes through the one escape of its format. In
 * every format, characters and bytes that would end the line, control a
 * terminal, change the direction of writing or break UTF-8 are shown as \n, \r,
 * \x1b, \u202e and the like (JSON has its own escapes for characters, and
 * U+FFFD for bytes that are not UTF-8). Characters that are special in the
 * format are escaped, too.
 */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"

enum escape {
	ESCAPE_TEXT,     /* text for people; tabs stay */
	ESCAPE_TSV,      /* a field between tabs: ESCAPE_TEXT, but \t */
	ESCAPE_FOLDED,   /* a frame of a folded stack: ';' becomes ':' */
	ESCAPE_JSON,     /* between the quotes of a JSON string */
	ESCAPE_DOT,      /* between the quotes of a DOT string; a newline is \l,
			  * as pprof writes it */
	ESCAPE_DOT_DRAW, /* the same if prof-dot runs graphviz itself, which
			  * takes '&' for the start of an entity */
	ESCAPE_XML, /* XML, SVG, HTML: text, or a quoted attribute's value */
	ESCAPE_MARKDOWN, /* GitHub's; all punctuation becomes entities, for use
			  * in tables and inside HTML tags */
	ESCAPE_GITHUB, /* the message of a workflow command of GitHub Actions */
	ESCAPE_GITHUB_PROPERTY, /* its file= and title= */
	ESCAPE_KINDS,
};

/* Write n bytes, escaped. Does not lock the stdio stream. */
void escape_put(FILE *out, enum escape to, const char *s, size_t n);

/* Append the same to out. Returns -1 without memory. */
int escape_add(struct buf *out, enum escape to, const char *s, size_t n);

/* The width in columns as ESCAPE_TEXT: one for each code point, and a tab. */
size_t escape_width(const char *s, size_t n);

/* Length of the UTF-8 sequence that s begins with; 0 if it is not one. */
size_t escape_utf8(const char *s, size_t n);

enum { ESCAPE_UTF8_MAX = 4 };

/* Write the code point c, at most 0x10ffff, as UTF-8. Returns its length. */
size_t escape_utf8_put(char to[ESCAPE_UTF8_MAX], uint32_t c);

struct str;

/* Write the n bytes at s as a JSON string; invalid UTF-8 becomes U+FFFD. */
void json_put(FILE *out, const char *s, size_t n);
void json_put_str(FILE *out, const struct str *s);

#endif
