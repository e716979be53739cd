/*
 * cli-sum.c - the inputs of a command that reads one profile: several mean
 * their sum; see cli.h. A file of its own, so that only the commands that need
 * it link lib/ops/merge.c in them.
 */
#include "config.h"

#include "cli.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"

void
cli_tell_notes(const struct merge_notes *notes)
{
	if (notes->dropped[0])
		warn("dropped sample types that not all inputs have: %s",
		     notes->dropped);
	if (notes->n_saturated)
		warn("%zu values overflow 64 bits; clamped to the limit",
		     notes->n_saturated);
}

struct profile *
cli_read_all(struct cli *cli)
{
	const char *name = cli_input(cli);
	struct profile *p = cli_read(cli, name);
	struct merge_notes notes;
	struct prof_err err;
	struct merge *sum;

	if (cli->n_operand < 2)
		return p;
	sum = merge_new(COLUMNS_COMMON);
	if (!sum)
		die("out of memory");
	do {
		if (!p)
			p = cli_read(cli, name);
		if (merge_add(sum, p, 1, &err) != PROF_OK)
			die("%s: %s", cli_name(name), err.msg);
		profile_free(p);
		p = NULL;
	} while ((name = cli_input(cli)));
	if (merge_result(sum, &p, &notes, &err) != PROF_OK)
		die("%s", err.msg);
	merge_free(sum);
	cli_tell_notes(&notes);
	return p;
}
