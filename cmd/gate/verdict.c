/* verdict.c - see verdict.h. */
#include "config.h"

#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "lib/gate/stats.h"
#include "options.h"

#define MIN_STRICT 0.1 /* of base: least size of a row that --strict checks */

/* Does this row, or the total, fail the gate? */
static bool
row_fails(const struct gate_settings *s, const struct gate_row *row)
{
	return (row->verdict == GATE_REGRESSED ||
		(row->verdict == GATE_SUSPECT && s->fail_single)) &&
	       (!row->is_moved || s->fail_moved);
}

/*
 * Set fails, by order, for rows that fail, total_fails and by_budgets. Returns
 * whether anything fails, budgets included.
 */
static bool
decide(const struct gate_settings *s, struct gate_report *r, bool *fails)
{
	const struct gate *g = r->g;
	bool any, is_broken = false;

	any = r->total_fails = row_fails(s, &g->total);
	for (size_t i = 0; i < g->n_order; i++) {
		fails[i] = row_fails(s, &g->row[g->order[i]]);
		any |= fails[i];
	}
	for (size_t i = 0; i < s->budgets.n_rule; i++)
		is_broken |= s->budgets.rule[i].answer == RULE_BROKEN;
	r->by_budgets = is_broken && !any;
	return any || is_broken;
}

static void
check_budgets(struct gate_settings *s, const struct gate *g)
{
	struct rule_matcher matcher = { gate_budget_matches, s };
	struct prof_err err;

	if (!s->budgets.n_rule)
		return;
	if (rule_check(&s->budgets, g, &matcher, &err) != PROF_OK)
		die("%s: %s", cli_name(s->budget_file), err.msg);
	for (size_t i = 0; i < s->budgets.n_rule; i++) {
		const struct rule_budget *b = &s->budgets.rule[i];

		if (b->answer == RULE_NO_FUNCTION)
			die("%s: line %u: no function %s'%s'%s",
			    cli_name(s->budget_file), b->line,
			    b->pattern ? "matches " : "is called ", b->name,
			    strcmp(b->name, "total")
				    ? ""
				    : "; the total is that of /./");
	}
}

/* --strict: is a growth of that size in this row undetectable? */
static bool
is_blind(const struct gate_settings *s, const struct gate *g,
	 const struct gate_row *row)
{
	const struct gate_cell *c = gate_deciding(row);

	return c->before >= MIN_STRICT * g->total.cell[0]->before &&
	       c->detectable > s->strict * c->before;
}

/* --strict: say which row is blind, if any is. */
static bool
complain_blind(const struct gate_settings *s, const struct gate *g)
{
	bool blind = !s->function && is_blind(s, g, &g->total);
	const struct gate_row *row = &g->total;

	for (size_t i = 0; i < g->n_order && !blind; i++) {
		row = &g->row[g->order[i]];
		blind = is_blind(s, g, row);
	}
	if (blind)
		complain("--strict: growth of %s below %.1f%% would not have "
			 "been seen: more runs or more samples are needed",
			 gate_name(g, row->name)->s,
			 100 * gate_deciding(row)->detectable /
				 gate_deciding(row)->before);
	return blind;
}

static int
judge(struct gate_settings *s, struct cli *cli, struct gate *g)
{
	struct gate_report report = { .g = g,
				      .budgets = &s->budgets,
				      .budget_file = s->budget_file,
				      .root = s->root,
				      .scale = s->sides.scale.kind,
				      .max_rows = s->max_rows,
				      .all = s->all };
	struct prof_err err;
	int status = EXIT_SUCCESS;
	bool *fails, any;

	if (gate_judge(g, &err) != PROF_OK)
		die("%s", err.msg);
	check_budgets(s, g);
	report.fails = fails = calloc(g->n_order + 1, sizeof(*fails));
	if (!fails)
		die_nomem();
	any = decide(s, &report, fails);
	report.verdict = any ? GATE_REGRESSED : gate_mildest(g, &s->budgets);
	if (any)
		status = EXIT_FAILURE;
	else if (s->strict > 0 && complain_blind(s, g))
		status = CLI_TROUBLE;
	if (status || !cli->is_quiet)
		gate_print(cli_report(cli, s->form == &gate_text), &report,
			   s->form);
	free(fails);
	return status;
}

int
gate_run(struct gate_settings *s, struct cli *cli)
{
	struct prof_err err;
	struct gate *g;
	int status;

	s->gate.dist = stats_dist();
	if (!s->gate.dist)
		die("this build has no GSL, which verdicts need");
	if (gate_new(&s->gate, &g, &err) != PROF_OK)
		die("%s", err.msg);
	sides_read(&s->sides, cli, g);
	status = judge(s, cli, g);
	gate_free(g);
	gate_settings_release(s);
	return status;
}
