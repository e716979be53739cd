/* rule.c - see rule.h. */
#include "config.h"

#include "rule.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/model/units.h"

struct parser {
	const char *text, *at;
	struct rule_condition *c;
	unsigned depth;
	struct prof_err *err;
};

static enum prof_status
wrong(struct parser *p, const char *want)
{
	return prof_fail(p->err, PROF_EUSAGE,
			 "'%.200s': %s expected at '%.40s'", p->text, want,
			 p->at);
}

static void
skip_space(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* Take `word` if it comes next; a word of letters must end there. */
static bool
take(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	skip_space(p);
	if (strncmp(p->at, word, n) != 0 ||
	    (isalpha((unsigned char)*word) &&
	     (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')))
		return false;
	p->at += n;
	return true;
}

static bool
take_relation(struct parser *p, enum rule_relation *r)
{
	if (take(p, "<="))
		*r = RULE_LE;
	else if (take(p, ">="))
		*r = RULE_GE;
	else if (take(p, "<"))
		*r = RULE_LT;
	else if (take(p, ">"))
		*r = RULE_GT;
	else
		return false;
	return true;
}

static enum prof_status
parse_unit(struct parser *p, struct rule_limit *l)
{
	size_t n = 0;

	skip_space(p);
	while (isalpha((unsigned char)p->at[n]))
		n++;
	if (n >= sizeof(l->unit))
		return wrong(p, "a unit");
	memcpy(l->unit, p->at, n);
	l->unit[n] = '\0';
	p->at += n;
	return PROF_OK;
}

/* What follows the relation. */
static enum prof_status
parse_number(struct parser *p, struct rule_limit *l)
{
	char *end;

	skip_space(p);
	l->is_change = *p->at == '+' || *p->at == '-';
	if (!isdigit((unsigned char)p->at[l->is_change]) &&
	    p->at[l->is_change] != '.')
		return wrong(p, "a number");
	l->number = strtod(p->at, &end);
	if (end == p->at || !isfinite(l->number))
		return wrong(p, "a number");
	p->at = end;
	if (!take(p, "%"))
		return parse_unit(p, l);
	l->is_percent = true;
	/* A value can only be a part of the total. */
	l->of_total = !l->is_change;
	if (take(p, "of")) {
		if (!take(p, "total"))
			return wrong(p, "'total'");
		l->of_total = true;
	}
	return PROF_OK;
}

static enum prof_status
emit(struct parser *p, const struct rule_term *t)
{
	if (p->c->n_term == RULE_MAX_TERM)
		return prof_fail(p->err, PROF_ELIMIT,
				 "more than %d comparisons and operators",
				 RULE_MAX_TERM);
	p->c->term[p->c->n_term++] = *t;
	return PROF_OK;
}

static enum prof_status parse_or(struct parser *p);

static enum prof_status
parse_factor(struct parser *p)
{
	struct rule_term t = { .op = RULE_COMPARE };
	enum prof_status st;

	if (++p->depth > RULE_MAX_DEPTH)
		return prof_fail(p->err, PROF_ELIMIT, "nested too deeply");
	if (take(p, "!")) {
		t.op = RULE_NOT;
		st = parse_factor(p);
		if (st == PROF_OK)
			st = emit(p, &t);
	} else if (take(p, "(")) {
		st = parse_or(p);
		if (st == PROF_OK && !take(p, ")"))
			st = wrong(p, "')'");
	} else {
		if (take(p, "cum"))
			t.limit.kind = GATE_CUM;
		else if (!take(p, "flat"))
			return wrong(p, "'flat' or 'cum'");
		if (!take_relation(p, &t.limit.relation))
			return wrong(p, "<, <=, > or >=");
		st = parse_number(p, &t.limit);
		if (st == PROF_OK)
			st = emit(p, &t);
	}
	p->depth--;
	return st;
}

static enum prof_status
parse_and(struct parser *p)
{
	static const struct rule_term and = { .op = RULE_AND };
	enum prof_status st = parse_factor(p);

	while (st == PROF_OK && take(p, "&&")) {
		st = parse_factor(p);
		if (st == PROF_OK)
			st = emit(p, &and);
	}
	return st;
}

static enum prof_status
parse_or(struct parser *p)
{
	static const struct rule_term or = { .op = RULE_OR };
	enum prof_status st = parse_and(p);

	while (st == PROF_OK && take(p, "||")) {
		st = parse_and(p);
		if (st == PROF_OK)
			st = emit(p, & or);
	}
	return st;
}

enum prof_status
rule_parse(const char *text, struct rule_condition *c, struct prof_err *err)
{
	struct parser p = { .text = text, .at = text, .c = c, .err = err };
	enum prof_status st;

	c->n_term = 0;
	st = parse_or(&p);
	skip_space(&p);
	if (st == PROF_OK && *p.at)
		st = wrong(&p, "&&, || or the end");
	return st;
}

/* --- conditions --- */

/* The absolute limit, in values per profile, scaled. */
static enum prof_status
bound_of(const struct rule_limit *l, const struct gate *g, double base,
	 double total, double *bound, struct prof_err *err)
{
	int want_family, have_family;
	double want, unit = units_factor(g->unit, &have_family);

	if (l->is_percent) {
		*bound = l->number / 100 * (l->of_total ? total : base);
		return PROF_OK;
	}
	*bound = l->number;
	if (!strcmp(l->unit, g->unit))
		return PROF_OK;
	if (!*l->unit) {
		if (unit <= 0 || l->number == 0)
			return PROF_OK;
		return prof_fail(err, PROF_EUSAGE,
				 "%.10g of what? the profiles are in %s",
				 l->number, g->unit);
	}
	want = units_factor(l->unit, &want_family);
	if (want <= 0 || unit <= 0 || want_family != have_family)
		return prof_fail(err, PROF_EUSAGE,
				 "the profiles are in %s, not in %s", g->unit,
				 l->unit);
	*bound = l->number * want / unit;
	return PROF_OK;
}

static bool
compare(enum rule_relation r, double x, double bound)
{
	switch (r) {
	case RULE_LT:
		return x < bound;
	case RULE_LE:
		return x <= bound;
	case RULE_GT:
		return x > bound;
	case RULE_GE:
		break;
	}
	return x >= bound;
}

/* What a limit is about in cell c, and where it lies. */
static enum prof_status
compare_cell(const struct rule_limit *l, const struct gate *g,
	     const struct gate_cell *c, double *value, double *bound,
	     struct prof_err *err)
{
	const struct gate_cell *total = g->total.cell[GATE_CUM];

	*value = l->is_change ? c->after - c->before : c->after;
	return bound_of(l, g, c->before,
			l->is_change ? total->before : total->after, bound,
			err);
}

enum prof_status
rule_holds(const struct rule_condition *c, const struct gate *g,
	   const struct gate_row *row, bool *holds, struct prof_err *err)
{
	bool stack[RULE_MAX_TERM];
	size_t n = 0;

	for (size_t i = 0; i < c->n_term; i++) {
		const struct rule_limit *l = &c->term[i].limit;
		enum prof_status st;
		double value, bound;

		switch (c->term[i].op) {
		case RULE_NOT:
			stack[n - 1] = !stack[n - 1];
			break;
		case RULE_AND:
			n--;
			stack[n - 1] = stack[n - 1] && stack[n];
			break;
		case RULE_OR:
			n--;
			stack[n - 1] = stack[n - 1] || stack[n];
			break;
		case RULE_COMPARE:
			st = compare_cell(l, g, row->cell[l->kind], &value,
					  &bound, err);
			if (st != PROF_OK)
				return st;
			stack[n++] = compare(l->relation, value, bound);
		}
	}
	*holds = stack[0];
	return PROF_OK;
}

/* --- budgets --- */

void
rule_budgets_release(struct rule_budgets *b)
{
	for (size_t i = 0; i < b->n_rule; i++) {
		free(b->rule[i].name);
		free(b->rule[i].pattern);
	}
	free(b->rule);
	*b = (struct rule_budgets){ 0 };
}

/*
 * The name at the begin of a line: in quotes, or all up to " <=", and the
 * word flat or cum before that. C++ has names with '<', so it takes a space.
 * What is between slashes is a pattern: no file has a name that ends with one.
 */
static enum prof_status
parse_name(struct parser *p, struct rule_budget *r)
{
	const char *from = p->at, *end;
	bool is_pattern = *from == '/';

	if (*from == '"') {
		end = strchr(++from, '"');
		if (!end)
			return wrong(p, "'\"'");
		p->at = end + 1;
	} else {
		end = from;
		do {
			end += strcspn(end, " \t");
			p->at = end;
			end += strspn(end, " \t");
		} while (*end && strncmp(end, "<= ", 3) &&
			 strncmp(end, "< ", 2) && strncmp(end, "flat <", 6) &&
			 strncmp(end, "cum <", 5));
		end = p->at;
	}
	if (end == from)
		return wrong(p, "a function");
	r->name = strndup(from, (size_t)(end - from));
	if (!r->name)
		return prof_nomem(p->err);
	if (!is_pattern || end - from < 3 || end[-1] != '/')
		return PROF_OK;
	r->pattern = strndup(from + 1, (size_t)(end - from) - 2);
	return r->pattern ? PROF_OK : prof_nomem(p->err);
}

static enum prof_status
parse_budget(struct parser *p, struct rule_budget *r)
{
	struct rule_limit *l = &r->limit;
	enum prof_status st = parse_name(p, r);

	if (st != PROF_OK)
		return st;
	l->kind = take(p, "flat") ? GATE_FLAT : GATE_CUM;
	if (l->kind == GATE_CUM)
		take(p, "cum");
	if (!take_relation(p, &l->relation) || l->relation > RULE_LE)
		return wrong(p, "< or <=");
	st = parse_number(p, l);
	skip_space(p);
	if (st == PROF_OK && *p->at)
		st = wrong(p, "the end of the line");
	return st;
}

/* Add the rule in a line, if there is one. */
static enum prof_status
add_budget(struct rule_budgets *b, char *line, unsigned number,
	   struct prof_err *err)
{
	struct prof_err inner;
	struct parser p = { .err = &inner };
	struct rule_budget *grown;
	enum prof_status st;
	bool quoted = false;

	for (char *c = line; *c; c++) {
		quoted ^= *c == '"';
		if (*c == '#' && !quoted &&
		    (c == line || isspace((unsigned char)c[-1])))
			*c-- = '\0';
	}
	p.text = p.at = line;
	skip_space(&p);
	if (!*p.at)
		return PROF_OK;
	if (b->n_rule == RULE_MAX_BUDGET)
		return prof_fail(err, PROF_ELIMIT, "more than %d rules",
				 RULE_MAX_BUDGET);
	grown = reallocarray(b->rule, b->n_rule + 1, sizeof(*grown));
	if (!grown)
		return prof_nomem(err);
	b->rule = grown;
	grown[b->n_rule] = (struct rule_budget){ .line = number };
	st = parse_budget(&p, &grown[b->n_rule++]);
	if (st != PROF_OK)
		return prof_fail(err, st, "line %u: %s", number, inner.msg);
	return PROF_OK;
}

enum prof_status
rule_budgets_parse(const char *text, size_t n, struct rule_budgets *b,
		   struct prof_err *err)
{
	const char *end = text + n;
	char line[RULE_MAX_LINE];
	unsigned number = 0;

	*b = (struct rule_budgets){ 0 };
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((stop ? stop : end) - text);
		enum prof_status st;

		number++;
		if (len >= sizeof(line) || memchr(text, '\0', len))
			return prof_fail(err, PROF_EUSAGE,
					 "line %u: too long, or not text",
					 number);
		memcpy(line, text, len);
		line[len] = '\0';
		st = add_budget(b, line, number, err);
		if (st != PROF_OK)
			return st;
		text += len + 1;
	}
	return PROF_OK;
}

/* The answer to rule r, of what is in cell c. */
static enum prof_status
check_cell(struct rule_budget *r, const struct gate *g,
	   const struct gate_dist *d, const struct gate_cell *c, double level,
	   struct prof_err *err)
{
	struct prof_err inner;
	enum prof_status st =
		compare_cell(&r->limit, g, c, &r->value, &r->bound, &inner);
	double df, half;

	if (st != PROF_OK)
		return prof_fail(err, st, "line %u: %s", r->line, inner.msg);
	half = gate_error(&g->model, &g->o, c, r->limit.is_change, &df);
	half *= d->t_quantile(level, df);
	r->low = r->value - half;
	r->high = r->value + half;
	if (compare(r->limit.relation, r->high, r->bound))
		r->answer = RULE_KEPT;
	else if (compare(r->limit.relation, r->low, r->bound))
		r->answer = RULE_UNSURE;
	else
		r->answer = RULE_BROKEN;
	return PROF_OK;
}

/* Up to GATE_MAX_GROUP rules for several rows, added up in one go. */
struct groups {
	struct rule_budget *rule[GATE_MAX_GROUP];
	size_t n;
	double *value, *square; /* n_run of each group */
	uint64_t *of_row;
};

/* Which rows is rule i about? Their number, and the last of them. */
static enum prof_status
find_rows(struct groups *x, const struct rule_budget *r, size_t i,
	  const struct gate *g, const struct rule_matcher *matcher, size_t *n,
	  uint32_t *last, struct prof_err *err)
{
	uint64_t bit = (uint64_t)1 << x->n;

	*n = 0;
	for (uint32_t row = 0; row < g->n_row; row++) {
		const struct str *s = gate_name(g, g->row[row].name);
		uint32_t to = g->row[row].to;
		bool is_in = s->len == strlen(r->name) &&
			     !memcmp(r->name, s->s, s->len);
		enum prof_status st = PROF_OK;

		if (r->pattern)
			st = matcher->matches(matcher->ctx, i, s, &is_in, err);
		if (st != PROF_OK)
			return st;
		if (!is_in || x->of_row[to] & bit)
			continue;
		x->of_row[to] |= bit;
		*last = to;
		++*n;
	}
	return PROF_OK;
}

/* The answers to the rules that are in x, which is then empty again. */
static enum prof_status
check_groups(struct groups *x, const struct gate *g, const struct gate_dist *d,
	     double level, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	if (x->n)
		st = gate_sum_groups(g, x->of_row, x->n, x->value, x->square,
				     err);
	for (size_t i = 0; st == PROF_OK && i < x->n; i++) {
		double *value = x->value + i * g->n_run;
		double *square = x->square + i * g->n_run;
		struct gate_cell c;

		/* Flats share no samples. */
		if (x->rule[i]->limit.kind == GATE_FLAT)
			gate_sum_flats(g, x->of_row, (uint64_t)1 << i, value,
				       square);
		gate_test_set(g, d, value, square, &c);
		st = check_cell(x->rule[i], g, d, &c, level, err);
	}
	memset(x->of_row, 0, g->n_row * sizeof(*x->of_row));
	x->n = 0;
	return st;
}

static enum prof_status
check_rules(struct rule_budgets *b, const struct gate *g,
	    const struct gate_dist *d, const struct rule_matcher *matcher,
	    struct groups *x, struct prof_err *err)
{
	double level = g->o.alpha / (double)b->n_rule;
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < b->n_rule; i++) {
		struct rule_budget *r = &b->rule[i];
		uint32_t row = 0;
		size_t n;

		r->answer = RULE_NO_FUNCTION;
		st = find_rows(x, r, i, g, matcher, &n, &row, err);
		if (st == PROF_OK && n == 1)
			st = check_cell(r, g, d,
					g->row[row].cell[r->limit.kind], level,
					err);
		if (n > 1)
			x->rule[x->n++] = r;
		else if (n == 1)
			x->of_row[row] &= ~((uint64_t)1 << x->n);
		if (st == PROF_OK && x->n == GATE_MAX_GROUP)
			st = check_groups(x, g, d, level, err);
	}
	return st == PROF_OK ? check_groups(x, g, d, level, err) : st;
}

enum prof_status
rule_check(struct rule_budgets *b, const struct gate *g,
	   const struct gate_dist *d, const struct rule_matcher *matcher,
	   struct prof_err *err)
{
	struct groups x = { 0 };
	enum prof_status st;

	x.value = calloc(GATE_MAX_GROUP * g->n_run + 1, sizeof(*x.value));
	x.square = calloc(GATE_MAX_GROUP * g->n_run + 1, sizeof(*x.square));
	x.of_row = calloc(g->n_row + 1, sizeof(*x.of_row));
	if (x.value && x.square && x.of_row)
		st = check_rules(b, g, d, matcher, &x, err);
	else
		st = prof_nomem(err);
	free(x.value);
	free(x.square);
	free(x.of_row);
	return st;
}
