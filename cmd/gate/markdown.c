/*
 * markdown.c - prof-gate's report as a comment on a pull request, in
 * GitHub's Markdown.
 */
#include "config.h"

#include <string.h>

#include "print.h"

/* A name as code. */
static void
put_code(FILE *out, const char *s, size_t n)
{
	fputs("<code>", out);
	escape_put(out, ESCAPE_MARKDOWN, s, n);
	fputs("</code>", out);
}

static void
put_name(FILE *out, const struct gate_report *r, uint32_t name)
{
	const struct str *s = gate_name(r->g, name);

	put_code(out, s->s, s->len);
}

static void
put_row(FILE *out, const struct gate_report *r, const struct gate_row *row,
	bool fails)
{
	const struct gate_cell *c = &row->cell[row->kind];
	double change = c->after - c->before;
	char t[6][GATE_TEXT];

	fprintf(out, "| %s%s%s | ", fails ? "**" : "",
		gate_verdict_name(row->verdict), fails ? "**" : "");
	put_name(out, r, row->name);
	if (row->other) {
		fputs(change < 0 ? " to " : " from ", out);
		put_name(out, r, row->other);
	}
	fprintf(out, " | %s | %s | %s | %s (%s) | %s .. %s |\n",
		gate_kind_name(row->kind),
		gate_number(t[0], r, c->before, false),
		gate_number(t[1], r, c->after, false),
		gate_number(t[2], r, change, true),
		gate_percent(t[3], change, c->before),
		gate_number(t[4], r, c->low, true),
		gate_number(t[5], r, c->high, true));
}

static void
put_causes(FILE *out, const struct gate_report *r, const struct gate_row *row)
{
	char t[GATE_TEXT];

	if (!row->n_cause)
		return;
	fputs("- ", out);
	put_name(out, r, row->name);
	fputs(" grew by\n", out);
	for (uint32_t i = 0; i < row->n_cause; i++) {
		const struct gate_cause *c = &row->cause[i];

		fprintf(out, "  - %s, %s ",
			gate_number(t, r, c->after - c->before, true),
			gate_cause_name(c));
		put_name(out, r, c->name);
		putc('\n', out);
	}
}

void
gate_print_markdown(FILE *out, const struct gate_report *r)
{
	size_t n = gate_shown(r);

	fputs("### prof-gate: ", out);
	fputs(gate_verdict_name(r->verdict), out);
	fputs("\n\n", out);
	gate_print_answer(out, r);
	fputs("\n\n", out);
	if (n)
		fputs("| verdict | function | | before | after | change | "
		      "interval |\n|---|---|---|---:|---:|---:|---|\n",
		      out);
	for (size_t i = 0; i < n; i++)
		put_row(out, r, gate_shown_row(r, i), r->fails[i]);
	if (n)
		putc('\n', out);
	for (size_t i = 0; i < n; i++)
		put_causes(out, r, gate_shown_row(r, i));
	for (size_t i = 0; i < r->budgets->n_rule; i++) {
		fputs("- budget ", out);
		gate_print_budget(out, r, &r->budgets->rule[i],
				  ESCAPE_MARKDOWN);
		putc('\n', out);
	}
	fputs("\n<sub>", out);
	gate_print_basis(out, r);
	fputs("</sub>\n", out);
}
