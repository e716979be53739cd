/*
 * prof-html.c - a profile as one self-contained page. Options: html/options.h;
 * page: html/make.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/match.h"
#include "html/make.h"
#include "html/open.h"
#include "html/options.h"

static const struct cli_cmd cmd = {
	.name = "prof-html",
	.args = "[FILE...]",
	.brief = "make a page of a profile, with all views",
	.opts = html_opts,
	.groups = report_groups,
};

int
main(int argc, char **argv)
{
	struct html_settings s;
	struct cli cli;
	int status;

	cli_init(&cli, &cmd, argc, argv);
	html_settings_parse(&s, &cli);
	cli_check_output(&cli, CLI_PAGE);
	if (!s.opens)
		cli_sandbox(&cli, 0);
	html_make(&s, cli_read_all(&cli), &cli);
	if (s.opens && !s.opened && !(s.opened = strdup(cli.output)))
		die_nomem();
	status = cli_finish(&cli, EXIT_SUCCESS);
	if (s.opens && !open_browser(s.opened))
		status = CLI_TROUBLE;
	match_free(s.code.match);
	free(s.opened);
	return status;
}
