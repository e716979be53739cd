/* rule.c - see rule.h. */
#include "config.h"

#include "rule.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/expr.h"
#include "lib/model/units.h"

static enum prof_status
parse_unit(struct expr *e, struct rule_limit *l)
{
	size_t n = 0;

	expr_skip_blanks(e);
	while (isalpha((unsigned char)e->at[n]))
		n++;
	if (n >= sizeof(l->unit))
		return expr_expected(e, "a unit");
	memcpy(l->unit, e->at, n);
	l->unit[n] = '\0';
	e->at += n;
	return PROF_OK;
}

/* Parse the number and unit after the relation. */
static enum prof_status
parse_number(struct expr *e, struct rule_limit *l)
{
	char *end;

	expr_skip_blanks(e);
	l->is_change = *e->at == '+' || *e->at == '-';
	if (!isdigit((unsigned char)e->at[l->is_change]) &&
	    e->at[l->is_change] != '.')
		return expr_expected(e, "a number");
	l->number = strtod(e->at, &end);
	if (end == e->at || !isfinite(l->number))
		return expr_expected(e, "a number");
	e->at = end;
	if (!expr_take(e, "%"))
		return parse_unit(e, l);
	l->is_percent = true;
	/* A value can only be a part of the total. */
	l->of_total = !l->is_change;
	if (expr_take(e, "of")) {
		if (!expr_take(e, "total"))
			return expr_expected(e, "'total'");
		l->of_total = true;
	}
	return PROF_OK;
}

/* --- limits --- */

