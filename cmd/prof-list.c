/*
 * prof-list.c - source lines and instructions with their costs. Options:
 * list/options.h; text and page: list/report.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "list/options.h"
#include "list/report.h"

static const struct cli_cmd cmd = {
	.name = "prof-list",
	.args = "REGEX [FILE...]",
	.brief = "print source lines and instructions with what each costs",
	.opts = list_opts,
	.groups = list_groups,
};

int
main(int argc, char **argv)
{
	struct list_settings s;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	list_settings_parse(&s, &cli);
	cli_sandbox(&cli, s.network.is_debuginfod ? SANDBOX_NETWORK : 0);
	list_report(&s, cli_read_all(&cli), &cli);
	return cli_finish(&cli, EXIT_SUCCESS);
}
