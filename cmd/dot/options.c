/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <string.h>

#include "graphviz/render.h"

enum {
	KEY_CALL_TREE = CLI_LONG,
	KEY_LAYOUT_TIMEOUT,
	KEY_FLAT,
	KEY_CUM,
};

const struct cli_opt dot_opts[] = {
	{ 'T', "format", "FORMAT",
	  "draw dot, svg, png, pdf, ps, jpg or gif (what -o's name ends in, or "
	  "dot)" },
	{ KEY_CALL_TREE, "call-tree", "[BOOL]",
	  "draw each path as a branch of its own" },
	{ KEY_FLAT, "flat", "[BOOL]",
	  "prefer nodes by their own value where --nodecount chooses" },
	{ KEY_CUM, "cum", "[BOOL]", "prefer them by value with callees" },
	{ KEY_LAYOUT_TIMEOUT, "layout-timeout", "SECONDS",
	  "give up when the layout takes longer (60; 0: never)" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

/* The format that the end of the output's name says, or dot. */
static const char *
by_name(const char *const *formats, const char *output)
{
	const char *end = output ? strrchr(output, '.') : NULL;

	while (end && *formats && strcmp(*formats, end + 1) != 0)
		formats++;
	return end && *formats ? *formats : "dot";
}

void
dot_settings_parse(struct dot_settings *s, struct cli *cli)
{
	static const char *const formats[] = { "dot", "svg", "png", "pdf",
					       "ps",  "jpg", "gif", NULL };
	int key;

	memset(s, 0, sizeof(*s));
	s->timeout = 60;
	report_settings_init(&s->report);
	s->report.o.graph.order = GRAPH_BY_ENTROPY;
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case 'T':
			s->format = formats[cli_word(cli, "format", formats)];
			break;
		case KEY_CALL_TREE:
			s->report.o.graph.call_tree = cli_bool(cli);
			break;
		case KEY_FLAT:
			if (cli_bool(cli))
				s->report.o.graph.order = GRAPH_BY_FLAT;
			break;
		case KEY_CUM:
			if (cli_bool(cli))
				s->report.o.graph.order = GRAPH_BY_CUM;
			break;
		case KEY_LAYOUT_TIMEOUT:
			s->timeout = cli_double(cli);
			break;
		default:
			report_option(&s->report, cli, key);
		}
	}
	if (!s->format)
		s->format = by_name(formats, cli->output);
	if (strcmp(s->format, "dot") != 0 && !render_knows(s->format))
		die("-T %s: this build has no graphviz; without -T, DOT is "
		    "written",
		    s->format);
}
