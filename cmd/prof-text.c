/* prof-text.c - reports as text; what they look like is in lib/text.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "lib/frames.h"
#include "lib/graph.h"
#include "lib/profile.h"
#include "lib/report.h"
#include "lib/text.h"
#include "report-options.h"

enum {
	KEY_TOP = CLI_LONG,
	KEY_TEXT,
	KEY_TREE,
	KEY_FLAT,
	KEY_CUM,
	KEY_COMPACT,
};

static const struct cli_opt opts[] = {
	{ KEY_TOP, "top", "[BOOL]", "print a table of functions (default)" },
	{ KEY_TEXT, "text", "[BOOL]", "same as --top" },
	{ KEY_TREE, "tree", "[BOOL]", "print callers and callees, too" },
	{ KEY_FLAT, "flat", "[BOOL]", "sort by own value (default)" },
	{ KEY_CUM, "cum", "[BOOL]", "sort by value with callees" },
	{ KEY_COMPACT, "compact-labels", "[BOOL]",
	  "leave out the header lines of the profile" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const struct cli_opt *const groups[] = { report_opts, NULL };

static const struct cli_cmd cmd = {
	.name = "prof-text",
	.args = "[FILE]",
	.brief = "print a profile as text",
	.opts = opts,
	.groups = groups,
};

enum format {
	FORMAT_TOP,
	FORMAT_TREE,
};

struct settings {
	enum format format;
	const char *format_option; /* that chose it, or NULL */
	struct report_settings report;
};

static void
set_format(struct settings *s, struct cli *cli, const char *option,
	   enum format format)
{
	if (cli->arg && !cli_bool(cli))
		return;
	if (s->format_option && s->format != format)
		die("--%s and --%s exclude each other", s->format_option,
		    option);
	s->format_option = option;
	s->format = format;
}

static void
parse(struct settings *s, struct cli *cli)
{
	int key;

	report_settings_init(&s->report);
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case KEY_TOP:
			set_format(s, cli, "top", FORMAT_TOP);
			break;
		case KEY_TEXT:
			set_format(s, cli, "text", FORMAT_TOP);
			break;
		case KEY_TREE:
			set_format(s, cli, "tree", FORMAT_TREE);
			break;
		case KEY_FLAT:
			if (cli_bool(cli))
				s->report.o.graph.order = GRAPH_BY_FLAT;
			break;
		case KEY_CUM:
			if (cli_bool(cli))
				s->report.o.graph.order = GRAPH_BY_CUM;
			break;
		case KEY_COMPACT:
			s->report.o.compact_labels = cli_bool(cli);
			break;
		default:
			report_option(&s->report, cli, key);
		}
	}
}

static void
print_graph(struct cli *cli, const struct settings *s, struct report *r)
{
	struct prof_err err;
	enum prof_status st;
	struct frames *f;
	struct graph *g;

	if (report_graph(r, &f, &g, &err) != PROF_OK)
		die("%s", err.msg);
	report_choose_unit(r, g);
	if (s->format == FORMAT_TREE)
		st = text_tree(cli_text(cli), r, g, NULL, &err);
	else
		st = text_top(cli_text(cli), r, g, NULL, &err);
	if (st != PROF_OK)
		die("%s", err.msg);
	graph_free(g);
	frames_free(f);
}

int
main(int argc, char **argv)
{
	struct settings s = { 0 };
	struct prof_err err;
	struct report r;
	struct profile *p;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	parse(&s, &cli);
	report_settings_finish(&s.report, s.format == FORMAT_TREE
						  ? REPORT_DRAWING
						  : REPORT_ALL);
	s.report.o.graph.edges =
		s.format == FORMAT_TREE ? GRAPH_ALL_EDGES : GRAPH_INLINE_EDGES;

	p = cli_read_all(&cli);
	if (report_init(&r, p, &s.report.o, &err) != PROF_OK)
		die("%s", err.msg);
	if (r.is_saturated)
		warn("sums do not fit in 64 bits and are cut");
	print_graph(&cli, &s, &r);
	profile_free(p);
	return cli_finish(&cli, EXIT_SUCCESS);
}
