/* print.c - what the formats of prof-gate share; see print.h. */
#include "config.h"

#include "print.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lib/model/units.h"

size_t
gate_shown(const struct gate_report *r)
{
	const struct gate *g = r->g;
	size_t n =
		r->all ? g->n_order : g->n_order - g->n_verdict[GATE_UNCHANGED];

	return r->max_rows && n > r->max_rows ? r->max_rows : n;
}

/* Units come from the profile; in no format do these characters mean a thing.
 */
static void
copy_word(char *to, size_t size, const char *word)
{
	size_t n = 0;

	for (; word[n] && n + 1 < size; n++)
		to[n] = isalnum((unsigned char)word[n]) || word[n] == '_' ||
					word[n] == '/'
				? word[n]
				: '?';
	to[n] = '\0';
}

const char *
gate_number(char text[GATE_TEXT], const struct gate_report *r, double v,
	    bool sign)
{
	struct quantity q;
	double cut = fmin(fmax(round(v), -9e18), 9e18);
	char unit[16];

	units_format(&q, (int64_t)cut, r->g->run[0].m.unit, "auto");
	copy_word(unit, sizeof(unit), q.unit);
	snprintf(text, GATE_TEXT, "%s%s%s", sign && cut > 0 ? "+" : "",
		 q.number, unit);
	return text;
}

const char *
gate_percent(char text[GATE_TEXT], double v, double whole)
{
	if (whole <= 0)
		snprintf(text, GATE_TEXT, "%s", v > 0 ? "new" : "0%");
	else if (v <= -whole)
		snprintf(text, GATE_TEXT, "gone");
	else
		snprintf(text, GATE_TEXT, "%+.1f%%", 100 * v / whole);
	return text;
}

const char *
gate_kind_name(enum gate_kind k)
{
	return k == GATE_FLAT ? "flat" : "cum";
}

const char *
gate_cause_name(const struct gate_cause *c)
{
	static const char *const kind[] = { "caller", "callee", "line" };

	return c->is_inlined ? "inlined" : kind[c->kind];
}

void
gate_print_basis(FILE *out, const struct gate_report *r)
{
	static const char *const per[] = {
		"profile", "profile, scaled to equal totals",
		"profile, scaled to equal durations",
		"profile, scaled to equal operations"
	};
	const struct gate *g = r->g;
	char type[32], unit[32];

	copy_word(type, sizeof(type), g->run[0].m.type);
	copy_word(unit, sizeof(unit), g->run[0].m.unit);
	fprintf(out, "%zu base and %zu new profile%s, %s/%s per %s; ",
		g->n_side[GATE_BASE], g->n_side[GATE_NEW],
		g->n_side[GATE_NEW] == 1 ? "" : "s", type, unit, per[r->scale]);
	fprintf(out, "%.0f and %.0f samples", g->total.n_before,
		g->total.n_after);
	if (g->noise.df <= 0)
		fprintf(out, "; one profile a side: noise between runs is "
			     "not seen");
	else
		fprintf(out, "; noise between runs %.1f%%",
			100 * sqrt(g->noise.rate));
}

void
gate_print_answer(FILE *out, const struct gate_report *r)
{
	const struct gate *g = r->g;
	size_t n_fail = 0, n_broken = 0;

	for (size_t i = 0; i < g->n_order; i++)
		n_fail += r->fails[i];
	for (size_t i = 0; i < r->budgets->n_rule; i++)
		n_broken += r->budgets->rule[i].answer == RULE_BROKEN;
	fprintf(out, "%s: ", gate_verdict_name(r->verdict));
	fprintf(out, "%zu regressed", g->n_verdict[GATE_REGRESSED]);
	if (n_fail < g->n_verdict[GATE_REGRESSED])
		fprintf(out, " (%zu of them fail)", n_fail);
	fprintf(out,
		", %zu moved, %zu inconclusive, %zu improved, "
		"%zu unchanged",
		g->n_verdict[GATE_MOVED], g->n_verdict[GATE_INCONCLUSIVE],
		g->n_verdict[GATE_IMPROVED], g->n_verdict[GATE_UNCHANGED]);
	if (r->budgets->n_rule)
		fprintf(out, "; %zu of %zu budgets broken", n_broken,
			r->budgets->n_rule);
}

void
gate_print_change(FILE *out, const struct gate_report *r,
		  const struct gate_row *row)
{
	const struct gate_cell *c = &row->cell[row->kind];
	double change = c->after - c->before;
	char t[6][GATE_TEXT];

	fprintf(out, "%s %s -> %s, %s (%s .. %s), %s",
		gate_kind_name(row->kind),
		gate_number(t[0], r, c->before, false),
		gate_number(t[1], r, c->after, false),
		gate_number(t[2], r, change - c->moved, true),
		gate_number(t[3], r, c->low, true),
		gate_number(t[4], r, c->high, true),
		gate_percent(t[5], change - c->moved, c->before));
}

const char *
gate_answer_name(enum rule_answer a)
{
	static const char *const name[] = { "kept", "inconclusive", "broken",
					    "no such function" };

	return name[a];
}

void
gate_print_budget(FILE *out, const struct gate_report *r,
		  const struct rule_budget *b, enum escape to)
{
	static const char *const relation[] = { "<", "<=", ">", ">=" };
	const struct rule_limit *l = &b->limit;
	char t[3][GATE_TEXT];

	fputs(to == ESCAPE_MARKDOWN ? "<code>" : "", out);
	escape_put(out, to, b->name, strlen(b->name));
	fputs(to == ESCAPE_MARKDOWN ? "</code>" : "", out);
	fprintf(out, " %s ", gate_kind_name(l->kind));
	escape_put(out, to, relation[l->relation],
		   strlen(relation[l->relation]));
	fprintf(out, " %s%.10g", l->is_change && l->number >= 0 ? "+" : "",
		l->number);
	if (l->is_percent)
		fprintf(out, "%%%s", l->of_total ? " of total" : "");
	else
		escape_put(out, to, l->unit, strlen(l->unit));
	fprintf(out, ": %s", gate_answer_name(b->answer));
	if (b->answer != RULE_NO_FUNCTION)
		fprintf(out, ", is %s (%s .. %s)",
			gate_number(t[0], r, b->value, l->is_change),
			gate_number(t[1], r, b->low, l->is_change),
			gate_number(t[2], r, b->high, l->is_change));
}
