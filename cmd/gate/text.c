/*
 * text.c - prof-gate's report for people: at a terminal, and as a comment on a
 * pull request, in GitHub's Markdown.
 */
#include "config.h"

#include "report.h"

/* --- text --- */

static void
begin_text(FILE *out, const struct gate_report *r)
{
	gate_put_headline(out, r, &gate_text);
	fprintf(out, "\n%-18s%9s %9s %8s  %-21s %-10s\n", "verdict", "before",
		"after", "change", "interval", "by chance");
}

static void
row_text(FILE *out, const struct gate_report *r, const struct gate_item *item)
{
	struct gate_columns x;

	gate_columns(&x, r, item->c);
	fprintf(out, "%-13s%-5s%9s %9s %8s  %-21s %-10s  ",
		item->fails ? "REGRESSED" : gate_row_verdict(item->row),
		item->i ? gate_kind_name(item->row->kind) : "", x.before,
		x.after, x.change, x.interval, x.odds);
	gate_put_row_name(out, r, &gate_text, item->row);
	putc('\n', out);
	gate_put_reasons(out, r, &gate_text, item->row, "               ",
			 "\n");
}

static void
budget_text(FILE *out, const struct gate_report *r, const struct rule_budget *b,
	    size_t i)
{
	(void)i;
	fputs("budget ", out);
	gate_put_budget(out, r, &gate_text, b);
	putc('\n', out);
}

static void
end_text(FILE *out, const struct gate_report *r)
{
	gate_put_counts(out, r, &gate_text);
	putc('\n', out);
	gate_put_unseen(out, r, &gate_text);
	putc('\n', out);
	gate_put_basis(out, r, &gate_text);
	putc('\n', out);
}

const struct gate_form gate_text = { .escape = ESCAPE_TEXT,
				     .begin = begin_text,
				     .row = row_text,
				     .budget = budget_text,
				     .end = end_text };

/* --- Markdown --- */

static void
begin_markdown(FILE *out, const struct gate_report *r)
{
	fputs("### prof-gate: ", out);
	gate_put_headline(out, r, &gate_markdown);
	fputs("\n\n<details><summary>", out);
	gate_put_counts(out, r, &gate_markdown);
	fputs("</summary>\n\n| verdict | function | | before | after | change "
	      "| interval | by chance |\n"
	      "|---|---|---|---:|---:|---:|---|---|\n",
	      out);
}

static void
row_markdown(FILE *out, const struct gate_report *r,
	     const struct gate_item *item)
{
	const char *bold = item->fails ? "**" : "";
	struct gate_columns x;

	gate_columns(&x, r, item->c);
	fprintf(out, "| %s%s%s | ", bold, gate_row_verdict(item->row), bold);
	gate_put_row_name(out, r, &gate_markdown, item->row);
	gate_put_reasons(out, r, &gate_markdown, item->row, "<br>", "");
	fprintf(out, " | %s | %s | %s | %s | %s | %s |\n",
		item->i ? gate_kind_name(item->row->kind) : "", x.before,
		x.after, x.change, x.interval, x.odds);
}

static void
budget_markdown(FILE *out, const struct gate_report *r,
		const struct rule_budget *b, size_t i)
{
	fputs(i ? "- budget " : "\n- budget ", out);
	gate_put_budget(out, r, &gate_markdown, b);
	putc('\n', out);
}

static void
end_markdown(FILE *out, const struct gate_report *r)
{
	fputs("\n<sub>", out);
	gate_put_basis(out, r, &gate_markdown);
	fputs("</sub>\n</details>\n\n", out);
	gate_put_unseen(out, r, &gate_markdown);
	putc('\n', out);
}

const struct gate_form gate_markdown = { .escape = ESCAPE_MARKDOWN,
					 .open = "<code>",
					 .close = "</code>",
					 .begin = begin_markdown,
					 .row = row_markdown,
					 .budget = budget_markdown,
					 .end = end_markdown };
