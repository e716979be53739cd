/* report.c - see report.h. */
#include "config.h"

#include "report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lib/model/units.h"

#define ALL 0.95  /* of base: main() and others that have almost all of it */
#define LOUD 0.05 /* machine noise: suggest --scale=machine */
#define MIN_UNSEEN 0.01 /* of base: least size of rows listed as unseen */

/* --- numbers --- */

/* Units come from the profile: replace characters that a form may have to
 * escape. */
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

/* A value in the profile's unit: "1.20s"; with sign "+1.20s". */
static const char *
number_text(char text[GATE_TEXT], const struct gate_report *r, double v,
	    bool sign)
{
	struct quantity q;
	double cut = fmin(fmax(round(v), -9e18), 9e18);
	char unit[16];

	units_format(&q, (int64_t)cut, r->g->unit, "auto");
	copy_word(unit, sizeof(unit), q.unit);
	snprintf(text, GATE_TEXT, "%s%s%s", sign && cut > 0 ? "+" : "",
		 q.number, unit);
	return text;
}

static void
put_odds(char text[GATE_TEXT], const struct gate_cell *c)
{
	double p = c->after >= c->before ? c->adjusted : c->adjusted_faster;
	double n = p > 0 ? 1 / p : INFINITY, digits = floor(log10(n));
	double unit = pow(10, fmax(0, digits - 1));

	/* No odds without a finding. */
	if (c->verdict == GATE_UNCHANGED || c->verdict == GATE_INCONCLUSIVE)
		snprintf(text, GATE_TEXT, "-");
	else if (digits >= 5)
		snprintf(text, GATE_TEXT, "1 in 10^%.0f", fmin(digits, 9));
	else
		snprintf(text, GATE_TEXT, "1 in %.0f", unit * floor(n / unit));
}

