/* report-options.c - see report-options.h. */
#include "config.h"

#include "report-options.h"

#include <string.h>

enum {
	KEY_SAMPLE_INDEX = CLI_GROUP + 100,
	KEY_INUSE_SPACE,
	KEY_INUSE_OBJECTS,
	KEY_ALLOC_SPACE,
	KEY_ALLOC_OBJECTS,
	KEY_TOTAL_DELAY,
	KEY_MEAN_DELAY,
	KEY_CONTENTIONS,
	KEY_MEAN,
	KEY_UNIT,
	KEY_DIVIDE_BY,
	KEY_FUNCTIONS,
	KEY_FILEFUNCTIONS,
	KEY_FILES,
	KEY_LINES,
	KEY_ADDRESSES,
	KEY_NOINLINES,
	KEY_SHOWCOLUMNS,
	KEY_NODECOUNT,
	KEY_NODEFRACTION,
	KEY_EDGEFRACTION,
	KEY_TRIM,
	KEY_DROP_NEGATIVE,
	KEY_RELATIVE,
	KEY_TRIM_PATH,
	KEY_SOURCE_PATH,
};

const struct cli_opt report_opts[] = {
	CLI_HEADING("Values"),
	{ KEY_SAMPLE_INDEX, "sample-index", "TYPE",
	  "report the values of TYPE, a name or a number" },
	{ KEY_INUSE_SPACE, "inuse-space", "[BOOL]",
	  "same as --sample-index=inuse_space" },
	{ KEY_INUSE_OBJECTS, "inuse-objects", "[BOOL]",
	  "same as --sample-index=inuse_objects" },
	{ KEY_ALLOC_SPACE, "alloc-space", "[BOOL]",
	  "same as --sample-index=alloc_space" },
	{ KEY_ALLOC_OBJECTS, "alloc-objects", "[BOOL]",
	  "same as --sample-index=alloc_objects" },
	{ KEY_TOTAL_DELAY, "total-delay", "[BOOL]",
	  "same as --sample-index=delay" },
	{ KEY_MEAN_DELAY, "mean-delay", "[BOOL]",
	  "same as --sample-index=delay --mean" },
	{ KEY_CONTENTIONS, "contentions", "[BOOL]",
	  "same as --sample-index=contentions" },
	{ KEY_MEAN, "mean", "[BOOL]",
	  "divide values by those of the first type" },
	{ KEY_UNIT, "unit", "UNIT", "print values in UNIT, or auto (minimum)" },
	{ KEY_DIVIDE_BY, "divide-by", "RATIO", "divide printed values" },
	CLI_HEADING("Nodes"),
	{ KEY_FUNCTIONS, "functions", "[BOOL]", "a node is a function" },
	{ KEY_FILEFUNCTIONS, "filefunctions", "[BOOL]",
	  "a node is a function of a file" },
	{ KEY_FILES, "files", "[BOOL]", "a node is a source file" },
	{ KEY_LINES, "lines", "[BOOL]", "a node is a source line" },
	{ KEY_ADDRESSES, "addresses", "[BOOL]", "a node is an address" },
	{ KEY_NOINLINES, "noinlines", "[BOOL]",
	  "count inlined functions as their callers" },
	{ KEY_SHOWCOLUMNS, "showcolumns", "[BOOL]",
	  "tell columns of a line apart" },
	CLI_HEADING("Limits"),
	{ KEY_NODECOUNT, "nodecount", "N", "show at most N nodes" },
	{ KEY_NODEFRACTION, "nodefraction", "F",
	  "hide nodes below F of the total (0.005)" },
	{ KEY_EDGEFRACTION, "edgefraction", "F",
	  "hide edges below F of the total (0.001)" },
	{ KEY_TRIM, "trim", "[BOOL]", "apply the three limits above (true)" },
	{ KEY_DROP_NEGATIVE, "drop-negative", "[BOOL]",
	  "hide nodes with negative values" },
	{ KEY_RELATIVE, "relative-percentages", "[BOOL]",
	  "100% is what the filters leave" },
	CLI_HEADING("File names"),
	{ KEY_TRIM_PATH, "trim-path", "PATH",
	  "cut the prefixes PATH (joined by ':') off file names" },
	{ KEY_SOURCE_PATH, "source-path", "PATH",
	  "cut file names after the folders PATH (joined by ':')" },
	{ 0 }
};

const struct cli_opt *const report_groups[] = { report_opts, refine_opts,
						NULL };

void
report_settings_init(struct report_settings *s)
{
	memset(s, 0, sizeof(*s));
	s->node_count = -1;
	s->o.divide_by = 1;
	s->o.graph.node_fraction = 0.005;
	s->o.graph.edge_fraction = 0.001;
}

/* Set the sample type of an option like --inuse-space; the first one counts. */
static void
set_type(struct report_settings *s, struct cli *cli, const char *option,
	 const char *type)
{
	if (!cli_bool(cli))
		return;
	if (s->o.sample_index && *s->o.sample_index)
		warn("multiple value selections, ignoring --%s", option);
	else
		s->o.sample_index = type;
}

