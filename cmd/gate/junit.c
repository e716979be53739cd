/*
 * junit.c - prof-gate's report as JUnit XML: a test case for each function
 * that is shown and for each budget. What fails the gate is a failure, what is
 * inconclusive is skipped.
 */
#include "config.h"

#include <string.h>

#include "print.h"

static void
put_text(FILE *out, const char *s, size_t n)
{
	escape_put(out, ESCAPE_XML, s, n);
}

static void
put_name(FILE *out, const struct gate_report *r, uint32_t name)
{
	const struct str *s = gate_name(r->g, name);

	put_text(out, s->s, s->len);
}

static void
put_row(FILE *out, const struct gate_report *r, const struct gate_row *row,
	bool fails)
{
	char t[GATE_TEXT];

	fputs("    <testcase classname=\"function\" name=\"", out);
	put_name(out, r, row->name);
	fputs("\">", out);
	if (fails) {
		fputs("<failure type=\"regressed\" message=\"", out);
		gate_print_change(out, r, row);
		fputs("\">", out);
		for (uint32_t i = 0; i < row->n_cause; i++) {
			const struct gate_cause *c = &row->cause[i];

			fprintf(out, "%s ",
				gate_number(t, r, c->after - c->before, true));
			put_name(out, r, c->name);
			putc('\n', out);
		}
		fputs("</failure>", out);
	} else if (row->verdict == GATE_INCONCLUSIVE) {
		fputs("<skipped message=\"inconclusive: ", out);
		gate_print_change(out, r, row);
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
}

static void
put_budget(FILE *out, const struct gate_report *r, const struct rule_budget *b)
{
	fputs("    <testcase classname=\"budget\" name=\"", out);
	put_text(out, b->name, strlen(b->name));
	fputs("\">", out);
	if (b->answer != RULE_KEPT) {
		fputs(b->answer == RULE_BROKEN
			      ? "<failure type=\"budget\" message=\""
			      : "<skipped message=\"",
		      out);
		gate_print_budget(out, r, b, ESCAPE_XML);
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
}

void
gate_print_junit(FILE *out, const struct gate_report *r)
{
	size_t n = gate_shown(r), n_fail = 0, n_skip = 0;

	for (size_t i = 0; i < n; i++) {
		n_fail += r->fails[i];
		n_skip += gate_shown_row(r, i)->verdict == GATE_INCONCLUSIVE;
	}
	for (size_t i = 0; i < r->budgets->n_rule; i++) {
		enum rule_answer a = r->budgets->rule[i].answer;

		n_fail += a == RULE_BROKEN;
		n_skip += a == RULE_UNSURE || a == RULE_NO_FUNCTION;
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
	      out);
	fprintf(out,
		"  <testsuite name=\"prof-gate\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
		n + r->budgets->n_rule, n_fail, n_skip);
	for (size_t i = 0; i < n; i++)
		put_row(out, r, gate_shown_row(r, i), r->fails[i]);
	for (size_t i = 0; i < r->budgets->n_rule; i++)
		put_budget(out, r, &r->budgets->rule[i]);
	fputs("    <system-out>", out);
	gate_print_answer(out, r);
	fputs("</system-out>\n  </testsuite>\n</testsuites>\n", out);
}
