/*
 * prof-filter.c - keep a part of a profile. cli/refine.c has the refinement
 * options; lib/ops and lib/model do the work: filter, tags, tagfilter, where,
 * types, split, pgo, anonymous.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/match.h"
#include "cli/refine.h"
#include "filter/anonymize.h"
#include "filter/parts.h"
#include "lib/model/profile.h"
#include "lib/model/types.h"
#include "lib/ops/merge.h"
#include "lib/ops/pgo.h"
#include "lib/ops/rare-stacks.h"
#include "lib/ops/tags.h"

enum {
	KEY_WHERE = CLI_LONG,
	KEY_KEEP_TYPES,
	KEY_DROP_TYPES,
	KEY_DROP_LABEL,
	KEY_RENAME_LABEL,
	KEY_MIN_SAMPLES,
	KEY_SPLIT_BY,
	KEY_MAX_FILES,
	KEY_PGO,
	KEY_ANONYMIZE,
	KEY_KEY,
	KEY_PRUNE,
	KEY_EXIT_CODE,
};

static const struct cli_opt opts[] = {
	CLI_HEADING("Samples, types and labels"),
	{ KEY_WHERE, "where", "EXPR",
	  "keep samples whose labels make EXPR true" },
	{ KEY_KEEP_TYPES, "keep-types", "TYPE,...",
	  "keep these sample types only" },
	{ KEY_DROP_TYPES, "drop-types", "TYPE,...", "drop these sample types" },
	{ KEY_DROP_LABEL, "drop-label", "KEY",
	  "drop the labels with this key" },
	{ KEY_RENAME_LABEL, "rename-label", "OLD=NEW",
	  "give the labels with key OLD the key NEW" },
	{ KEY_MIN_SAMPLES, "min-samples", "N",
	  "fold stacks of fewer than N samples into their callers" },
	CLI_HEADING("Output"),
	{ KEY_SPLIT_BY, "split-by", "KEY",
	  "write a file for each value of the label; -o has a {} for it" },
	{ KEY_MAX_FILES, "max-files", "N",
	  "refuse to split into more than N files (1000)" },
	{ KEY_PGO, "pgo", NULL, "keep just what Go's compiler reads" },
	{ KEY_ANONYMIZE, "anonymize", NULL,
	  "replace names by keyed hashes; needs --key" },
	{ KEY_KEY, "key", "FILE", "the secret of --anonymize" },
	{ KEY_PRUNE, "prune", NULL,
	  "drop what no sample uses, add up equal samples" },
	{ KEY_EXIT_CODE, "exit-code", NULL,
	  "exit with status 1 when no sample is left" },
	CLI_COMMON_OPTS,
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	{ 0 }
};

static const struct cli_opt *const groups[] = { refine_opts, NULL };

static const struct cli_hint hints[] = {
	{ "sample-index", "see --keep-types" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-filter",
	.args = "[FILE...]",
	.brief = "keep a part of a profile",
	.opts = opts,
	.groups = groups,
	.hints = hints,
};

enum { MAX_EDIT = 64 };

struct options {
	struct refine refine;
	struct wherematch where;
	const char *keep_types, *drop_types;
	struct {
		char *from, *to; /* to: NULL drops the label */
	} edit[MAX_EDIT];
	size_t n_edit;
	int64_t min_samples; /* 0: not given */
	const char *split_by;
	size_t max_files;
	bool pgo, anonymize, prune, exit_code;
	const char *key;
};

static void
check_status(enum prof_status st, const struct prof_err *err, const char *what)
{
	if (st != PROF_OK)
		die("%s%s%s", what, *what ? ": " : "", err->msg);
}

/* --- options --- */

static void
add_edit(struct options *o, const struct cli *cli, bool is_rename)
{
	char *arg = cli->arg;
	char *to = is_rename ? strchr(arg, '=') : NULL;

	if (is_rename && (!to || to == arg || !to[1]))
		cli_bad_arg(cli, "OLD=NEW");
	if (o->n_edit == MAX_EDIT)
		die("more than %d labels to drop or rename", (int)MAX_EDIT);
	if (to)
		*to++ = '\0';
	o->edit[o->n_edit].from = arg;
	o->edit[o->n_edit++].to = to;
}

