/* where.c - parses the expressions of where.h. */
#include "config.h"

#include "where.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/ascii.h"
#include "lib/base/expr.h"
#include "where-impl.h"

enum { MAX_NODE = 2000 };

struct parser {
	struct where *w;
	const struct where_patterns *patterns;
	struct expr e;
	char *words; /* free space in w->text */
};

static bool
begins_word(char c)
{
	return is_letter(c) || c == '_';
}

static bool
is_word(char c)
{
	return begins_word(c) || is_digit(c) || (c && strchr(".-:/", c));
}

/* Copy n bytes to the text of the expression, which has room for all. */
static char *
add_word(struct parser *p, const char *s, size_t n)
{
	char *word = p->words;

	memcpy(word, s, n);
	word[n] = '\0';
	p->words += n + 1;
	return word;
}

/* "text", with \" for a quote. */
static enum prof_status
parse_string(struct parser *p, const char **out, size_t *n)
{
	char *at = p->words;
	const char *from = p->e.at;

	*out = at;
	for (p->e.at++; *p->e.at != '"'; p->e.at++) {
		if (!*p->e.at) {
			p->e.at = from;
			return expr_expected(&p->e, "a closing quote");
		}
		if (p->e.at[0] == '\\' && p->e.at[1] == '"')
			p->e.at++;
		*at++ = *p->e.at;
	}
	p->e.at++;
	*n = (size_t)(at - p->words);
	*at++ = '\0';
	p->words = at;
	return PROF_OK;
}

static enum prof_status
new_node(struct parser *p, enum where_op op, uint32_t a, uint32_t b,
	 uint32_t *out)
{
	struct where *w = p->w;

	if (w->n_node == MAX_NODE)
		return prof_fail(p->e.err, PROF_ELIMIT, "expression too long");
	w->node[w->n_node] = (struct where_node){ .op = op, .a = a, .b = b };
	*out = w->n_node++;
	return PROF_OK;
}

/* Negate node *out. */
static enum prof_status
negate(void *ctx, uint32_t *out)
{
	return new_node(ctx, WHERE_NOT, *out, 0, out);
}

static bool
number_comes(struct parser *p)
{
	const char *s = p->e.at + (*p->e.at == '-' || *p->e.at == '+');

	return is_digit(*s);
}

/* Parse a number with its unit. "1..2" begins with 1, not "1.". */
static enum prof_status
parse_number(struct parser *p, struct measure *out)
{
	const char *from = p->e.at, *unit;
	char digits[64];
	size_t n;

	p->e.at += *p->e.at == '-' || *p->e.at == '+';
	p->e.at += strspn(p->e.at, "0123456789");
	if (p->e.at[0] == '.' && is_digit(p->e.at[1]))
		p->e.at += 1 + strspn(p->e.at + 1, "0123456789");
	n = (size_t)(p->e.at - from);
	if (n >= sizeof(digits)) {
		p->e.at = from;
		return expr_expected(&p->e, "a shorter number");
	}
	memcpy(digits, from, n);
	digits[n] = '\0';
	unit = p->e.at;
	while (is_letter(*p->e.at))
		p->e.at++;
	*out = measure_of(strtold(digits, NULL),
			  add_word(p, unit, (size_t)(p->e.at - unit)));
	return PROF_OK;
}

/* [NUMBER] .. [NUMBER] */
static enum prof_status
parse_range(struct parser *p, struct where_range *r)
{
	enum prof_status st = PROF_OK;
	const char *from;

	expr_skip_blanks(&p->e);
	from = p->e.at;
	r->has_low = number_comes(p);
	if (r->has_low)
		st = parse_number(p, &r->low);
	if (st != PROF_OK)
		return st;
	if (!expr_take(&p->e, ".."))
		return expr_expected(&p->e, "a range such as 1kb..4kb");
	expr_skip_blanks(&p->e);
	r->has_high = number_comes(p);
	if (r->has_high)
		st = parse_number(p, &r->high);
	if (st != PROF_OK)
		return st;
	if (!r->has_low && !r->has_high) {
		p->e.at = from;
		return expr_expected(&p->e, "a number on one side of the dots");
	}
	if (!r->has_low || !r->has_high)
		return PROF_OK;
	if (!*r->high.unit)
		r->high = measure_of(r->high.x, r->low.unit);
	if (measure_relation(&r->low, &r->high) != MEASURE_COMPARABLE) {
		p->e.at = from;
		return expr_expected(&p->e,
				     "two numbers in units that convert");
	}
	return PROF_OK;
}

