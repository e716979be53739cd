/*
 * print.h - listings as text, in pprof's form, and as JSON.
 *
 * Source text goes into files and pipes byte for byte, as in pprof. On a
 * terminal its control characters are masked (lib/report/text-print.h) and hot
 * lines are coloured; nothing else changes. Names are masked everywhere.
 */
#ifndef LIST_PRINT_H
#define LIST_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/status.h"

struct assembly;
struct listing;
struct listing_block;
struct listing_line;
struct report;
struct source;
struct sources;

struct print_style {
	bool is_terminal; /* mask what could move a cursor */
	bool colours;
};

/* The style for out: a terminal, and does its user want colours? */
struct print_style print_style(FILE *out);

/*
 * pprof's -list. A file that is not found has pprof's error line in place of
 * its text; its values stand on lines marked "<...>", as do those of lines that
 * a file does not have. With two sides (listing.has_sides), the columns of what
 * was before are left of those of what is after. PROF_ENOMEM.
 */
enum prof_status print_listing(FILE *out, const struct report *r,
			       const struct listing *l, struct sources *s,
			       struct print_style style,
			       struct prof_err *err) MUST_USE;

/* The same for programs; its form is in prof-list(1). PROF_ENOMEM. */
enum prof_status json_listing(FILE *out, const struct report *r,
			      const struct listing *l, struct sources *s,
			      struct prof_err *err) MUST_USE;

/*
 * pprof's -disasm: instructions with their values, and where the source line
 * changes, ";FUNCTION FILE:LINE" of the innermost inlined function.
 */
void print_assembly(FILE *out, const struct report *r, const struct assembly *a,
		    struct print_style style);
void json_assembly(FILE *out, const struct report *r, const struct assembly *a);

/* "Total: 660ms" */
void print_total(FILE *out, const struct report *r);

/* "     100ms      400ms (flat, cum) 60.61% of Total" */
void print_sums(FILE *out, const struct report *r, int64_t flat, int64_t cum);

/* "     100ms          . ": both values, a dot for 0. */
void print_values(FILE *out, const struct report *r, int64_t flat, int64_t cum);

/* Begin and end what these values colour, if they are not 0. */
void print_hot_on(FILE *out, struct print_style style, int64_t flat,
		  int64_t cum);
void print_hot_off(FILE *out, struct print_style style, int64_t flat,
		   int64_t cum);

/*
 * The lines of a block: those with values before its listed ones, the listed
 * ones, those with values that the file does not have.
 *
 *	struct print_lines at = print_lines_of(l, b, f);
 *
 *	while (print_next_line(&at))
 *		use(at.line, at.value, at.text, at.n_text);
 */
struct print_lines {
	int64_t line;
	const struct listing_line *value; /* NULL: it has none */
	const char *text;                 /* NULL: it has none; n_text bytes */
	size_t n_text;
	/* What is left: */
	const struct source *source;
	const struct listing_line *v, *end;
	int64_t next, last;
};

/* f may be NULL: no text. */
struct print_lines print_lines_of(const struct listing *l,
				  const struct listing_block *b,
				  const struct source *f);
bool print_next_line(struct print_lines *at);

/* The build-id of the program that block b was seen in, or "". */
const char *listing_build_id(const struct report *r,
			     const struct listing_block *b);

#endif