void
gate_columns(struct gate_columns *x, const struct gate_report *r,
	     const struct gate_cell *c)
{
	double low = fmax(c->low, -c->before); /* nothing takes less than 0 */
	double change = c->after - c->before;
	char t[2][GATE_TEXT];

	number_text(x->before, r, c->before, false);
	number_text(x->after, r, c->after, false);
	put_odds(x->odds, c);
	if (c->before <= 0)
		snprintf(x->change, GATE_TEXT, "%s", change > 0 ? "new" : "0%");
	else if (change <= -c->before)
		snprintf(x->change, GATE_TEXT, "gone");
	else
		snprintf(x->change, GATE_TEXT, "%+.1f%%",
			 100 * change / c->before);
	if (c->before > 0 && c->high < 10 * c->before)
		snprintf(x->interval, sizeof(x->interval), "%+.1f%% .. %+.1f%%",
			 100 * low / c->before, 100 * c->high / c->before);
	else
		snprintf(x->interval, sizeof(x->interval), "%s .. %s",
			 number_text(t[0], r, low, true),
			 number_text(t[1], r, c->high, true));
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

const char *
gate_answer_name(enum rule_answer a)
{
	static const char *const name[] = { "kept", "inconclusive", "broken",
					    "no such function" };

	return name[a];
}

const char *
gate_row_verdict(const struct gate_row *row)
{
	return row->is_moved ? "moved" : gate_verdict_name(row->verdict);
}

/* --- parts of a line --- */

static void
put_bytes(FILE *out, const struct gate_form *f, const char *s, size_t n)
{
	if (f->open)
		fputs(f->open, out);
	escape_put(out, f->escape, s, n);
	if (f->close)
		fputs(f->close, out);
}

void
gate_put_name(FILE *out, const struct gate_report *r, const struct gate_form *f,
	      uint32_t name)
{
	const struct str *s = gate_name(r->g, name);

	put_bytes(out, f, s->s, s->len);
}

void
gate_put_path(FILE *out, const struct gate_report *r, enum escape escape,
	      uint32_t file)
{
	const struct str *s = gate_name(r->g, file);
	size_t n = strlen(r->root), skip = 0;

	if (s->len > n && !memcmp(s->s, r->root, n) && s->s[n] == '/')
		skip = n + 1;
	escape_put(out, escape, s->s + skip, s->len - skip);
}

void
gate_put_row_name(FILE *out, const struct gate_report *r,
		  const struct gate_form *f, const struct gate_row *row)
{
	gate_put_name(out, r, f, row->name);
	if (row->was) {
		fputs(" (was ", out);
		gate_put_name(out, r, f, row->was);
		putc(')', out);
	}
}

void
gate_put_change(FILE *out, const struct gate_report *r,
		const struct gate_item *item)
{
	struct gate_columns x;

	gate_columns(&x, r, item->c);
	fprintf(out, "%s (%s), %s -> %s", x.change, x.interval, x.before,
		x.after);
	if (*x.odds != '-')
		fprintf(out, ", %s by chance", x.odds);
}

static void
put_cause(FILE *out, const struct gate_report *r, const struct gate_form *f,
	  const struct gate_cause *c)
{
	char t[GATE_TEXT];

	fprintf(out, "%-7s %9s  ", gate_cause_name(c),
		number_text(t, r, c->after - c->before, true));
	if (c->kind != GATE_LINE) {
		gate_put_name(out, r, f, c->name);
		return;
	}
	gate_put_path(out, r, f->escape, c->name);
	if (c->line)
		fprintf(out, ":%d", c->line);
}

/* "wrapper around hash, mix: together +0.1% of it (-1s .. +2s)" */
static void
put_why(FILE *out, const struct gate_report *r, const struct gate_form *f,
	const struct gate_why *w, enum gate_kind kind)
{
	char t[3][GATE_TEXT];

	fprintf(out, "%s: %s ", gate_kind_name(kind),
		gate_label_name(w->label));
	for (uint32_t i = 0; i < w->n_other && i < 3; i++) {
		if (i)
			fputs(", ", out);
		gate_put_name(out, r, f, r->g->row[w->other[i]].name);
	}
	if (w->n_other > 3)
		fprintf(out, " and %u more", w->n_other - 3);
	fprintf(out, "; all of them together %s (%s .. %s)",
		number_text(t[0], r, w->net, true),
		number_text(t[1], r, w->net_low, true),
		number_text(t[2], r, w->net_high, true));
}

void
gate_put_reasons(FILE *out, const struct gate_report *r,
		 const struct gate_form *f, const struct gate_row *row,
		 const char *before, const char *after)
{
	for (int k = 0; k < 2; k++) {
		const struct gate_why *w = &row->why[k];

		if (!w->label || (k && row->cell[0] == row->cell[1]))
			continue;
		fputs(before, out);
		put_why(out, r, f, w, k);
		fputs(after, out);
	}
	for (uint32_t i = 0; !row->is_moved && i < row->n_cause; i++) {
		fputs(before, out);
		put_cause(out, r, f, &row->cause[i]);
		fputs(after, out);
	}
}

void
gate_put_budget(FILE *out, const struct gate_report *r,
		const struct gate_form *f, const struct rule_budget *b)
{
	static const char *const relation[] = { "<", "<=", ">", ">=" };
	const struct rule_limit *l = &b->limit;
	char t[3][GATE_TEXT];

	put_bytes(out, f, b->name, strlen(b->name));
	fprintf(out, " %s ", gate_kind_name(l->kind));
	escape_put(out, f->escape, relation[l->relation],
		   strlen(relation[l->relation]));
	fprintf(out, " %s%.10g", l->is_change && l->number >= 0 ? "+" : "",
		l->number);
	if (l->is_percent)
		fprintf(out, "%%%s", l->of_total ? " of total" : "");
	else
		escape_put(out, f->escape, l->unit, strlen(l->unit));
	fprintf(out, ": %s, is %s (%s .. %s)", gate_answer_name(b->answer),
		number_text(t[0], r, b->value, l->is_change),
		number_text(t[1], r, b->low, l->is_change),
		number_text(t[2], r, b->high, l->is_change));
}

/* main() grows with everything, as the total shows. Where all is flat in one
 * function, that is worth a row. */
static bool
is_like_total(const struct gate_report *r, const struct gate_row *row)
{
	return row->kind == GATE_CUM &&
	       gate_deciding(row) == r->g->total.cell[1];
}

/* --- lines --- */

static void
put_worst(FILE *out, const struct gate_report *r, const struct gate_form *f,
	  const struct gate_item *item)
{
	const struct gate_row *row = item->row;

	if (item->i > 1)
		fputs("; ", out);
	gate_put_row_name(out, r, f, row);
	putc(' ', out);
	gate_put_change(out, r, item);
	if (!row->file || item->i == 1)
		return;
	fputs(", at ", out);
	gate_put_path(out, r, f->escape, row->file);
	if (row->line)
		fprintf(out, ":%d", row->line);
}

/* The inconclusive row that most likely grew; NULL: none is near. */
static const struct gate_row *
likeliest(const struct gate *g)
{
	const struct gate_row *best = NULL;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];
		const struct gate_cell *c = gate_deciding(row);

		if (row->verdict == GATE_INCONCLUSIVE && c->low > 0 &&
		    c->after - c->before >= c->relevant &&
		    (!best || c->adjusted < gate_deciding(best)->adjusted))
			best = row;
	}
	return best;
}

