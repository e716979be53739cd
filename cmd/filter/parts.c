/* parts.c - see parts.h. */
#include "config.h"

#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/ops/split.h"

void
parts_write(struct cli *cli, const struct profile *p, const char *key,
	    size_t max_files)
{
	const char *form = cli->output, *at = strstr(form, "{}");
	struct prof_err err;
	struct split split;

	if (split_init(&split, p, key, max_files, &err) != PROF_OK)
		die("--split-by: %s", err.msg);
	if (!split.n_part)
		warn("no sample is left, and no file written");
	for (size_t i = 0; i < split.n_part; i++) {
		char value[SPLIT_NAME_MAX], *name;
		struct profile *part;

		split_name(&split, i, value);
		if (asprintf(&name, "%.*s%s%s", (int)(at - form), form, value,
			     at + 2) < 0)
			die_nomem();
		if (split_part(&split, i, &part, &err) != PROF_OK)
			die("%s: %s", name, err.msg);
		cli->output = name;
		cli_write(cli, part);
		cli_output_close(cli);
		profile_free(part);
		free(name);
	}
	cli->output = form;
	split_release(&split);
}