static void
take_option(struct options *o, struct cli *cli, int key)
{
	struct prof_err err;

	if (refine_option(&o->refine, cli, key))
		return;
	switch (key) {
	case KEY_WHERE:
		check_status(wherematch_parse(&o->where, cli->arg, &err), &err,
			     "--where");
		break;
	case KEY_KEEP_TYPES:
		o->keep_types = cli->arg;
		break;
	case KEY_DROP_TYPES:
		o->drop_types = cli->arg;
		break;
	case KEY_DROP_LABEL:
	case KEY_RENAME_LABEL:
		add_edit(o, cli, key == KEY_RENAME_LABEL);
		break;
	case KEY_MIN_SAMPLES:
		o->min_samples = cli_int(cli, 1);
		break;
	case KEY_SPLIT_BY:
		o->split_by = cli->arg;
		break;
	case KEY_MAX_FILES:
		o->max_files = cli_uint(cli, 1, 1000000);
		break;
	case KEY_PGO:
		o->pgo = true;
		break;
	case KEY_ANONYMIZE:
		o->anonymize = true;
		break;
	case KEY_KEY:
		o->key = cli->arg;
		break;
	case KEY_PRUNE:
		o->prune = true;
		break;
	case KEY_EXIT_CODE:
		o->exit_code = true;
		break;
	}
}

static void
check_options(const struct options *o, const struct cli *cli)
{
	if (o->anonymize != (o->key != NULL))
		die("--anonymize and --key FILE go together");
	if (o->anonymize && o->pgo)
		die("--pgo needs the names that --anonymize takes away");
	if (o->split_by && (!cli->output || !strstr(cli->output, "{}")))
		die("--split-by needs -o FILE with a {} in it, for the value");
}

/* --- work --- */

static void
edit_labels(const struct options *o, struct profile *p)
{
	struct prof_err err;
	bool found;

	for (size_t i = 0; i < o->n_edit; i++) {
		check_status(tags_rename(p, o->edit[i].from, o->edit[i].to,
					 &found, &err),
			     &err, "");
		if (!found)
			warn("no sample has a label '%s'", o->edit[i].from);
	}
}

static void
fold_rare(struct profile *p, int64_t min)
{
	struct rare_stacks_notes notes;
	struct prof_err err;

	check_status(rare_stacks_fold(p, min, &notes, &err), &err,
		     "--min-samples");
	if (notes.n_folded)
		warn("folded %zu of %zu stacks, with %.3g%% of the samples, "
		     "into their callers",
		     notes.n_folded, notes.n_sample,
		     notes.total ? 100 * (double)notes.n_counted /
					   (double)notes.total
				 : 0);
}

/* Free p and return `by`, which replaces it. */
static struct profile *
replaced(struct profile *p, struct profile *by)
{
	profile_free(p);
	return by;
}

static struct profile *
filter(const struct options *o, struct profile *p)
{
	struct prof_err err;
	struct profile *made;
	bool found;

	refine_frames(&o->refine, p, NULL);
	if (o->where.where) {
		check_status(filter_where(p, o->where.where, &found, &err),
			     &err, "--where");
		if (!found)
			warn("where expression matched no samples");
	}
	refine_filter(&o->refine, p);
	edit_labels(o, p);
	check_status(types_choose(p, o->keep_types, o->drop_types, &err), &err,
		     !o->drop_types   ? "--keep-types"
		     : !o->keep_types ? "--drop-types"
				      : "");
	if (o->pgo) {
		check_status(profile_pgo(p, &made, &err), &err, "--pgo");
		p = replaced(p, made);
	}
	if (o->anonymize)
		check_status(anonymize(p, o->key, &err), &err, "");
	if (o->min_samples)
		fold_rare(p, o->min_samples);
	if (o->prune || o->min_samples) {
		check_status(profile_compact(p, &made, &err), &err, "");
		p = replaced(p, made);
	}
	return p;
}

int
main(int argc, char **argv)
{
	struct options o = { .max_files = 1000 };
	int status = EXIT_SUCCESS;
	struct profile *p;
	struct cli cli;
	int key;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE)
		take_option(&o, &cli, key);
	check_options(&o, &cli);
	if (!o.split_by)
		cli_sandbox(&cli, SANDBOX_NAMED);

	p = filter(&o, cli_read_all(&cli));
	if (o.exit_code && p->n_sample == 0)
		status = EXIT_FAILURE;
	if (o.split_by)
		parts_write(&cli, p, o.split_by, o.max_files);
	else
		cli_write(&cli, p);
	profile_free(p);
	wherematch_release(&o.where);
	refine_release(&o.refine);
	return cli_finish(&cli, status);
}