void
gate_put_headline(FILE *out, const struct gate_report *r,
		  const struct gate_form *f)
{
	const struct gate *g = r->g;
	struct gate_item item = { .row = &g->total,
				  .c = g->total.cell[1],
				  .i = 1 };
	size_t n_broken = 0;

	put_worst(out, r, f, &item);
	for (size_t i = 0; i < g->n_order && item.i < 3; i++) {
		item.row = &g->row[g->order[i]];
		item.c = gate_deciding(item.row);
		if (item.row->verdict < GATE_SUSPECT || item.row->is_moved ||
		    (item.row->is_carrier && item.i > 1))
			break;
		if (is_like_total(r, item.row))
			continue;
		item.i++;
		put_worst(out, r, f, &item);
	}
	if (item.i == 1 && (item.row = likeliest(g))) {
		item.c = gate_deciding(item.row);
		fputs("; perhaps ", out);
		put_worst(out, r, f, &item);
	}
	for (size_t i = 0; i < r->budgets->n_rule; i++)
		n_broken += r->budgets->rule[i].answer == RULE_BROKEN;
	if (r->budgets->n_rule)
		fprintf(out, "; %zu of %zu budgets broken", n_broken,
			r->budgets->n_rule);
}

void
gate_put_basis(FILE *out, const struct gate_report *r)
{
	static const char *const per[] = {
		"profile", "profile, scaled to equal totals",
		"profile, scaled to equal durations",
		"profile, scaled to equal operations",
		"profile, compared with the typical function"
	};
	const struct gate *g = r->g;
	const struct gate_model *m = &g->model;
	char type[32], unit[32];
	double events[2] = { 0 };

	for (size_t i = 0; i < g->n_run; i++)
		events[g->run[i].side] += g->run[i].total.events;
	copy_word(type, sizeof(type), g->type);
	copy_word(unit, sizeof(unit), g->unit);
	if (g->is_single)
		fputs("one run a side: noise is a guess; ", out);
	fprintf(out,
		"%zu base and %zu new profile%s, %s/%s per %s, %.0f and %.0f "
		"samples",
		g->n_side[0], g->n_side[1], g->n_side[1] == 1 ? "" : "s", type,
		unit, per[r->scale], events[0], events[1]);
	if (m->clump > 1.5)
		fprintf(out, "; samples come about %.1f at a time", m->clump);
	fprintf(out,
		"; between runs functions vary by %.1f%%, the machine by "
		"%.1f%%%s; %zu test%s at %.2g each",
		100 * sqrt(m->runs), 100 * sqrt(m->machine),
		r->scale == SCALE_NONE && !g->is_single &&
				m->machine > LOUD * LOUD
			? " (--scale=machine may see more)"
			: "",
		m->n_test, m->n_test == 1 ? "" : "s", m->level);
	if (m->has_ratio)
		fprintf(out, "; the typical function %+.1f%% +- %.1f%%",
			100 * expm1(m->ratio), 196 * sqrt(m->ratio_var));
	if (g->n_renamed)
		fprintf(out, "; %zu renamed", g->n_renamed);
}

