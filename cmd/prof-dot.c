/*
 * prof-dot.c - the call graph of a profile, as DOT or as a picture. Options:
 * dot/options.h; drawing: dot/draw.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "dot/draw.h"
#include "dot/options.h"

static const struct cli_cmd cmd = {
	.name = "prof-dot",
	.args = "[FILE...]",
	.brief = "draw the call graph of a profile",
	.opts = dot_opts,
	.groups = report_groups,
};

int
main(int argc, char **argv)
{
	struct dot_settings s;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	dot_settings_parse(&s, &cli);
	cli_sandbox(&cli, 0);
	dot_draw(&s, cli_read_all(&cli), &cli);
	return cli_finish(&cli, EXIT_SUCCESS);
}
