/*
 * github.c - prof-gate's report as workflow commands of GitHub Actions:
 * annotations, at the line that carries the growth where one is known.
 */
#include "config.h"

#include <string.h>

#include "print.h"

static void
put_name(FILE *out, const struct gate_report *r, uint32_t name)
{
	const struct str *s = gate_name(r->g, name);

	escape_put(out, ESCAPE_GITHUB_PROPERTY, s->s, s->len);
}

/* The line that carries most of the growth, as file= and line=. */
static void
put_place(FILE *out, const struct gate_report *r, const struct gate_row *row)
{
	for (uint32_t i = 0; i < row->n_cause; i++) {
		const struct gate_cause *c = &row->cause[i];

		if (c->kind != GATE_LINE || !c->file || c->line <= 0)
			continue;
		fputs("file=", out);
		put_name(out, r, c->file);
		fprintf(out, ",line=%jd,", (intmax_t)c->line);
		return;
	}
}

static void
put_row(FILE *out, const struct gate_report *r, const struct gate_row *row,
	bool fails)
{
	fputs(fails ? "::error " : "::notice ", out);
	put_place(out, r, row);
	fputs("title=", out);
	fputs(gate_verdict_name(row->verdict), out);
	putc(' ', out);
	put_name(out, r, row->name);
	fputs("::", out);
	gate_print_change(out, r, row);
	putc('\n', out);
}

void
gate_print_github(FILE *out, const struct gate_report *r)
{
	size_t n = gate_shown(r);

	for (size_t i = 0; i < n; i++) {
		const struct gate_row *row = gate_shown_row(r, i);

		if (row->verdict == GATE_REGRESSED ||
		    row->verdict == GATE_IMPROVED)
			put_row(out, r, row, r->fails[i]);
	}
	for (size_t i = 0; i < r->budgets->n_rule; i++) {
		const struct rule_budget *b = &r->budgets->rule[i];

		if (b->answer == RULE_KEPT)
			continue;
		fputs(b->answer == RULE_BROKEN ? "::error file="
					       : "::notice file=",
		      out);
		escape_put(out, ESCAPE_GITHUB_PROPERTY, r->budget_file,
			   strlen(r->budget_file));
		fprintf(out, ",line=%u,title=budget::", b->line);
		gate_print_budget(out, r, b, ESCAPE_GITHUB);
		putc('\n', out);
	}
	fputs("::notice title=prof-gate::", out);
	gate_print_answer(out, r);
	putc('\n', out);
}
