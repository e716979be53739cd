/* options.h - the options of prof-gate: the table and the settings. */
#ifndef GATE_OPTIONS_H
#define GATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/refine.h"
#include "lib/gate/gate.h"
#include "lib/gate/rule.h"
#include "report.h"
#include "sides.h"

struct match;

extern const struct cli_opt gate_opts[];

struct gate_settings {
	struct gate_options gate;
	struct sides sides;
	struct rule_budgets budgets;
	struct match **pattern; /* by budget, NULL for names */
	struct match *function; /* NULL: all */
	const char *budget_file;
	const char *save_folder; /* of --save-baseline, or NULL */
	const struct gate_form *form;
	size_t max_rows;
	size_t n_plan; /* runs of each side to plan; 0: compare */
	double strict; /* growth that must be detectable; 0: none */
	bool all, fail_single, fail_moved, has_min_share;
	char root[4096]; /* the working directory */
};

/* Set the defaults, then parse all options. Dies. */
void gate_settings_parse(struct gate_settings *s, struct cli *cli);

/* For rule_check(), with the settings as context. */
enum prof_status gate_budget_matches(void *settings, size_t i,
				     const struct str *name, bool *matches,
				     struct prof_err *err);

void gate_settings_release(struct gate_settings *s);

#endif
