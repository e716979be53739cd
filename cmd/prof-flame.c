/*
 * prof-flame.c - a profile, or a difference, as a flame graph in one SVG.
 * Options: flame/options.h; picture: flame/draw.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "flame/draw.h"
#include "flame/options.h"

static const struct cli_hint hints[] = {
	{ "svg", "it writes SVG: use -o FILE" },
	{ "inverted", "see --flip" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-flame",
	.args = "[FILE...]",
	.brief = "draw a flame graph of a profile",
	.opts = flame_opts,
	.groups = report_groups,
	.hints = hints,
};

int
main(int argc, char **argv)
{
	struct flame_settings s;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	flame_settings_parse(&s, &cli);
	cli_sandbox(&cli, SANDBOX_NAMED);
	flame_draw(&s, cli_read_all(&cli), &cli);
	return cli_finish(&cli, EXIT_SUCCESS);
}
