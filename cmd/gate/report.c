/* report.c - see report.h. */
#include "config.h"

#include "report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lib/model/units.h"

#define ALL 0.95   /* of base: main() and others that have almost all of it */
#define LITTLE 0.1 /* of cum: gone, or a wrapper */
#define LOUD 0.05  /* machine noise: suggest --scale=machine */
#define MIN_UNSEEN 0.01  /* of base: least size of rows listed as unseen */
#define FEW_SAMPLES 2000 /* of a side: less is no evidence */
#define FEW_WAYS 100     /* to split the runs */
#define OWN_ERRORS 2     /* less than this many: a row varies as much itself */
#define OFTEN 10         /* times alpha: more is what chance often shows */
#define LONGER 4         /* runs that would show more */
#define FIFTH 0.2        /* of the total: a function for which they would */

enum { MAX_FINDINGS = 3, MAX_CALLERS = 2 };

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
	double n = p > 0 ? 1 / p : INFINITY, digits, unit;

	/* No rarer than the runs can be split to show. */
	if (c->n_extreme)
		n = fmin(n, (double)c->n_split / (double)c->n_extreme);
	digits = floor(log10(n));
	unit = pow(10, fmax(0, digits - 1));

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

void
gate_put_escaped(FILE *out, enum escape escape, const char *s, size_t n)
{
	static const char mark[] = "##[";
	const char *at;

	while (escape != ESCAPE_MARKDOWN &&
	       (at = memmem(s, n, mark, sizeof(mark) - 1))) {
		size_t before = (size_t)(at - s) + 2;

		escape_put(out, escape, s, before);
		fputs(escape == ESCAPE_XML ? "&#91;" : "\\x5b", out);
		s += before + 1;
		n -= before + 1;
	}
	escape_put(out, escape, s, n);
}

static void
put_bytes(FILE *out, const struct gate_form *f, const char *s, size_t n)
{
	if (f->open)
		fputs(f->open, out);
	gate_put_escaped(out, f->escape, s, n);
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
	gate_put_escaped(out, escape, s->s + skip, s->len - skip);
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
		const struct gate_cell *c, bool with_odds)
{
	struct gate_columns x;

	gate_columns(&x, r, c);
	fprintf(out, "%s (%s), %s -> %s", x.change, x.interval, x.before,
		x.after);
	if (with_odds && *x.odds != '-')
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

/* Rows that changed by what this one does: "main, _start, 3 more". */
static void
put_callers(FILE *out, const struct gate_report *r, const struct gate_form *f,
	    const struct gate_row *row, const char *before, const char *after)
{
	const struct gate *g = r->g;
	const struct gate_row *caller[MAX_CALLERS];
	size_t n = 0;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *x = &g->row[g->order[i]];

		if (x->carried && gate_grower(g, x) == row && n++ < MAX_CALLERS)
			caller[n - 1] = x;
	}
	if (!n)
		return;
	fprintf(out, "%sand its caller%s ", before, n == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < MAX_CALLERS; i++) {
		fputs(i ? ", " : "", out);
		gate_put_row_name(out, r, f, caller[i]);
	}
	if (n > MAX_CALLERS)
		fprintf(out, ", %zu more", n - MAX_CALLERS);
	fputs(after, out);
}

/* "but 12 of 252 ways to split these runs show as much" */
static void
put_doubt(FILE *out, const struct gate_report *r, const struct gate_cell *c)
{
	char t[2][GATE_TEXT];

	if (c->guard == GATE_BY_SPLITS)
		fprintf(out,
			"but %zu of %zu ways to split these runs show as "
			"much",
			c->n_extreme, c->n_split);
	else if (c->guard == GATE_BY_ITSELF)
		fprintf(out,
			"but it varies as much between runs of one side "
			"(%s..%s)",
			number_text(t[0], r, c->own_low, false),
			number_text(t[1], r, c->own_high, false));
	else if (r->g->o.against > 0)
		fprintf(out, "but not surely by more than %.4g%%",
			100 * r->g->o.against);
	else
		fprintf(out,
			"but %.2g%% of comparisons without a change show as "
			"much",
			100 * c->adjusted);
	if (r->g->model.n_split && r->g->model.n_split < FEW_WAYS)
		fputs(" (5 runs a side could tell)", out);
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
	if (gate_deciding(row)->guard) {
		fputs(before, out);
		put_doubt(out, r, gate_deciding(row));
		fputs(after, out);
	}
	put_callers(out, r, f, row, before, after);
}

