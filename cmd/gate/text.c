/* text.c - prof-gate's report for people at a terminal. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/report/text-print.h"
#include "print.h"

static void
print_name(FILE *out, const struct gate_report *r, uint32_t name)
{
	const struct str *s = gate_name(r->g, name);

	text_put_str(out, s);
}

static void
print_causes(FILE *out, const struct gate_report *r, const struct gate_row *row)
{
	char t[2][GATE_TEXT];

	for (uint32_t i = 0; i < row->n_cause; i++) {
		const struct gate_cause *c = &row->cause[i];
		double change = c->after - c->before;

		fprintf(out, "%14s%-7s%9s %8s  ", "", gate_cause_name(c),
			gate_number(t[0], r, change, true),
			gate_percent(t[1], change, c->before));
		print_name(out, r, c->name);
		putc('\n', out);
	}
}

static void
print_row(FILE *out, const struct gate_report *r, const struct gate_row *row,
	  bool fails)
{
	const struct gate_cell *c = &row->cell[row->kind];
	double change = c->after - c->before;
	char t[7][GATE_TEXT], range[2 * GATE_TEXT];

	snprintf(range, sizeof(range), "%s .. %s",
		 gate_number(t[3], r, c->low, true),
		 gate_number(t[4], r, c->high, true));
	fprintf(out, "%-13s%-5s%9s %9s %9s %8s  %-21s %8s  ",
		fails ? "REGRESSED" : gate_verdict_name(row->verdict),
		gate_kind_name(row->kind),
		gate_number(t[0], r, c->before, false),
		gate_number(t[1], r, c->after, false),
		gate_number(t[2], r, change, true),
		gate_percent(t[5], change, c->before), range,
		gate_percent(t[6], c->detectable, c->before));
	print_name(out, r, row->name);
	if (row->other) {
		fputs(change < 0 ? " (to " : " (from ", out);
		print_name(out, r, row->other);
		putc(')', out);
	}
	putc('\n', out);
	print_causes(out, r, row);
}

static void
print_total(FILE *out, const struct gate_report *r)
{
	const struct gate_cell *c = &r->g->total;
	double change = c->after - c->before;
	char t[7][GATE_TEXT];

	fprintf(out,
		"Total %s -> %s, %s (%s .. %s), %s; a growth of %s would "
		"show\n",
		gate_number(t[0], r, c->before, false),
		gate_number(t[1], r, c->after, false),
		gate_number(t[2], r, change, true),
		gate_number(t[3], r, c->low, true),
		gate_number(t[4], r, c->high, true),
		gate_percent(t[5], change, c->before),
		gate_percent(t[6], c->detectable, c->before));
}

void
gate_print_text(FILE *out, const struct gate_report *r)
{
	const struct gate *g = r->g;
	size_t n = gate_shown(r), rest;

	gate_print_basis(out, r);
	putc('\n', out);
	print_total(out, r);
	if (n)
		fprintf(out, "%-18s%9s %9s %9s %8s  %-21s %8s\n", "verdict",
			"before", "after", "change", "", "interval",
			"shows at");
	for (size_t i = 0; i < n; i++)
		print_row(out, r, gate_shown_row(r, i), r->fails[i]);
	rest = g->n_order - g->n_verdict[GATE_UNCHANGED];
	if (!r->all && n < rest)
		fprintf(out, "and %zu more (--nodecount)\n", rest - n);
	for (size_t i = 0; i < r->budgets->n_rule; i++) {
		fputs("budget ", out);
		gate_print_budget(out, r, &r->budgets->rule[i], ESCAPE_TEXT);
		putc('\n', out);
	}
	gate_print_answer(out, r);
	putc('\n', out);
}
