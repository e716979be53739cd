/*
 * prof-history.c - functions over the profiles of an archive. The options:
 * history/options.h; from them to the output: history/run.h; the cache:
 * history/catalog.h, store.h and block.h.
 */
#include "config.h"

#include "cli/cli.h"
#include "history/options.h"
#ifdef HAVE_SQLITE
#include "history/run.h"
#endif

static const struct cli_cmd cmd = {
	.name = "prof-history",
	.args = "ARCHIVE...",
	.brief = "show functions over the profiles of an archive",
	.opts = history_opts,
};

int
main(int argc, char **argv)
{
	struct history_settings s;
	struct cli cli;
	int status;

	cli_init(&cli, &cmd, argc, argv);
	history_settings_parse(&s, &cli);
#ifdef HAVE_SQLITE
	status = history_run(&s, &cli);
#else
	die("this build has no sqlite");
#endif
	history_settings_release(&s);
	return cli_finish(&cli, status);
}