void
gate_put_budget(FILE *out, const struct gate_report *r,
		const struct gate_form *f, const struct rule_budget *b)
{
	const struct rule_limit *l = &b->limit;
	const char *relation = l->is_strict ? "<" : "<=";
	char t[3][GATE_TEXT];
	const double value[] = { b->value, b->low, b->high };

	for (int i = 0; i < 3; i++)
		if (l->is_percent && b->whole > 0)
			snprintf(t[i], GATE_TEXT,
				 l->is_change ? "%+.1f%%" : "%.1f%%",
				 100 * value[i] / b->whole);
		else
			number_text(t[i], r, value[i], l->is_change);
	put_bytes(out, f, b->name, strlen(b->name));
	fprintf(out, " %s ", gate_kind_name(l->kind));
	escape_put(out, f->escape, relation, strlen(relation));
	fprintf(out, " %s%.10g", l->is_change && l->number >= 0 ? "+" : "",
		l->number);
	if (l->is_percent)
		fprintf(out, "%%%s", l->of_total ? " of total" : "");
	else
		escape_put(out, f->escape, l->unit, strlen(l->unit));
	fprintf(out, ": %s, is %s (%s .. %s)", gate_answer_name(b->answer),
		t[0], t[1], t[2]);
}

/* main() and others that have almost all change with everything, as the total
 * shows. Where all is flat in one function, that is worth a row. */
static bool
is_like_total(const struct gate *g, const struct gate_row *row)
{
	const struct gate_cell *c = gate_deciding(row), *all = g->total.cell[1];

	return row->kind == GATE_CUM && c->before >= ALL * all->before &&
	       c->after >= ALL * all->after;
}

/* --- the first line --- */

/* "audit is new, 210ms (5.1%), called by request" */
static void
put_finding(FILE *out, const struct gate_report *r, const struct gate_form *f,
	    const struct gate_row *row)
{
	const struct gate_cell *c = gate_deciding(row);
	struct gate_columns x;

	gate_columns(&x, r, c);
	gate_put_row_name(out, r, f, row);
	if (c->before > 0) {
		fprintf(out, " %s (%s -> %s)", x.change, x.before, x.after);
	} else {
		fprintf(out, " is new, %s (%.1f%%)", x.after,
			100 * c->after / r->g->total.cell[1]->after);
		if (row->n_cause && row->cause->kind == GATE_CALLER) {
			fputs(", called by ", out);
			gate_put_name(out, r, f, row->cause->name);
		}
	}
	if (row->file) {
		fputs(", at ", out);
		gate_put_path(out, r, f->escape, row->file);
		if (row->line)
			fprintf(out, ":%d", row->line);
	}
	if (c->before > 0)
		put_callers(out, r, f, row, ", ", "");
}

static bool
is_finding(const struct gate *g, const struct gate_row *row,
	   bool (*is)(const struct gate_row *))
{
	return is(row) && !row->carried && !is_like_total(g, row);
}

/* At most `most` of the rows with `is`, the worst first, after a text; returns
 * the number of all. */
static size_t
put_findings(FILE *out, const struct gate_report *r, const struct gate_form *f,
	     bool (*is)(const struct gate_row *), size_t most,
	     const char *before)
{
	const struct gate *g = r->g;
	size_t n = 0;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];

		if (!is_finding(g, row, is) || ++n > most)
			continue;
		fputs(n > 1 ? "; " : before, out);
		put_finding(out, r, f, row);
	}
	if (n > most && most > 1)
		fprintf(out, "; %zu more", n - most);
	return n;
}

static bool
has_slowed(const struct gate_row *row)
{
	return row->verdict >= GATE_SUSPECT && !row->is_moved;
}

/* Did it get faster, and not only hand its work over to another? One that is
 * gone and did little by itself left its work to what it called. */
static bool
has_gained(const struct gate_row *row)
{
	const struct gate_cell *flat = row->cell[GATE_FLAT];
	const struct gate_cell *cum = row->cell[GATE_CUM];

	return row->verdict == GATE_IMPROVED && !row->gave &&
	       (cum->after > LITTLE * cum->before ||
		flat->before > LITTLE * cum->before);
}

/* Did it grow by more than its own runs vary by, and than chance often shows?
 */
static bool
stands_out(const struct gate *g, const struct gate_cell *c)
{
	double change = c->after - c->before, often = OFTEN * g->o.alpha;

	if (c->guard)
		return change > 0 &&
		       (double)c->n_extreme <= often * (double)c->n_split;
	return c->low > 0 && change >= c->relevant &&
	       (g->o.against > 0 || c->adjusted <= often) &&
	       (g->is_single || change > OWN_ERRORS * c->own_error);
}

