/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <string.h>

#include "cli/match.h"

enum {
	KEY_REPORT = CLI_LONG, /* + enum format, for each of reports[] */
	KEY_FLAT = CLI_LONG + 50,
	KEY_CUM,
	KEY_COMPACT,
	KEY_MIN_FLAT,
	KEY_MIN_CUM,
	KEY_DIFF,
};

const struct cli_opt text_opts[] = {
	CLI_HEADING("Reports (one of them)"),
	{ KEY_REPORT + FORMAT_TOP, "top", "[BOOL]",
	  "print a table of functions (default)" },
	{ KEY_REPORT + FORMAT_TEXT, "text", "[BOOL]", "same as --top" },
	{ KEY_REPORT + FORMAT_TREE, "tree", "[BOOL]",
	  "print callers and callees, too" },
	{ KEY_REPORT + FORMAT_PEEK, "peek", "REGEX",
	  "print callers and callees of functions that match" },
	{ KEY_REPORT + FORMAT_TRACES, "traces", "[BOOL]",
	  "print every stack with its labels" },
	{ KEY_REPORT + FORMAT_TAGS, "tags", "[BOOL]", "print the labels" },
	{ KEY_REPORT + FORMAT_RAW, "raw", "[BOOL]",
	  "print everything that is in the profile" },
	{ KEY_REPORT + FORMAT_COMMENTS, "comments", "[BOOL]",
	  "print the comments" },
	{ KEY_REPORT + FORMAT_LIST_TYPES, "list-types", "[BOOL]",
	  "print the sample types and their totals" },
	{ KEY_REPORT + FORMAT_JSON, "json", "[BOOL]",
	  "print the call graph as JSON" },
	{ KEY_REPORT + FORMAT_TSV, "tsv", "[BOOL]",
	  "print the table with tabs, numbers unscaled" },
	{ KEY_REPORT + FORMAT_FOLDED, "folded", "[BOOL]",
	  "print stacks as lines, for flame graph programs" },
	{ KEY_DIFF, "diff", "[BOOL]",
	  "print before and after, of what prof-diff writes" },
	CLI_HEADING("Rows"),
	{ KEY_FLAT, "flat", "[BOOL]", "sort by own value (default)" },
	{ KEY_CUM, "cum", "[BOOL]", "sort by value with callees" },
	{ KEY_MIN_FLAT, "min-flat", "VALUE",
	  "leave out rows with less: 10ms, 2%, 500" },
	{ KEY_MIN_CUM, "min-cum", "VALUE", "leave out rows with less" },
	{ KEY_COMPACT, "compact-labels", "[BOOL]",
	  "leave out the header lines of the profile" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static void
set_format(struct text_settings *s, struct cli *cli, enum format format)
{
	struct prof_err err;

	if (format == FORMAT_PEEK) {
		match_free(s->peek);
		s->pattern = cli->arg;
		if (match_new("peek", cli->arg, 0, &s->peek, &err) != PROF_OK)
			die("%s", err.msg);
	} else if (!cli_bool(cli)) {
		return;
	}
	if (s->option && s->format != format)
		die("--%s and --%s exclude each other", s->option,
		    cli_key_name(cli->cmd, KEY_REPORT + (int)format));
	s->option = cli_key_name(cli->cmd, KEY_REPORT + (int)format);
	s->format = format;
}

/* Die of --min-flat and --min-cum for a report that is no table. */
static void
check_limits(const struct text_settings *s)
{
	const char *limit = s->min_flat ? "min-flat" : "min-cum";

	if (s->diff || (!s->min_flat && !s->min_cum))
		return;
	if (s->format != FORMAT_TOP && s->format != FORMAT_TREE &&
	    s->format != FORMAT_PEEK && s->format != FORMAT_TSV)
		die("--%s is for tables: it excludes --%s", limit, s->option);
}

void
text_settings_parse(struct text_settings *s, struct cli *cli)
{
	struct report_options *o = &s->report.o;
	int key;

	memset(s, 0, sizeof(*s));
	report_settings_init(&s->report);
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case KEY_FLAT:
			if (cli_bool(cli))
				o->graph.order = GRAPH_BY_FLAT;
			break;
		case KEY_CUM:
			if (cli_bool(cli))
				o->graph.order = GRAPH_BY_CUM;
			break;
		case KEY_DIFF:
			s->diff = cli_bool(cli);
			break;
		case KEY_COMPACT:
			o->compact_labels = cli_bool(cli);
			break;
		case KEY_MIN_FLAT:
			s->min_flat = cli->arg;
			break;
		case KEY_MIN_CUM:
			s->min_cum = cli->arg;
			break;
		default:
			if (key >= KEY_REPORT && key < KEY_REPORT + N_FORMAT)
				set_format(s, cli, key - KEY_REPORT);
			else
				report_option(&s->report, cli, key);
		}
	}
	if (s->format == FORMAT_TEXT)
		s->format = FORMAT_TOP;
	if (s->diff && s->format != FORMAT_TOP && s->format != FORMAT_JSON &&
	    s->format != FORMAT_TSV)
		die("--diff is a table: it excludes --%s", s->option);
	check_limits(s);
	/* Programs get values as the profile has them. */
	if (s->format == FORMAT_JSON || s->format == FORMAT_TSV)
		o->divide_by = 1;
}
