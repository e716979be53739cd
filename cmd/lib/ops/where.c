/* where.c - parses the expressions of where.h, by recursive descent. */
#include "config.h"

#include "where.h"

#include <stdlib.h>
#include <string.h>

#include "where-impl.h"

enum { MAX_NODE = 2000, MAX_DEPTH = 100 };

struct parser {
	struct where *w;
	const struct where_patterns *patterns;
	const char *start, *s; /* the input, and the position in it */
	char *words;           /* free space in w->text */
	int depth;
	struct prof_err *err;
};

static enum prof_status parse_or(struct parser *p, uint32_t *out);

static enum prof_status
expected(const struct parser *p, const char *what)
{
	return prof_fail(p->err, PROF_EUSAGE, "at byte %zu: expected %s%s%.20s",
			 (size_t)(p->s - p->start), what,
			 *p->s ? " instead of " : " instead of the end", p->s);
}

static void
skip_blanks(struct parser *p)
{
	p->s += strspn(p->s, " \t\n");
}

/* Take the token if it comes next. */
static bool
take(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_blanks(p);
	if (strncmp(p->s, token, n))
		return false;
	p->s += n;
	return true;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

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
	const char *from = p->s;

	*out = at;
	for (p->s++; *p->s != '"'; p->s++) {
		if (!*p->s) {
			p->s = from;
			return expected(p, "a closing quote");
		}
		if (p->s[0] == '\\' && p->s[1] == '"')
			p->s++;
		*at++ = *p->s;
	}
	p->s++;
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
		return prof_fail(p->err, PROF_ELIMIT, "expression too long");
	w->node[w->n_node] = (struct where_node){ .op = op, .a = a, .b = b };
	*out = w->n_node++;
	return PROF_OK;
}

/* Negate node *out. */
static enum prof_status
negate(struct parser *p, uint32_t *out)
{
	return new_node(p, WHERE_NOT, *out, 0, out);
}

static bool
number_comes(struct parser *p)
{
	const char *s = p->s + (*p->s == '-' || *p->s == '+');

	return is_digit(*s);
}

/* Parse a number with its unit. "1..2" begins with 1, not "1.". */
static enum prof_status
parse_number(struct parser *p, struct measure *out)
{
	const char *from = p->s, *unit;
	char digits[64];
	size_t n;

	p->s += *p->s == '-' || *p->s == '+';
	p->s += strspn(p->s, "0123456789");
	if (p->s[0] == '.' && is_digit(p->s[1]))
		p->s += 1 + strspn(p->s + 1, "0123456789");
	n = (size_t)(p->s - from);
	if (n >= sizeof(digits)) {
		p->s = from;
		return expected(p, "a shorter number");
	}
	memcpy(digits, from, n);
	digits[n] = '\0';
	unit = p->s;
	while (is_letter(*p->s))
		p->s++;
	*out = measure_of(strtold(digits, NULL),
			  add_word(p, unit, (size_t)(p->s - unit)));
	return PROF_OK;
}

/* [NUMBER] .. [NUMBER] */
static enum prof_status
parse_range(struct parser *p, struct where_range *r)
{
	enum prof_status st = PROF_OK;
	const char *from;

	skip_blanks(p);
	from = p->s;
	r->has_low = number_comes(p);
	if (r->has_low)
		st = parse_number(p, &r->low);
	if (st != PROF_OK)
		return st;
	if (!take(p, ".."))
		return expected(p, "a range such as 1kb..4kb");
	skip_blanks(p);
	r->has_high = number_comes(p);
	if (r->has_high)
		st = parse_number(p, &r->high);
	if (st != PROF_OK)
		return st;
	if (!r->has_low && !r->has_high) {
		p->s = from;
		return expected(p, "a number on one side of the dots");
	}
	if (!r->has_low || !r->has_high)
		return PROF_OK;
	if (!*r->high.unit)
		r->high = measure_of(r->high.x, r->low.unit);
	if (measure_relation(&r->low, &r->high) != MEASURE_COMPARABLE) {
		p->s = from;
		return expected(p, "two numbers in units that convert");
	}
	return PROF_OK;
}

