/*
 * prof-merge.c - add profiles; see lib/ops/merge.h for the rules and
 * merge/sum.c for the threads.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"
#include "merge/inputs.h"
#include "merge/sum.h"

enum {
	KEY_TYPES = CLI_LONG,
	KEY_LABEL,
	KEY_LABEL_FILE,
	KEY_FILES0,
	KEY_SKIP_BAD,
};

static const struct cli_opt opts[] = {
	{ KEY_TYPES, "types", "WHICH",
	  "sample types: common to all, strict, or union (common)" },
	{ KEY_LABEL, "label", "KEY=VALUE", "label all samples" },
	{ KEY_LABEL_FILE, "label-file", "[KEY]",
	  "label samples with the name of their input (file)" },
	{ KEY_FILES0, "files0-from", "FILE",
	  "read the names of inputs, each ended by NUL, from FILE" },
	{ KEY_SKIP_BAD, "skip-bad", "[BOOL]",
	  "go on after a bad input, and exit with 3 at the end" },
	{ 'j', "threads", "N", "use N threads (one a processor)" },
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-merge",
	.args = "[[N:]FILE | @LIST]...",
	.brief = "add profiles together",
	.opts = opts,
};

static enum columns_mode
types(const struct cli *cli)
{
	static const char *const words[] = { "common", "strict", "union",
					     NULL };
	static const enum columns_mode mode[] = { COLUMNS_COMMON,
						  COLUMNS_STRICT,
						  COLUMNS_UNION };

	return mode[cli_word(cli, "set of types", words)];
}

static void
add_mark(struct sum_job *job, const char *key, const char *value)
{
	struct sum_mark *grown =
		realloc(job->mark, (job->n_mark + 1) * sizeof(*grown));

	if (!grown)
		die_nomem();
	job->mark = grown;
	grown[job->n_mark++] = (struct sum_mark){ key, value };
}

static void
add_label(struct sum_job *job, const struct cli *cli)
{
	char *value = strchr(cli->arg, '=');

	if (!value || value == cli->arg || !value[1])
		cli_bad_arg(cli, "KEY=VALUE");
	*value++ = '\0';
	add_mark(job, cli->arg, value);
}

/* Collect the inputs. Only one operand can be standard input. */
static void
collect(struct cli *cli, struct sum_job *job, const char *files0)
{
	size_t n_stdin = files0 && !strcmp(files0, "-");
	const char *name;

	if (files0)
		inputs_add_files0(&job->inputs, files0);
	if (!files0 || cli->n_operand)
		while ((name = cli_input(cli)))
			inputs_add_operand(&job->inputs, name);
	for (size_t i = 0; i < job->inputs.n; i++)
		n_stdin += !strcmp(job->inputs.input[i].name, "-");
	for (int i = 0; i < cli->n_operand; i++)
		n_stdin += !strcmp(cli->operand[i], "@-");
	if (n_stdin > 1)
		die("standard input can be read only once");
	if (!job->inputs.n)
		die("the list of inputs is empty");
}

int
main(int argc, char **argv)
{
	struct sum_job job = { 0 };
	enum columns_mode mode = COLUMNS_COMMON;
	const char *files0 = NULL;
	struct profile *p;
	struct cli cli;
	size_t n_bad;
	int key;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE) {
		switch (key) {
		case KEY_TYPES:
			mode = types(&cli);
			break;
		case KEY_LABEL:
			add_label(&job, &cli);
			break;
		case KEY_LABEL_FILE:
			add_mark(&job, cli.arg ? cli.arg : "file", NULL);
			break;
		case KEY_FILES0:
			files0 = cli.arg;
			break;
		case KEY_SKIP_BAD:
			job.skip_bad = cli_bool(&cli);
			break;
		case 'j':
			cli.n_thread =
				(unsigned)cli_uint(&cli, 1, SUM_MAX_THREADS);
			break;
		}
	}
	collect(&cli, &job, files0);
	cli_sandbox(&cli, 0);
	job.max_size = cli.max_size;
	job.sum = merge_new(mode);
	if (!job.sum)
		die_nomem();
	if (!cli.n_thread)
		cli.n_thread = cli_processors();
	n_bad = sum_run(&job, cli.n_thread);
	p = cli_sum_end(job.sum);
	cli_write(&cli, p);
	profile_free(p);
	if (n_bad)
		warn("bad inputs: %zu of %zu", n_bad, job.inputs.n);
	inputs_release(&job.inputs);
	free(job.mark);
	return cli_finish(&cli, n_bad ? CLI_SKIPPED : EXIT_SUCCESS);
}
