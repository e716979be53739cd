/*
 * ci.c - prof-gate's report for CI servers: JUnit XML, with a test case for
 * each row that is shown and for each budget, and workflow commands of GitHub
 * Actions, which become annotations at lines of the repository.
 */
#include "config.h"

#include <string.h>

#include "report.h"

/* --- JUnit --- */

/* No totals in the header: they are optional, and would need a second walk. */
static void
begin_junit(FILE *out, const struct gate_report *r)
{
	(void)r;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
	      "  <testsuite name=\"prof-gate\">\n",
	      out);
}

static void
row_junit(FILE *out, const struct gate_report *r, const struct gate_item *item)
{
	const char *end = "";

	fprintf(out, "    <testcase classname=\"%s\" name=\"",
		item->i ? "function" : "total");
	gate_put_name(out, r, &gate_junit, item->row->name);
	fputs("\">", out);
	if (item->fails) {
		fputs("<failure type=\"regressed\" message=\"", out);
		end = "</failure>";
	} else if (item->row->verdict == GATE_INCONCLUSIVE) {
		fputs("<skipped message=\"inconclusive: ", out);
		end = "</skipped>";
	}
	if (*end) {
		gate_put_change(out, r, item->c, true);
		fputs("\">", out);
	}
	if (item->fails)
		gate_put_reasons(out, r, &gate_junit, item->row, "", "\n");
	fprintf(out, "%s</testcase>\n", end);
}

static void
budget_junit(FILE *out, const struct gate_report *r,
	     const struct rule_budget *b, size_t i)
{
	(void)i;
	fputs("    <testcase classname=\"budget\" name=\"", out);
	gate_put_escaped(out, ESCAPE_XML, b->name, strlen(b->name));
	fputs("\">", out);
	if (b->answer != RULE_KEPT) {
		fputs(b->answer == RULE_BROKEN
			      ? "<failure type=\"budget\" message=\""
			      : "<skipped message=\"",
		      out);
		gate_put_budget(out, r, &gate_junit, b);
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
}

static void
end_junit(FILE *out, const struct gate_report *r)
{
	fputs("    <system-out>", out);
	gate_put_headline(out, r, &gate_junit);
	putc('\n', out);
	gate_put_unseen(out, r, &gate_junit);
	fputs("</system-out>\n  </testsuite>\n</testsuites>\n", out);
}

const struct gate_form gate_junit = { .escape = ESCAPE_XML,
				      .begin = begin_junit,
				      .row = row_junit,
				      .budget = budget_junit,
				      .end = end_junit };

/* --- GitHub --- */

static void
begin_github(FILE *out, const struct gate_report *r)
{
	fprintf(out, "::%s title=prof-gate::",
		r->verdict == GATE_REGRESSED ? "error" : "notice");
	gate_put_headline(out, r, &gate_github);
	fputs("%0A", out);
	gate_put_unseen(out, r, &gate_github);
	putc('\n', out);
}

static void
row_github(FILE *out, const struct gate_report *r, const struct gate_item *item)
{
	const struct gate_row *row = item->row;
	const struct str *name = gate_name(r->g, row->name);

	/* The total is part of the headline. */
	if (!item->i || row->verdict == GATE_UNCHANGED)
		return;
	fputs(item->fails ? "::error " : "::notice ", out);
	if (row->is_ours && row->line) {
		fputs("file=", out);
		gate_put_path(out, r, ESCAPE_GITHUB_PROPERTY, row->file);
		fprintf(out, ",line=%d,", row->line);
	}
	fprintf(out, "title=%s ", gate_row_verdict(row));
	gate_put_escaped(out, ESCAPE_GITHUB_PROPERTY, name->s, name->len);
	fprintf(out, "::%s ", gate_kind_name(row->kind));
	gate_put_change(out, r, item->c, true);
	gate_put_reasons(out, r, &gate_github, row, "%0A", "");
	putc('\n', out);
}

static void
budget_github(FILE *out, const struct gate_report *r,
	      const struct rule_budget *b, size_t i)
{
	(void)i;
	if (b->answer == RULE_KEPT)
		return;
	fputs(b->answer == RULE_BROKEN ? "::error file=" : "::notice file=",
	      out);
	gate_put_escaped(out, ESCAPE_GITHUB_PROPERTY, r->budget_file,
			 strlen(r->budget_file));
	fprintf(out, ",line=%u,title=budget::", b->line);
	gate_put_budget(out, r, &gate_github, b);
	putc('\n', out);
}

static void
end_github(FILE *out, const struct gate_report *r)
{
	fputs("::notice title=prof-gate basis::", out);
	gate_put_basis(out, r, &gate_github);
	putc('\n', out);
}

const struct gate_form gate_github = { .escape = ESCAPE_GITHUB,
				       .begin = begin_github,
				       .row = row_github,
				       .budget = budget_github,
				       .end = end_github };
