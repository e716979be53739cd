/* dot-impl.h - a drawing, for dot.c and dot-tag.c. */
#ifndef DOT_IMPL_H
#define DOT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dot.h"
#include "graph.h"
#include "lib/base/buf.h"
#include "report.h"

struct drawing {
	const struct report *r;
	const struct graph *g;
	struct buf *out;
	bool is_rendered;
	bool failed; /* out of memory; checked once, at the end */
	double max_flat;
	bool *has_tags;  /* by node: boxes were drawn for it */
	struct buf name; /* scratch for shortening */
};

/* Append n bytes, a string literal, or formatted text of at most 511 bytes. */
void dot_put(struct drawing *d, const char *s, size_t n);
#define dot_lit(d, s) dot_put(d, "" s, sizeof(s) - 1)
void dot_putf(struct drawing *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append text of the profile, escaped for a quoted string
 * (lib/base/escape.h), and cut if dot(1) could not read it. */
void dot_escape(struct drawing *d, const char *s, size_t n);

/* A value of the report, with its unit. */
void dot_value(struct drawing *d, int64_t v);

/* The boxes of node i. */
void dot_tags(struct drawing *d, uint32_t i);

#endif
