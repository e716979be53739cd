/*
 * prof-filter.c - keep a part of a profile. The refinement options are in
 * refine.c, the work behind them in lib/filter.c and lib/tag*.c.
 */
#include "config.h"

#include <stdlib.h>

#include "cli.h"
#include "lib/profile.h"
#include "refine.h"

enum { KEY_EXIT_CODE = CLI_LONG };

static const struct cli_opt opts[] = {
	{ KEY_EXIT_CODE, "exit-code", NULL,
	  "exit with status 1 when no sample is left" },
	CLI_COMMON_OPTS,
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	{ 0 }
};

static const struct cli_opt *const groups[] = { refine_opts, NULL };

static const struct cli_cmd cmd = {
	.name = "prof-filter",
	.args = "[FILE]",
	.brief = "keep a part of a profile",
	.opts = opts,
	.groups = groups,
};

int
main(int argc, char **argv)
{
	struct refine refine = { 0 };
	int status = EXIT_SUCCESS;
	bool exit_code = false;
	struct profile *p;
	struct cli cli;
	int key;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE) {
		if (refine_option(&refine, &cli, key))
			continue;
		switch (key) {
		case KEY_EXIT_CODE:
			exit_code = true;
			break;
		}
	}

	p = cli_read_all(&cli);
	refine_frames(&refine, p, NULL);
	refine_filter(&refine, p);
	if (exit_code && p->n_sample == 0)
		status = EXIT_FAILURE;
	cli_write(&cli, p);
	profile_free(p);
	refine_release(&refine);
	return cli_finish(&cli, status);
}