static void
set_granularity(struct report_settings *s, struct cli *cli, const char *option,
		enum granularity by)
{
	if (!cli_bool(cli))
		return;
	if (s->granularity && strcmp(s->granularity, option))
		die("--%s and --%s exclude each other", s->granularity, option);
	s->granularity = option;
	s->o.frames.granularity = by;
}

static double
fraction(struct cli *cli, const char *option)
{
	const char *last = cli->arg + strcspn(cli->arg, "%");
	double v = *last ? 2 : cli_double(cli);

	if (v < 0)
		die("--%s: '%s' is negative", option, cli->arg);
	if (v > 1)
		die("--%s: '%s' is not a fraction from 0 to 1: 0.05 is 5 %%",
		    option, cli->arg);
	return v;
}

static bool
type_option(struct report_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_SAMPLE_INDEX:
		s->o.sample_index = cli->arg;
		return true;
	case KEY_INUSE_SPACE:
		set_type(s, cli, "inuse-space", "inuse_space");
		return true;
	case KEY_INUSE_OBJECTS:
		set_type(s, cli, "inuse-objects", "inuse_objects");
		return true;
	case KEY_ALLOC_SPACE:
		set_type(s, cli, "alloc-space", "alloc_space");
		return true;
	case KEY_ALLOC_OBJECTS:
		set_type(s, cli, "alloc-objects", "alloc_objects");
		return true;
	case KEY_TOTAL_DELAY:
		set_type(s, cli, "total-delay", "delay");
		return true;
	case KEY_MEAN_DELAY:
		set_type(s, cli, "mean-delay", "delay");
		s->o.mean |= cli_bool(cli);
		return true;
	case KEY_CONTENTIONS:
		set_type(s, cli, "contentions", "contentions");
		return true;
	case KEY_MEAN:
		s->o.mean = cli_bool(cli);
		return true;
	case KEY_UNIT:
		s->o.unit = cli->arg;
		return true;
	case KEY_DIVIDE_BY:
		s->o.divide_by = cli_double(cli);
		if (s->o.divide_by == 0)
			die("--divide-by: zero divisor");
		if (s->o.divide_by < 0)
			die("--divide-by: '%s' is negative", cli->arg);
		return true;
	}
	return false;
}

static bool
frame_option(struct report_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_FUNCTIONS:
		set_granularity(s, cli, "functions", BY_FUNCTION);
		return true;
	case KEY_FILEFUNCTIONS:
		set_granularity(s, cli, "filefunctions", BY_FILE_FUNCTION);
		return true;
	case KEY_FILES:
		set_granularity(s, cli, "files", BY_FILE);
		return true;
	case KEY_LINES:
		set_granularity(s, cli, "lines", BY_LINE);
		return true;
	case KEY_ADDRESSES:
		set_granularity(s, cli, "addresses", BY_ADDRESS);
		return true;
	case KEY_NOINLINES:
		s->o.frames.no_inlines = cli_bool(cli);
		return true;
	case KEY_SHOWCOLUMNS:
		s->o.frames.columns = cli_bool(cli);
		return true;
	case KEY_TRIM_PATH:
		s->o.frames.trim_path = cli->arg;
		return true;
	case KEY_SOURCE_PATH:
		s->o.frames.source_path = cli->arg;
		return true;
	}
	return false;
}

bool
report_option(struct report_settings *s, struct cli *cli, int key)
{
	switch (key) {
	case KEY_NODECOUNT:
		s->node_count = cli_int(cli, -1);
		return true;
	case KEY_NODEFRACTION:
		s->o.graph.node_fraction = fraction(cli, "nodefraction");
		return true;
	case KEY_EDGEFRACTION:
		s->o.graph.edge_fraction = fraction(cli, "edgefraction");
		return true;
	case KEY_TRIM:
		s->no_trim = !cli_bool(cli);
		return true;
	case KEY_DROP_NEGATIVE:
		s->o.graph.drop_negative = cli_bool(cli);
		return true;
	case KEY_RELATIVE:
		s->is_relative = cli_bool(cli);
		return true;
	}
	return type_option(s, cli, key) || frame_option(s, cli, key) ||
	       refine_option(&s->refine, cli, key);
}

void
report_settings_finish(struct report_settings *s, enum report_limit limit)
{
	struct graph_options *g = &s->o.graph;

	/* Unlike pprof, keep an explicit count even without trimming. */
	g->node_count = s->node_count;
	if (limit == REPORT_UNTRIMMED)
		g->node_count = 0;
	else if (s->node_count < 0)
		g->node_count = s->no_trim ? 0 : limit;
	if (limit == REPORT_UNTRIMMED || s->no_trim)
		g->node_fraction = g->edge_fraction = 0;
}

void
report_settings_release(struct report_settings *s)
{
	refine_release(&s->refine);
}
