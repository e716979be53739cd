/*
 * expr.h - the expressions of --where: tests joined by &&, || and !, in
 * parentheses. The caller parses a test. Rules of budgets use its tokens.
 *
 *	expr	= and { "||" and }
 *	and	= term { "&&" term }
 *	term	= "!" term | "(" expr ")" | TEST
 */
#ifndef EXPR_H
#define EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "status.h"

#define EXPR_MAX_DEPTH 100 /* of parentheses and ! */

/* A text, and the place in it. */
struct expr {
	const char *text, *at;
	unsigned depth;
	struct prof_err *err;
};

enum expr_join { EXPR_AND, EXPR_OR };

/* What the parts of an expression come to: a number of the caller's. */
struct expr_ops {
	enum prof_status (*test)(void *ctx, uint32_t *out);
	enum prof_status (*negate)(void *ctx, uint32_t *out);
	enum prof_status (*join)(void *ctx, enum expr_join how, uint32_t right,
				 uint32_t *out); /* *out is the left one */
};

/*
 * Parse all of e. PROF_EUSAGE says what is expected and where; PROF_ELIMIT; or
 * the error of one of ops, which use e, too.
 */
enum prof_status expr_parse(struct expr *e, const struct expr_ops *ops,
			    void *ctx, uint32_t *out) MUST_USE;

void expr_skip_blanks(struct expr *e);

/* Take the token if it comes next; a word of letters must end there. */
bool expr_take(struct expr *e, const char *token);

/* PROF_EUSAGE: what should be at this place, and what is. */
enum prof_status expr_expected(const struct expr *e, const char *what);

#endif
