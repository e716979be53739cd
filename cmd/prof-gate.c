/*
 * prof-gate.c - did a function get slower? The verdict as an exit status. The
 * options: gate/options.c; the operands: gate/sides.c; the statistics:
 * lib/gate/gate.h and stats.c; the formats: gate/print.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "gate/options.h"
#include "gate/stats.h"

static const struct cli_opt *const groups[] = { refine_opts, NULL };

static const struct cli_cmd cmd = {
	.name = "prof-gate",
	.args = "BASE... -- NEW...",
	.brief = "did a function get slower? exit status 1 if so",
	.opts = gate_opts,
	.groups = groups,
};

/*
 * Which of the rows that regressed fail, into fails, by order. Returns whether
 * anything does, a budget included.
 */
static bool
decide(const struct gate_settings *s, const struct gate *g, bool *fails)
{
	const struct gate_row none = { 0 };
	bool any = false;
	struct prof_err err;

	/* A wrong unit is one even where nothing regressed. */
	if (s->fail_on.n_term &&
	    rule_holds(&s->fail_on, g, &none, &any, &err) != PROF_OK)
		die("--fail-on: %s", err.msg);
	any = false;
	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];

		fails[i] = row->verdict == GATE_REGRESSED;
		if (fails[i] && s->fail_on.n_term &&
		    rule_holds(&s->fail_on, g, row, &fails[i], &err) != PROF_OK)
			die("--fail-on: %s", err.msg);
		any |= fails[i];
	}
	for (size_t i = 0; i < s->budgets.n_rule; i++) {
		const struct rule_budget *b = &s->budgets.rule[i];

		any |= b->answer == RULE_BROKEN;
		if (b->answer == RULE_NO_FUNCTION)
			warn("%s: line %u: no function %s'%s'", s->budget_file,
			     b->line, b->pattern ? "matches " : "", b->name);
	}
	return any;
}

static bool
is_unsure(const struct gate_settings *s, const struct gate *g)
{
	for (size_t i = 0; i < s->budgets.n_rule; i++)
		if (s->budgets.rule[i].answer == RULE_UNSURE)
			return true;
	return g->n_verdict[GATE_INCONCLUSIVE] > 0;
}

static int
judge(struct gate_settings *s, struct cli *cli, struct gate *g)
{
	const struct gate_dist *dist = stats_dist();
	struct gate_report report = { .g = g,
				      .budgets = &s->budgets,
				      .budget_file = s->budget_file,
				      .scale = s->scale.kind,
				      .max_rows = s->max_rows,
				      .all = s->all };
	struct rule_matcher matcher = { gate_budget_matches, s };
	struct prof_err err;
	bool *fails;

	if (gate_judge(g, dist, &err) != PROF_OK ||
	    rule_check(&s->budgets, g, dist, &matcher, &err) != PROF_OK)
		die("%s", err.msg);
	report.fails = fails = calloc(g->n_order + 1, sizeof(*fails));
	if (!fails)
		die("out of memory");
	report.verdict =
		g->n_verdict[GATE_IMPROVED] ? GATE_IMPROVED : GATE_UNCHANGED;
	if (is_unsure(s, g))
		report.verdict = GATE_INCONCLUSIVE;
	if (decide(s, g, fails))
		report.verdict = GATE_REGRESSED;
	s->print(cli_text(cli), &report);
	free(fails);
	if (report.verdict == GATE_REGRESSED)
		return EXIT_FAILURE;
	return s->strict && report.verdict == GATE_INCONCLUSIVE ? CLI_TROUBLE
								: EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
	struct gate_settings s;
	struct prof_err err;
	struct gate *g;
	struct cli cli;
	int status;

	cli_init(&cli, &cmd, argc, argv);
	gate_settings_parse(&s, &cli);
	if (!stats_dist())
		die("this build has no GSL, and without it no verdicts");
	sides_choose(&s.sides, &cli, argc, argv);
	if (gate_new(&s.gate, &g, &err) != PROF_OK)
		die("%s", err.msg);
	sides_read(&s.sides, &cli, g, s.sample_index, &s.refine, &s.scale,
		   s.exact_names);
	status = judge(&s, &cli, g);
	gate_free(g);
	gate_settings_release(&s);
	return cli_finish(&cli, status);
}
