/*
 * where.h - samples chosen by an expression over their labels:
 *
 *	endpoint == "/api" && bytes in 128kb..512kb || !(user =~ "^test")
 *
 * is tests (lib/base/expr.h) of the form KEY [ test ]:
 *
 *	test	= ("==" | "!=") (STRING | NUMBER)
 *		| ("<" | "<=" | ">" | ">=") NUMBER
 *		| ("=~" | "!~") STRING		a regular expression
 *		| "in" [NUMBER] ".." [NUMBER]	ends included
 *
 * KEY alone tests whether there is such a label. It is a word of letters,
 * digits and _ . - : / that begins with a letter or _; any other key, and the
 * key "in", is put in double quotes, as a STRING is. In double quotes, \" is a
 * quote and any other backslash is literal. A NUMBER may have a fraction and a
 * unit: -3, 1.5s, 128kb.
 *
 * A label may have several values: a test asks whether any one passes, and !=
 * and !~ are the negations of == and =~. STRINGs are compared with strings and
 * NUMBERs with numbers, each converted from its unit. A NUMBER without a unit
 * against a label in bytes, say, is refused.
 */
#ifndef WHERE_H
#define WHERE_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"

struct where;

/* Compiles a pattern into a test, which must outlive the expression. */
struct where_patterns {
	enum prof_status (*compile)(void *ctx, const char *pattern,
				    struct filter_test *out,
				    struct prof_err *err);
	void *ctx;
};

/*
 * Parse text. *out is the caller's, to end with where_free(). PROF_EUSAGE, with
 * the byte offset, from 0, in the message; PROF_ELIMIT for more than 1000 tests
 * or 100 levels; PROF_ENOMEM; or the error of compile().
 */
enum prof_status where_parse(const char *text,
			     const struct where_patterns *patterns,
			     struct where **out, struct prof_err *err) MUST_USE;

/* Does a test have this key, of n bytes? */
bool where_asks(const struct where *w, const char *key, size_t n);

/* NULL is allowed. */
void where_free(struct where *w);

/*
 * Keep the samples of p for which the expression is true; *found: there are
 * any. PROF_EUSAGE, PROF_ENOMEM, and errors of the tests.
 */
enum prof_status filter_where(struct profile *p, const struct where *w,
			      bool *found, struct prof_err *err) MUST_USE;

#endif