/* Compute the absolute limit: mean per profile, scaled. */
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
	/* Values after are scaled to the total before. */
	if (g->o.yardstick == GATE_SHARES)
		return prof_fail(err, PROF_EUSAGE,
				 "the scale is shares of the total, so a limit "
				 "is in percent");
	*bound = l->number;
	if (!strcmp(l->unit, g->unit))
		return PROF_OK;
	if (!*l->unit) {
		if (unit <= 0 || l->number == 0)
			return PROF_OK;
		return prof_fail(err, PROF_EUSAGE,
				 "%.10g has no unit: the profiles are in %s",
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
keeps(const struct rule_limit *l, double x, double bound)
{
	return l->is_strict ? x < bound : x <= bound;
}

/* The limited quantity of cell c, and the limit in its unit. */
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
 * Parse the name at the beginning of a line: a quoted string, or all up to "
 * <=", without the word flat or cum before that. The space is needed because
 * C++ names contain '<'. A name between slashes is a pattern; no file name ends
 * with one.
 */
static enum prof_status
parse_name(struct expr *e, struct rule_budget *r)
{
	const char *from = e->at, *end;
	bool is_pattern = *from == '/';

	if (*from == '"') {
		end = strchr(++from, '"');
		if (!end)
			return expr_expected(e, "'\"'");
		e->at = end + 1;
	} else {
		end = from;
		do {
			end += strcspn(end, " \t");
			e->at = end;
			end += strspn(end, " \t");
		} while (*end && strncmp(end, "<= ", 3) &&
			 strncmp(end, "< ", 2) && strncmp(end, "flat <", 6) &&
			 strncmp(end, "cum <", 5));
		end = e->at;
	}
	if (end == from)
		return expr_expected(e, "a function");
	r->name = strndup(from, (size_t)(end - from));
	if (!r->name)
		return prof_nomem(e->err);
	if (!is_pattern || end - from < 3 || end[-1] != '/')
		return PROF_OK;
	r->pattern = strndup(from + 1, (size_t)(end - from) - 2);
	return r->pattern ? PROF_OK : prof_nomem(e->err);
}

static enum prof_status
parse_budget(struct expr *e, struct rule_budget *r)
{
	struct rule_limit *l = &r->limit;
	enum prof_status st = parse_name(e, r);

	if (st != PROF_OK)
		return st;
	l->kind = expr_take(e, "flat") ? GATE_FLAT : GATE_CUM;
	if (l->kind == GATE_CUM)
		expr_take(e, "cum");
	l->is_strict = !expr_take(e, "<=");
	if (l->is_strict && !expr_take(e, "<"))
		return expr_expected(e, "< or <=");
	st = parse_number(e, l);
	expr_skip_blanks(e);
	if (st == PROF_OK && *e->at)
		st = expr_expected(e, "the end of the line");
	return st;
}

/* Add the rule in a line, if there is one. */
static enum prof_status
add_budget(struct rule_budgets *b, char *line, unsigned number,
	   struct prof_err *err)
{
	struct prof_err inner;
	struct expr e = { line, line, 0, &inner };
	struct rule_budget *grown;
	enum prof_status st;
	bool quoted = false;

	for (char *c = line; *c; c++) {
		quoted ^= *c == '"';
		if (*c == '#' && !quoted &&
		    (c == line || isspace((unsigned char)c[-1])))
			*c-- = '\0';
	}
	expr_skip_blanks(&e);
	if (!*e.at)
		return PROF_OK;
	if (b->n_rule == RULE_MAX_BUDGET)
		return prof_fail(err, PROF_ELIMIT, "more than %d rules",
				 RULE_MAX_BUDGET);
	grown = reallocarray(b->rule, b->n_rule + 1, sizeof(*grown));
	if (!grown)
		return prof_nomem(err);
	b->rule = grown;
	grown[b->n_rule] = (struct rule_budget){ .line = number };
	st = parse_budget(&e, &grown[b->n_rule++]);
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

/* Set the answer to rule r from cell c. */
static enum prof_status
check_cell(struct rule_budget *r, const struct gate *g,
	   const struct gate_cell *c, double level, struct prof_err *err)
{
	const struct gate_dist *d = g->o.dist;
	struct prof_err inner;
	enum prof_status st =
		compare_cell(&r->limit, g, c, &r->value, &r->bound, &inner);
	double df, half;

	if (st != PROF_OK)
		return prof_fail(err, st, "line %u: %s", r->line, inner.msg);
	r->whole = c->before;
	if (r->limit.of_total)
		r->whole = r->limit.is_change ? g->total.cell[1]->before
					      : g->total.cell[1]->after;
	half = gate_error(&g->model, &g->o, c, r->limit.is_change, &df);
	half *= d->t_quantile(level, df);
	/* A change is no larger than the runs of this row alone say. */
	if (r->limit.is_change && g->model.df > 0)
		half = fmax(half,
			    c->own_error * d->t_quantile(level, g->model.df));
	r->low = r->value - half;
	r->high = r->value + half;
	if (keeps(&r->limit, r->high, r->bound))
		r->answer = RULE_KEPT;
	else if (keeps(&r->limit, r->low, r->bound))
		r->answer = RULE_UNSURE;
	else
		r->answer = RULE_BROKEN;
	return PROF_OK;
}

/* The rows that a rule limits. */
struct group {
	unsigned char *in;      /* by row: it belongs to the rule */
	double *value, *square; /* sums by run */
	size_t n;               /* rows */
	uint32_t last;          /* the last of them */
};

/* Find the rows of rule i. */
static enum prof_status
find_rows(struct group *x, const struct rule_budget *r, size_t i,
	  const struct gate *g, const struct rule_matcher *matcher,
	  struct prof_err *err)
{
	x->n = 0;
	memset(x->in, 0, g->n_row);
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
		if (!is_in || x->in[to])
			continue;
		x->in[to] = 1;
		x->last = to;
		x->n++;
	}
	return PROF_OK;
}

static enum prof_status
check_rule(struct group *x, struct rule_budget *r, const struct gate *g,
	   double level, struct prof_err *err)
{
	enum gate_kind kind = r->limit.kind;
	struct gate_cell c;

	r->answer = RULE_NO_FUNCTION;
	if (!x->n)
		return PROF_OK;
	/* The cell of a row without samples has not been tested: it has no
	 * noise. */
	if (x->n == 1 && g->row[x->last].set[kind])
		return check_cell(r, g, g->row[x->last].cell[kind], level, err);
	/* Flats share no samples. */
	if (kind == GATE_FLAT)
		gate_sum_flats(g, x->in, x->value, x->square);
	else
		gate_sum_stacks(g, x->in, x->value, x->square);
	gate_test_set(g, x->value, x->square, &c);
	return check_cell(r, g, &c, level, err);
}

enum prof_status
rule_check(struct rule_budgets *b, const struct gate *g,
	   const struct rule_matcher *matcher, struct prof_err *err)
{
	double level = g->o.alpha / (double)b->n_rule;
	struct group x = {
		.value = gate_zeros(g->arena, g->n_run, sizeof(double)),
		.square = gate_zeros(g->arena, g->n_run, sizeof(double)),
		.in = gate_zeros(g->arena, g->n_row, 1),
	};
	enum prof_status st = PROF_OK;

	if (!x.value || !x.square || !x.in)
		return prof_nomem(err);
	for (size_t i = 0; st == PROF_OK && i < b->n_rule; i++) {
		st = find_rows(&x, &b->rule[i], i, g, matcher, err);
		if (st == PROF_OK)
			st = check_rule(&x, &b->rule[i], g, level, err);
	}
	return st;
}
