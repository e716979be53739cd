/*
 * cli-sum.c - sum the inputs of a command that reads one profile; see cli.h. A
 * separate file, so that only commands that use it link lib/ops/merge.c.
 */
#include "config.h"

#include "cli.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"

struct merge *
cli_sum_begin(void)
{
	struct merge *sum = merge_new(COLUMNS_COMMON);

	if (!sum)
		die_nomem();
	return sum;
}

void
cli_sum_add(struct merge *sum, struct profile *p, const char *input)
{
	struct prof_err err;

	if (merge_add(sum, p, 1, &err) != PROF_OK)
		die("%s: %s", cli_name(input), err.msg);
	profile_free(p);
}

struct profile *
cli_sum_end(struct merge *sum)
{
	struct merge_notes notes;
	struct profile *p;
	struct prof_err err;

	if (merge_result(sum, &p, &notes, &err) != PROF_OK)
		die("%s", err.msg);
	if (notes.dropped[0])
		warn("dropped sample types that not all inputs have: %s",
		     notes.dropped);
	if (notes.n_saturated)
		warn("%zu value%s past 64 bits; clamped to the limit",
		     notes.n_saturated, notes.n_saturated == 1 ? "" : "s");
	merge_free(sum);
	return p;
}

struct profile *
cli_read_all(struct cli *cli)
{
	const char *name = cli_input(cli);
	struct profile *p = cli_read(cli, name);
	struct merge *sum;

	if (cli->n_operand < 2)
		return p;
	sum = cli_sum_begin();
	cli_sum_add(sum, p, name);
	while ((name = cli_input(cli)))
		cli_sum_add(sum, cli_read(cli, name), name);
	return cli_sum_end(sum);
}