/* The inconclusive row that most likely grew; NULL: none is near. */
static const struct gate_row *
likeliest(const struct gate *g)
{
	const struct gate_row *best = NULL;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];
		const struct gate_cell *c = gate_deciding(row);

		if (row->verdict == GATE_INCONCLUSIVE && stands_out(g, c) &&
		    !is_like_total(g, row) &&
		    (!best || c->adjusted < gate_deciding(best)->adjusted))
			best = row;
	}
	return best;
}

/* Did it change by more than noise, whether or not the guards agree? */
static bool
has_left(const struct gate_cell *c)
{
	return (c->low > 0 || c->high < 0) &&
	       fabs(c->after - c->before) >= c->relevant;
}

static double
change_of(const struct gate_cell *c)
{
	return c->after - c->before;
}

/* Did the total change by more than noise, and by more than twice what any
 * finding did? Then it is what happened. */
static bool
total_leads(const struct gate *g, bool (*is)(const struct gate_row *))
{
	const struct gate_cell *all = g->total.cell[GATE_CUM];
	double most = 0;

	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];

		if (is_finding(g, row, is))
			most = fmax(most, fabs(change_of(gate_deciding(row))));
	}
	return has_left(all) && fabs(change_of(all)) > 2 * most;
}

/* The total, or with --function the worst of those that were asked about. */
static void
put_total(FILE *out, const struct gate_report *r, const struct gate_form *f)
{
	const struct gate *g = r->g;
	bool asked = g->o.wants && g->n_order;
	const struct gate_row *row = asked ? &g->row[*g->order] : &g->total;

	if (asked)
		gate_put_row_name(out, r, f, row);
	else
		fputs("total", out);
	putc(' ', out);
	gate_put_change(out, r, gate_deciding(row), false);
}

/* Budgets that do not hold, or that all do. */
static void
put_budgets(FILE *out, const struct gate_report *r, const struct gate_form *f,
	    bool first)
{
	size_t n = 0;

	for (size_t i = 0; i < r->budgets->n_rule; i++) {
		const struct rule_budget *b = &r->budgets->rule[i];

		if (b->answer == RULE_KEPT || ++n > MAX_FINDINGS)
			continue;
		fputs(first ? "budget " : "; budget ", out);
		first = false;
		gate_put_budget(out, r, f, b);
	}
	if (n > MAX_FINDINGS)
		fprintf(out, "; %zu more budgets", n - MAX_FINDINGS);
	if (!n && r->budgets->n_rule)
		fprintf(out, "; %zu budget%s kept", r->budgets->n_rule,
			r->budgets->n_rule == 1 ? "" : "s");
}

enum gate_verdict
gate_mildest(const struct gate *g, const struct rule_budgets *b)
{
	bool asked = !g->o.wants; /* for the total, too */
	bool gained = asked && g->total.verdict == GATE_IMPROVED;

	for (size_t i = 0; i < b->n_rule; i++)
		if (b->rule[i].answer == RULE_UNSURE)
			return GATE_INCONCLUSIVE;
	for (size_t i = 0; i < g->n_order; i++)
		gained |= has_gained(&g->row[g->order[i]]);
	for (int v = GATE_SUSPECT; v > GATE_UNCHANGED; v--) {
		/* What surely got faster is more than what nobody knows. */
		if (gained && v == GATE_INCONCLUSIVE && !likeliest(g))
			return GATE_IMPROVED;
		if (v != GATE_IMPROVED &&
		    (g->n_verdict[v] ||
		     (asked && g->total.verdict == (unsigned)v)))
			return (enum gate_verdict)v;
	}
	return GATE_UNCHANGED;
}