/* Parse the number after a comparison; op is the operator as written. */
static enum prof_status
parse_compared(struct parser *p, const char *op, struct where_range *r)
{
	struct measure m;
	enum prof_status st;

	skip_blanks(p);
	if (!number_comes(p))
		return expected(p, "a number");
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

	skip_blanks(p);
	if (*p->s != '"')
		return expected(p, "a pattern in quotes");
	st = parse_string(p, &n->string, &n->n_string);
	if (st != PROF_OK)
		return st;
	return p->patterns->compile(p->patterns->ctx, n->string, &n->test,
				    p->err);
}

/* Parse the test after a key into its node. */
static enum prof_status
parse_test(struct parser *p, struct where_node *n, bool *is_negated)
{
	static const char *const compared[] = { "<=", ">=", "<", ">" };

	*is_negated = false;
	if (take(p, "=~") || (*is_negated = take(p, "!~"))) {
		n->op = WHERE_MATCH;
		return parse_pattern(p, n);
	}
	if (take(p, "==") || (*is_negated = take(p, "!="))) {
		skip_blanks(p);
		if (*p->s == '"') {
			n->op = WHERE_EQUAL;
			return parse_string(p, &n->string, &n->n_string);
		}
		n->op = WHERE_RANGE;
		if (!number_comes(p))
			return expected(p, "a number or a string in quotes");
		return parse_compared(p, "==", &n->range);
	}
	n->op = WHERE_RANGE;
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++)
		if (take(p, compared[i]))
			return parse_compared(p, compared[i], &n->range);
	if (p->s[0] == 'i' && p->s[1] == 'n' && !is_word(p->s[2])) {
		p->s += 2;
		return parse_range(p, &n->range);
	}
	n->op = WHERE_HAS;
	return PROF_OK;
}

static enum prof_status
parse_key(struct parser *p, uint32_t *out)
{
	enum prof_status st = new_node(p, WHERE_HAS, 0, 0, out);
	struct where_node *n = &p->w->node[*out];
	bool is_negated = false;
	const char *from;

	if (st != PROF_OK)
		return st;
	skip_blanks(p);
	from = p->s;
	if (*p->s == '"') {
		st = parse_string(p, &n->key, &n->n_key);
	} else if (begins_word(*p->s)) {
		/* A word may contain dots, but not the two of a range. */
		while (is_word(*p->s) && strncmp(p->s, "..", 2))
			p->s++;
		n->n_key = (size_t)(p->s - from);
		n->key = add_word(p, from, n->n_key);
	}
	if (!n->key)
		return expected(p, "a label's key, '!' or '('");
	if (st == PROF_OK)
		st = parse_test(p, n, &is_negated);
	if (st == PROF_OK && is_negated)
		st = negate(p, out);
	return st;
}

static enum prof_status
parse_term(struct parser *p, uint32_t *out)
{
	enum prof_status st;

	if (++p->depth > MAX_DEPTH)
		return prof_fail(p->err, PROF_ELIMIT, "expression too deep");
	if (take(p, "!")) {
		st = parse_term(p, out);
		if (st == PROF_OK)
			st = negate(p, out);
	} else if (take(p, "(")) {
		st = parse_or(p, out);
		if (st == PROF_OK && !take(p, ")"))
			st = expected(p, "')'");
	} else {
		st = parse_key(p, out);
	}
	p->depth--;
	return st;
}

static enum prof_status
parse_and(struct parser *p, uint32_t *out)
{
	enum prof_status st = parse_term(p, out);
	uint32_t right;

	while (st == PROF_OK && take(p, "&&")) {
		st = parse_term(p, &right);
		if (st == PROF_OK)
			st = new_node(p, WHERE_AND, *out, right, out);
	}
	return st;
}

static enum prof_status
parse_or(struct parser *p, uint32_t *out)
{
	enum prof_status st = parse_and(p, out);
	uint32_t right;

	while (st == PROF_OK && take(p, "||")) {
		st = parse_and(p, &right);
		if (st == PROF_OK)
			st = new_node(p, WHERE_OR, *out, right, out);
	}
	return st;
}

enum prof_status
where_parse(const char *text, const struct where_patterns *patterns,
	    struct where **out, struct prof_err *err)
{
	struct where *w = calloc(1, sizeof(*w));
	struct parser p = { w, patterns, text, text, NULL, 0, err };
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
	st = parse_or(&p, &w->root);
	skip_blanks(&p);
	if (st == PROF_OK && *p.s)
		st = expected(&p, "'&&', '||' or the end");
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
