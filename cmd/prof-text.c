/*
 * prof-text.c - reports as text. Options: text/options.h; reports:
 * text/report.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "text/options.h"
#include "text/report.h"

static const struct cli_hint hints[] = { { "sort", "see --cum" }, { 0 } };

static const struct cli_cmd cmd = {
	.name = "prof-text",
	.args = "[FILE...]",
	.brief = "print a profile as text; several are added up",
	.opts = text_opts,
	.groups = report_groups,
	.hints = hints,
};

int
main(int argc, char **argv)
{
	struct text_settings s;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	text_settings_parse(&s, &cli);
	cli_sandbox(&cli, SANDBOX_NAMED);
	text_report(&s, cli_read_all(&cli), &cli);
	return cli_finish(&cli, EXIT_SUCCESS);
}