void
gate_put_headline(FILE *out, const struct gate_report *r,
		  const struct gate_form *f)
{
	const struct gate *g = r->g;
	bool (*is)(const struct gate_row *) = NULL;
	const struct gate_row *perhaps = NULL;
	bool shows_total, leads;
	size_t n = 0;

	if (r->verdict == GATE_INCONCLUSIVE)
		perhaps = likeliest(g);
	fprintf(out,
		"%s: ", perhaps ? "perhaps" : gate_verdict_name(r->verdict));
	if (r->verdict >= GATE_SUSPECT)
		is = has_slowed;
	else if (r->verdict == GATE_IMPROVED)
		is = has_gained;
	shows_total =
		!perhaps && !g->o.wants && has_left(g->total.cell[GATE_CUM]);
	/* Where only budgets are broken, they are the answer. */
	if (r->by_budgets)
		put_budgets(out, r, f, true);
	n += r->by_budgets;
	leads = !n && is && shows_total && total_leads(g, is);
	if (leads)
		put_total(out, r, f);
	n += leads;
	if (is)
		n += put_findings(out, r, f, is, MAX_FINDINGS, n ? "; " : "");
	if (perhaps) {
		put_finding(out, r, f, perhaps);
		fputs(", ", out);
		put_doubt(out, r, gate_deciding(perhaps));
		n++;
	}
	if (!leads && (shows_total || !n)) {
		fputs(n++ ? "; " : "", out);
		put_total(out, r, f);
	}
	if (r->verdict != GATE_IMPROVED)
		n += put_findings(out, r, f, has_gained, 1,
				  n ? "; improved: " : "improved: ");
	if (!r->by_budgets)
		put_budgets(out, r, f, !n);
	if (g->is_single && r->verdict >= GATE_INCONCLUSIVE)
		fputs("; one run a side: noise is a guess", out);
	if (r->verdict != GATE_REGRESSED &&
	    fmin(g->events[0], g->events[1]) < FEW_SAMPLES)
		fprintf(out, "; too few samples to bet on: %.0f and %.0f",
			g->events[0], g->events[1]);
}

/* --- other lines --- */

void
gate_put_basis(FILE *out, const struct gate_report *r,
	       const struct gate_form *f)
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

	copy_word(type, sizeof(type), g->type);
	copy_word(unit, sizeof(unit), g->unit);
	if (g->is_single)
		fputs("one run a side: noise is a guess; ", out);
	fprintf(out,
		"%zu base and %zu new profile%s, %s/%s per %s, %.0f and %.0f "
		"samples",
		g->n_profile[0], g->n_profile[1],
		g->n_profile[1] == 1 ? "" : "s", type, unit, per[r->scale],
		g->events[0], g->events[1]);
	if (g->is_joined)
		fprintf(out,
			"; %zu and %zu sessions, each of which counts as a run",
			g->n_session[0], g->n_session[1]);
	if (m->n_split)
		fprintf(out, "; %zu ways to split these runs", m->n_split);
	if (m->clump > 1.5)
		fprintf(out, "; samples come about %.1f at a time", m->clump);
	fprintf(out,
		"; %s functions vary by %.1f%%, the machine by "
		"%.1f%%%s; %zu test%s at %.2g each",
		g->is_joined ? "session to session:" : "between runs",
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
	for (size_t i = 0; i < g->n_order; i++)
		if (g->row[g->order[i]].cell[GATE_FLAT]->is_loud) {
			fputs("; ", out);
			gate_put_name(out, r, f, g->row[g->order[i]].name);
			fputs(" varies by itself", out);
		}
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
	double below = INFINITY, now = gate_visible(g, FIFTH, 1);
	double longer = gate_visible(g, FIFTH, LONGER);

	fprintf(out,
		"to be found 9 times in 10, the total has to grow by %.1f%%, "
		"a function of 20%% by %.1f%%",
		100 * c->detectable / c->before, 100 * now);
	if (longer < now)
		fprintf(out, " (in runs %d times as long %.1f%%)", LONGER,
			100 * longer);
	else
		fputs(" (more runs would show more)", out);
	for (int i = 0; i < 2 && (row = next_unseen(g, below)); i++) {
		c = gate_deciding(row);
		below = c->before;
		fputs(", ", out);
		gate_put_name(out, r, f, row->name);
		fprintf(out, " by %.0f%%", 100 * c->detectable / below);
	}
	if (g->is_apart && !g->is_joined)
		fputs("; base and new are of different sessions, and how these "
		      "drift is not known: record in turn (--plan), or keep 3 "
		      "sessions in a --baseline folder",
		      out);
}

/* --- the walk --- */

static bool
is_shown(const struct gate_report *r, const struct gate_form *f,
	 const struct gate_row *row)
{
	if (r->all)
		return true;
	if ((row->carried || is_like_total(r->g, row)) && !f->is_for_programs)
		return false;
	return row->verdict >= GATE_SUSPECT || row->verdict == GATE_IMPROVED ||
	       (f->is_for_programs && row->verdict == GATE_INCONCLUSIVE);
}

/* Call visit for each row that is shown; returns how many are not. */
static size_t
walk_report(const struct gate_report *r, const struct gate_form *f, FILE *out)
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
	size_t moved = 0, hidden = walk_report(r, f, NULL);

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
	walk_report(r, f, out);
	for (size_t i = 0; i < r->budgets->n_rule; i++)
		f->budget(out, r, &r->budgets->rule[i], i);
	f->end(out, r);
}