/* Parse the number after a comparison; op is the operator as written. */
static enum prof_status
parse_compared(struct parser *p, const char *op, struct where_range *r)
{
	struct measure m;
	enum prof_status st;

	expr_skip_blanks(&p->e);
	if (!number_comes(p))
		return expr_expected(&p->e, "a number");
	st = parse_number(p, &m);
	r->low = r->high = m;
	r->has_low = op[0] != '<';
	r->has_high = op[0] != '>';
	r->above_low = !strcmp(op, ">");
	r->below_high = !strcmp(op, "<");
	return st;
}

static enum prof_status
parse_pattern(struct parser *p, struct where_node *n)
{
	enum prof_status st;

	expr_skip_blanks(&p->e);
	if (*p->e.at != '"')
		return expr_expected(&p->e, "a pattern in quotes");
	st = parse_string(p, &n->string, &n->n_string);
	if (st != PROF_OK)
		return st;
	return p->patterns->compile(p->patterns->ctx, n->string, &n->test,
				    p->e.err);
}

/* Parse the test after a key into its node. */
static enum prof_status
parse_test(struct parser *p, struct where_node *n, bool *is_negated)
{
	static const char *const compared[] = { "<=", ">=", "<", ">" };

	*is_negated = false;
	if (expr_take(&p->e, "=~") || (*is_negated = expr_take(&p->e, "!~"))) {
		n->op = WHERE_MATCH;
		return parse_pattern(p, n);
	}
	if (expr_take(&p->e, "==") || (*is_negated = expr_take(&p->e, "!="))) {
		expr_skip_blanks(&p->e);
		if (*p->e.at == '"') {
			n->op = WHERE_EQUAL;
			return parse_string(p, &n->string, &n->n_string);
		}
		n->op = WHERE_RANGE;
		if (!number_comes(p))
			return expr_expected(&p->e,
					     "a number or a string in quotes");
		return parse_compared(p, "==", &n->range);
	}
	n->op = WHERE_RANGE;
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++)
		if (expr_take(&p->e, compared[i]))
			return parse_compared(p, compared[i], &n->range);
	if (p->e.at[0] == 'i' && p->e.at[1] == 'n' && !is_word(p->e.at[2])) {
		p->e.at += 2;
		return parse_range(p, &n->range);
	}
	n->op = WHERE_HAS;
	return PROF_OK;
}

static enum prof_status
parse_key(void *ctx, uint32_t *out)
{
	struct parser *p = ctx;
	enum prof_status st = new_node(p, WHERE_HAS, 0, 0, out);
	struct where_node *n = &p->w->node[*out];
	bool is_negated = false;
	const char *from;

	if (st != PROF_OK)
		return st;
	expr_skip_blanks(&p->e);
	from = p->e.at;
	if (*p->e.at == '"') {
		st = parse_string(p, &n->key, &n->n_key);
	} else if (begins_word(*p->e.at)) {
		/* A word may contain dots, but not the two of a range. */
		while (is_word(*p->e.at) && strncmp(p->e.at, "..", 2))
			p->e.at++;
		n->n_key = (size_t)(p->e.at - from);
		n->key = add_word(p, from, n->n_key);
	}
	if (!n->key)
		return expr_expected(&p->e, "a label's key, '!' or '('");
	if (st == PROF_OK)
		st = parse_test(p, n, &is_negated);
	if (st == PROF_OK && is_negated)
		st = negate(p, out);
	return st;
}

static enum prof_status
join_nodes(void *ctx, enum expr_join how, uint32_t right, uint32_t *out)
{
	return new_node(ctx, how == EXPR_OR ? WHERE_OR : WHERE_AND, *out, right,
			out);
}

enum prof_status
where_parse(const char *text, const struct where_patterns *patterns,
	    struct where **out, struct prof_err *err)
{
	static const struct expr_ops ops = { parse_key, negate, join_nodes };
	struct where *w = calloc(1, sizeof(*w));
	struct parser p = { w, patterns, { text, text, 0, err }, NULL };
	enum prof_status st;

	*out = NULL;
	if (!w)
		return prof_nomem(err);
	/* Each string is at most as long as its source, plus a NUL. */
	w->text = malloc(2 * strlen(text) + 2);
	w->node = calloc(MAX_NODE, sizeof(*w->node));
	p.words = w->text;
	if (!w->text || !w->node) {
		where_free(w);
		return prof_nomem(err);
	}
	st = expr_parse(&p.e, &ops, &p, &w->root);
	if (st != PROF_OK) {
		where_free(w);
		return st;
	}
	*out = w;
	return PROF_OK;
}

bool
where_asks(const struct where *w, const char *key, size_t n)
{
	for (uint32_t i = 0; i < w->n_node; i++)
		if (w->node[i].key && w->node[i].n_key == n &&
		    !memcmp(w->node[i].key, key, n))
			return true;
	return false;
}

void
where_free(struct where *w)
{
	if (!w)
		return;
	free(w->text);
	free(w->node);
	free(w);
}