/* The largest inconclusive row smaller than `below` in base; NULL: none. */
static const struct gate_row *
next_unseen(const struct gate *g, double below)
{
	const struct gate_row *best = NULL;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];
		double before = gate_deciding(row)->before;

		if (row->verdict == GATE_INCONCLUSIVE && before < below &&
		    before < ALL * g->total.cell[1]->before &&
		    before >= MIN_UNSEEN * g->total.cell[1]->before &&
		    (!best || before > gate_deciding(best)->before))
			best = row;
	}
	return best;
}

void
gate_put_unseen(FILE *out, const struct gate_report *r,
		const struct gate_form *f)
{
	const struct gate *g = r->g;
	const struct gate_cell *c = g->total.cell[1];
	const struct gate_row *row;
	double below = INFINITY;

	fprintf(out,
		"would be missed more than once in ten: growth of the total "
		"below %.1f%%",
		100 * c->detectable / c->before);
	for (int i = 0; i < 2 && (row = next_unseen(g, below)); i++) {
		c = gate_deciding(row);
		below = c->before;
		fputs(", of ", out);
		gate_put_name(out, r, f, row->name);
		fprintf(out, " below %.0f%%", 100 * c->detectable / below);
	}
}

/* --- the walk --- */

static bool
is_shown(const struct gate_report *r, const struct gate_form *f,
	 const struct gate_row *row)
{
	if (r->all)
		return true;
	if (is_like_total(r, row) && !f->is_for_programs)
		return false;
	return row->verdict >= GATE_SUSPECT || row->verdict == GATE_IMPROVED ||
	       (f->is_for_programs && row->verdict == GATE_INCONCLUSIVE);
}

/* Call visit for each row that is shown; returns how many are not. */
static size_t
walk(const struct gate_report *r, const struct gate_form *f, FILE *out)
{
	const struct gate *g = r->g;
	size_t n = 0, hidden = 0;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];
		struct gate_item item = { row, gate_deciding(row), r->fails[i],
					  n + 1 };

		if (!is_shown(r, f, row))
			continue;
		if (r->max_rows && n == r->max_rows && !f->is_for_programs) {
			hidden++;
			continue;
		}
		n++;
		if (out)
			f->row(out, r, &item);
	}
	return hidden;
}

void
gate_put_counts(FILE *out, const struct gate_report *r,
		const struct gate_form *f)
{
	const struct gate *g = r->g;
	size_t moved = 0, hidden = walk(r, f, NULL);

	for (size_t i = 0; i < g->n_order; i++)
		moved += g->row[g->order[i]].is_moved;
	for (int v = GATE_REGRESSED; v >= 0; v--) {
		size_t n = g->n_verdict[v];

		if (v == (g->is_single ? GATE_SUSPECT : GATE_REGRESSED)) {
			n -= moved;
			if (moved)
				fprintf(out, "%zu moved, ", moved);
		}
		if (n)
			fprintf(out, "%zu %s, ", n, gate_verdict_name(v));
	}
	fprintf(out, "%zu function%s in all", g->n_order,
		g->n_order == 1 ? "" : "s");
	if (hidden)
		fprintf(out, "; %zu more rows: --nodecount=0", hidden);
}

void
gate_print(FILE *out, const struct gate_report *r, const struct gate_form *f)
{
	const struct gate *g = r->g;
	struct gate_item total = { &g->total, g->total.cell[1], r->total_fails,
				   0 };

	f->begin(out, r);
	f->row(out, r, &total);
	walk(r, f, out);
	for (size_t i = 0; i < r->budgets->n_rule; i++)
		f->budget(out, r, &r->budgets->rule[i], i);
	f->end(out, r);
}
