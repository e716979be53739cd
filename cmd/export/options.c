/* export/options.c - see options.h. */
#include "config.h"

#include "options.h"

enum {
	KEY_TO = CLI_LONG,
	KEY_SAMPLE_INDEX,
	KEY_SPLIT_BY,
	KEY_SORT,
	KEY_LINES,
	KEY_ANNOTATE,
	KEY_ROOT,
	KEY_DIFF,
	KEY_HEADERS,
	KEY_PPROF,
};

static const struct cli_opt opts[] = {
	{ KEY_TO, "to", "FORMAT",
	  "callgrind, cpuprofile, firefox, folded, otlp, otlp-json or "
	  "speedscope" },
	{ KEY_SAMPLE_INDEX, "sample-index", "COLUMN",
	  "the sample type (the profile's default)" },
	{ KEY_SPLIT_BY, "split-by", "LABEL",
	  "speedscope: a profile for each value of LABEL" },
	{ KEY_SORT, "sort", "[ORDER]",
	  "folded: by bytes; speedscope: value, largest first" },
	{ KEY_LINES, "lines", NULL, "speedscope: frames have lines that ran" },
	{ KEY_ANNOTATE, "annotate", NULL,
	  "folded: mark kernel, inlined and jitted frames: _[k] _[i] _[j]" },
	{ KEY_ROOT, "root", "LABEL", "folded: LABEL's value is a first frame" },
	{ KEY_DIFF, "diff", NULL, "folded: both numbers of a difference" },
	{ KEY_HEADERS, "headers", NULL,
	  "folded: column, period and labels, for prof-import" },
	{ KEY_PPROF, "pprof", NULL,
	  "callgrind: one column, with the bytes of pprof -callgrind" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-export",
	.args = "--to FORMAT [FILE...]",
	.brief = "write a profile in the format of another viewer",
	.opts = opts,
};

static void
choose_order(struct export_args *a)
{
	static const char *const words[] = { "bytes", "value", NULL };

	a->folded.is_sorted = true;
	a->by_value = a->cli.arg && cli_word(&a->cli, "order", words) == 1;
}

static const char *const formats[] = { "callgrind",  "cpuprofile", "firefox",
				       "folded",     "otlp",       "otlp-json",
				       "speedscope", NULL };

/* Die of an option that does nothing in this format; given: a bit for each. */
static void
check_given(const struct export_args *a, unsigned given)
{
	static const enum export_format only[] = {
		[KEY_SPLIT_BY - CLI_LONG] = EXPORT_SPEEDSCOPE,
		[KEY_SORT - CLI_LONG] = EXPORT_FOLDED,
		[KEY_LINES - CLI_LONG] = EXPORT_SPEEDSCOPE,
		[KEY_ANNOTATE - CLI_LONG] = EXPORT_FOLDED,
		[KEY_ROOT - CLI_LONG] = EXPORT_FOLDED,
		[KEY_DIFF - CLI_LONG] = EXPORT_FOLDED,
		[KEY_HEADERS - CLI_LONG] = EXPORT_FOLDED,
		[KEY_PPROF - CLI_LONG] = EXPORT_CALLGRIND,
	};

	for (int key = KEY_SPLIT_BY; key <= KEY_PPROF; key++) {
		enum export_format to = only[key - CLI_LONG];

		if (key == KEY_SORT && a->by_value)
			to = EXPORT_SPEEDSCOPE;
		if ((given & 1u << (key - CLI_LONG)) && to != a->to)
			die("--%s: for --to %s, not %s",
			    cli_key_name(&cmd, key), formats[to],
			    formats[a->to]);
	}
}

void
export_args_parse(struct export_args *a, int argc, char **argv)
{
	bool has_format = false;
	unsigned given = 0;
	int key;

	*a = (struct export_args){ 0 };
	cli_init(&a->cli, &cmd, argc, argv);
	while ((key = cli_option(&a->cli)) != CLI_DONE) {
		given |= 1u << (key - CLI_LONG);
		switch (key) {
		case KEY_TO:
			a->to = (enum export_format)cli_word(&a->cli, "format",
							     formats);
			has_format = true;
			break;
		case KEY_SAMPLE_INDEX:
			a->sample_index = a->cli.arg;
			break;
		case KEY_SPLIT_BY:
			a->split_by = a->cli.arg;
			break;
		case KEY_SORT:
			choose_order(a);
			break;
		case KEY_LINES:
			a->lines = true;
			break;
		case KEY_ANNOTATE:
			a->folded.annotate = true;
			break;
		case KEY_ROOT:
			a->folded.root = a->cli.arg;
			break;
		case KEY_DIFF:
			a->folded.is_diff = true;
			break;
		case KEY_HEADERS:
			a->folded.has_headers = true;
			break;
		case KEY_PPROF:
			a->pprof = true;
			break;
		}
	}
	if (!has_format)
		die("no format: give one with --to: callgrind, cpuprofile, "
		    "firefox, folded, otlp, otlp-json or speedscope");
	check_given(a, given);
}
