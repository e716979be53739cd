/* prof-merge.c - add profiles together; what adding means is in lib/merge.h. */
#include "config.h"

#include <stdlib.h>

#include "cli.h"
#include "lib/merge.h"
#include "lib/profile.h"

static const struct cli_opt opts[] = {
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-merge",
	.args = "[FILE...]",
	.brief = "add profiles together",
	.opts = opts,
};

int
main(int argc, char **argv)
{
	const char *name;
	struct merge_notes notes;
	struct prof_err err;
	struct profile *p;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	while (cli_option(&cli) != CLI_DONE)
		;

	struct merge *sum = merge_new(COLUMNS_COMMON);
	if (!sum)
		die("out of memory");
	while ((name = cli_input(&cli))) {
		p = cli_read(&cli, name);
		if (merge_add(sum, p, 1, &err) != PROF_OK)
			die("%s: %s", cli_name(name), err.msg);
		profile_free(p);
	}
	if (merge_result(sum, &p, &notes, &err) != PROF_OK)
		die("%s", err.msg);
	cli_tell_notes(&notes);
	merge_free(sum);
	cli_write(&cli, p);
	profile_free(p);
	return cli_finish(&cli, EXIT_SUCCESS);
}
