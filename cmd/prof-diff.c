/* prof-diff.c - the difference of two profiles; see lib/ops/diff.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/ops/diff.h"
#include "lib/ops/names.h"

enum {
	KEY_BASE = CLI_LONG,
	KEY_DIFF_BASE,
	KEY_NORMALIZE,
	KEY_SCALE,
	KEY_DELTA,
	KEY_NAMES,
	KEY_EXIT_CODE,
};

static const struct cli_opt opts[] = {
	{ KEY_DIFF_BASE, "diff-base", "[FILE]",
	  "keep both sides apart: percentages of the base (default)" },
	{ KEY_BASE, "base", "[FILE]", "subtract: what is equal vanishes" },
	{ KEY_NORMALIZE, "normalize", "[BOOL]",
	  "scale each sample type of NEW to the total that BASE has" },
	{ KEY_SCALE, "scale", "HOW",
	  "scale NEW by total, duration, ops=N or ops=N/M (none)" },
	{ KEY_DELTA, "delta", "[BOOL]",
	  "subtract only what counts from the start of a process" },
	{ KEY_NAMES, "normalize-names", "[BOOL]",
	  "ignore what compilers number anew in each build" },
	{ KEY_EXIT_CODE, "exit-code", "[BOOL]", "exit with 1 if they differ" },
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-diff",
	.args = "BASE NEW",
	.brief = "what changed between two profiles, as a profile",
	.opts = opts,
};

/* The inputs of one side, and whether they include standard input. */
struct side {
	const char **name;
	size_t n;
};

static void
add_name(struct side *s, const char *name)
{
	const char **grown = realloc(s->name, (s->n + 1) * sizeof(*grown));

	if (!grown)
		die_nomem();
	s->name = grown;
	grown[s->n++] = name;
}

/*
 * Read one side, and sum its inputs. A single input stays as it is where that
 * is equivalent: scaling rounds sample by sample.
 */
static struct profile *
read_side(struct cli *cli, struct side *s, bool compact)
{
	struct merge *sum;
	struct profile *p;

	if (s->n == 1 && !compact) {
		p = cli_read(cli, s->name[0]);
		free(s->name);
		return p;
	}
	sum = cli_sum_begin();
	for (size_t i = 0; i < s->n; i++)
		cli_sum_add(sum, cli_read(cli, s->name[i]), s->name[i]);
	free(s->name);
	return cli_sum_end(sum);
}

static void
set_scale(const struct cli *cli, struct diff_opts *o)
{
	static const char *const words[] = { "none", "total", "duration",
					     "ops=N", NULL };
	static const enum diff_scale scale[] = { DIFF_SCALE_NONE,
						 DIFF_SCALE_TOTAL,
						 DIFF_SCALE_DURATION,
						 DIFF_SCALE_OPS };

	o->scale = scale[cli_word(cli, "scale", words)];
	if (o->scale == DIFF_SCALE_OPS)
		o->ops = cli_operations(cli, cli->arg + 4);
}

static void
normalize_names(struct profile *base, struct profile *new)
{
	struct names_rule rule[NAMES_N_RULE] = { 0 };

	if (names_normalize(base, rule) < 0 || names_normalize(new, rule) < 0)
		die_nomem();
	for (size_t i = 0; i < NAMES_N_RULE; i++)
		if (rule[i].n_name)
			warn("normalized %zu name%s: %s (%s is %s)",
			     rule[i].n_name, rule[i].n_name == 1 ? "" : "s",
			     rule[i].what, rule[i].from, rule[i].to);
}

static void
tell(const struct diff_notes *notes)
{
	if (notes->dropped[0])
		warn("dropped sample types that only one side has: %s",
		     notes->dropped);
	if (notes->scaled[0])
		warn("scaled the new profile %s", notes->scaled);
	if (notes->n_saturated)
		warn("%zu value%s past 64 bits; clamped to the limit",
		     notes->n_saturated, notes->n_saturated == 1 ? "" : "s");
	if (notes->n_shrunk)
		warn("%zu value%s went down: are these two moments of one "
		     "process, the older first?",
		     notes->n_shrunk, notes->n_shrunk == 1 ? "" : "s");
}

/* Split the operands into base and new. */
static void
choose_sides(struct cli *cli, struct side *base, struct side *new)
{
	size_t n_stdin = 0;

	if (base->n) {
		for (const char *name; (name = cli_input(cli));)
			add_name(new, name);
	} else {
		if (cli->n_operand != 2)
			die("needs two operands, BASE and NEW, not %d",
			    cli->n_operand);
		add_name(base, cli_input(cli));
		add_name(new, cli_input(cli));
	}
	for (size_t i = 0; i < base->n; i++)
		n_stdin += !strcmp(base->name[i], "-");
	for (size_t i = 0; i < new->n; i++)
		n_stdin += !strcmp(new->name[i], "-");
	if (n_stdin > 1)
		die("standard input can be read only once");
}

int
main(int argc, char **argv)
{
	struct diff_opts o = { 0 };
	struct side base = { 0 }, new = { 0 };
	bool exit_code = false, names = false;
	int kind = 0, key;
	struct diff_notes notes;
	struct prof_err err;
	struct profile *a, *b, *out;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE) {
		switch (key) {
		case KEY_BASE:
		case KEY_DIFF_BASE:
			if (kind && kind != key)
				die("--base and --diff-base exclude each "
				    "other");
			kind = key;
			if (cli.arg)
				add_name(&base, cli.arg);
			break;
		case KEY_NORMALIZE:
			o.scale = cli_bool(&cli) ? DIFF_SCALE_COLUMNS
						 : DIFF_SCALE_NONE;
			break;
		case KEY_SCALE:
			set_scale(&cli, &o);
			break;
		case KEY_DELTA:
			o.delta = cli_bool(&cli);
			break;
		case KEY_NAMES:
			names = cli_bool(&cli);
			break;
		case KEY_EXIT_CODE:
			exit_code = o.verdict = cli_bool(&cli);
			break;
		}
	}
	if (kind == KEY_BASE || (o.delta && kind != KEY_DIFF_BASE))
		o.kind = DIFF_SUBTRACT;
	choose_sides(&cli, &base, &new);
	cli_sandbox(&cli, SANDBOX_NAMED);
	a = read_side(&cli, &base, o.scale != DIFF_SCALE_NONE);
	b = read_side(&cli, &new, o.scale != DIFF_SCALE_NONE);
	if (names)
		normalize_names(a, b);
	if (profile_diff(a, b, &o, &out, &notes, &err) != PROF_OK)
		die("%s", err.msg);
	tell(&notes);
	profile_free(a);
	profile_free(b);
	cli_write(&cli, out);
	profile_free(out);
	return cli_finish(&cli, exit_code && notes.differ ? 1 : 0);
}
