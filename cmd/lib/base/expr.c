/* expr.c - see expr.h: by recursive descent. */
#include "config.h"

#include "expr.h"

#include <ctype.h>
#include <string.h>

enum prof_status
expr_expected(const struct expr *e, const char *what)
{
	return prof_fail(e->err, PROF_EUSAGE, "at byte %zu: expected %s%s%.20s",
			 (size_t)(e->at - e->text), what,
			 *e->at ? " instead of " : " instead of the end",
			 e->at);
}

void
expr_skip_blanks(struct expr *e)
{
	e->at += strspn(e->at, " \t\r\n");
}

bool
expr_take(struct expr *e, const char *token)
{
	size_t n = strlen(token);

	expr_skip_blanks(e);
	if (strncmp(e->at, token, n) != 0 ||
	    (isalpha((unsigned char)*token) &&
	     (isalnum((unsigned char)e->at[n]) || e->at[n] == '_')))
		return false;
	e->at += n;
	return true;
}

/* What parses: one way to join what the next lower one parses. */
struct descent {
	struct expr *e;
	const struct expr_ops *ops;
	void *ctx;
};

static enum prof_status parse_joined(struct descent *d, enum expr_join how,
				     uint32_t *out);

static enum prof_status
parse_term(struct descent *d, uint32_t *out)
{
	enum prof_status st;

	if (++d->e->depth > EXPR_MAX_DEPTH)
		return prof_fail(d->e->err, PROF_ELIMIT, "expression too deep");
	if (expr_take(d->e, "!")) {
		st = parse_term(d, out);
		if (st == PROF_OK)
			st = d->ops->negate(d->ctx, out);
	} else if (expr_take(d->e, "(")) {
		st = parse_joined(d, EXPR_OR, out);
		if (st == PROF_OK && !expr_take(d->e, ")"))
			st = expr_expected(d->e, "')'");
	} else {
		st = d->ops->test(d->ctx, out);
	}
	d->e->depth--;
	return st;
}

static enum prof_status
parse_part(struct descent *d, enum expr_join how, uint32_t *out)
{
	return how == EXPR_OR ? parse_joined(d, EXPR_AND, out)
			      : parse_term(d, out);
}

static enum prof_status
parse_joined(struct descent *d, enum expr_join how, uint32_t *out)
{
	enum prof_status st = parse_part(d, how, out);
	uint32_t right;

	while (st == PROF_OK && expr_take(d->e, how == EXPR_OR ? "||" : "&&")) {
		st = parse_part(d, how, &right);
		if (st == PROF_OK)
			st = d->ops->join(d->ctx, how, right, out);
	}
	return st;
}

enum prof_status
expr_parse(struct expr *e, const struct expr_ops *ops, void *ctx, uint32_t *out)
{
	struct descent d = { e, ops, ctx };
	enum prof_status st = parse_joined(&d, EXPR_OR, out);

	expr_skip_blanks(e);
	if (st == PROF_OK && *e->at)
		st = expr_expected(e, "'&&', '||' or the end");
	return st;
}
