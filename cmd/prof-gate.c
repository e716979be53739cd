/*
 * prof-gate.c - did anything get slower? The exit status is the verdict.
 * Options: gate/options.h; operands: gate/sides.h; statistics: lib/gate/gate.h
 * and lib/gate/stats.h; verdict: gate/verdict.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "gate/baseline.h"
#include "gate/options.h"
#include "gate/verdict.h"

static const struct cli_opt *const groups[] = { refine_opts, NULL };

/* The name that others have for a limit. */
static const struct cli_hint hints[] = {
	{ "fail-on", "a limit is a budget: see --budget" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-gate",
	.args = "BASE... -- NEW...",
	.brief =
		"did anything get slower? exit status 1 if several runs say so",
	.opts = gate_opts,
	.groups = groups,
	.hints = hints,
};

int
main(int argc, char **argv)
{
	struct gate_settings s;
	struct cli cli;
	int status;

	cli_init(&cli, &cmd, argc, argv);
	gate_settings_parse(&s, &cli);
	if (s.save_folder) {
		baseline_save(s.save_folder, &cli);
		gate_settings_release(&s);
		return cli_finish(&cli, EXIT_SUCCESS);
	}
	if (s.n_plan) {
		sides_plan(s.n_plan, &cli, argc, argv);
		gate_settings_release(&s);
		return cli_finish(&cli, EXIT_SUCCESS);
	}
	sides_choose(&s.sides, &cli, argc, argv);
	status = gate_run(&s, &cli);
	return cli_finish(&cli, status);
}
