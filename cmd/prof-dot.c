/*
 * prof-dot.c - the call graph of a profile, as DOT or as a picture. What is
 * drawn, and how, is in lib/report/dot.c; Graphviz is behind render.h.
 */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/report-open.h"
#include "dot/render.h"
#include "lib/model/profile.h"
#include "lib/report/dot.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"

enum {
	KEY_CALL_TREE = CLI_LONG,
	KEY_LAYOUT_TIMEOUT,
	KEY_FLAT,
	KEY_CUM,
};

/* What dot(1) can lay out within minutes, and an eye can make sense of. */
enum { MAX_NODES = 2000, MAX_EDGES = 10000 };

static const struct cli_opt opts[] = {
	{ 'T', "format", "FORMAT",
	  "draw dot, svg, png, pdf, ps, jpg or gif (dot)" },
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

static const struct cli_cmd cmd = {
	.name = "prof-dot",
	.args = "[FILE...]",
	.brief = "draw the call graph of a profile",
	.opts = opts,
	.groups = report_groups,
};

struct settings {
	const char *format;
	double timeout; /* seconds */
	struct report_settings report;
};

static void
parse(struct settings *s, struct cli *cli)
{
	int key;

	s->format = "dot";
	s->timeout = 60;
	report_settings_init(&s->report);
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case 'T':
			s->format = cli->arg;
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
	if (!strcmp(s->format, "dot"))
		return;
	if (!render_knows("svg"))
		die("-T %s: this build has no graphviz; without -T, DOT is "
		    "written",
		    s->format);
	if (!render_knows(s->format))
		die("-T %s: not one of dot, svg, png, pdf, ps, jpg, gif",
		    s->format);
}

/* Layout cannot be interrupted from inside: the process ends with it. */
static void
give_up(int sig)
{
	static const char msg[] =
		"prof-dot: the layout takes too long; draw less with "
		"--nodecount, or raise --layout-timeout\n";

	(void)sig;
	if (write(STDERR_FILENO, msg, sizeof(msg) - 1) < 0)
		_exit(CLI_TROUBLE);
	_exit(CLI_TROUBLE);
}

static void
set_deadline(double seconds)
{
	struct itimerval t = { 0 };

	if (seconds <= 0)
		return;
	t.it_value.tv_sec = (time_t)fmin(seconds, 1e9);
	t.it_value.tv_usec = (suseconds_t)(fmod(seconds, 1) * 1e6);
	if (t.it_value.tv_sec == 0 && t.it_value.tv_usec == 0)
		t.it_value.tv_usec = 1;
	signal(SIGALRM, give_up);
	setitimer(ITIMER_REAL, &t, NULL);
}

static void
draw(struct cli *cli, const struct settings *s, struct report *r)
{
	bool is_dot = !strcmp(s->format, "dot");
	struct buf dot = { 0 }, picture = { 0 }, *result = &dot;
	struct prof_err err;
	struct frames *f;
	struct graph *g;

	report_open_graph(r, &f, &g);
	if (!is_dot && (g->n_node > MAX_NODES || g->n_edge > MAX_EDGES))
		die("%zu nodes and %zu edges are too many to lay out; draw "
		    "less with --nodecount",
		    g->n_node, g->n_edge);
	if (dot_write(r, g, !is_dot, &dot, &err) != PROF_OK)
		die("%s", err.msg);
	graph_free(g);
	frames_free(f);
	if (!is_dot) {
		set_deadline(s->timeout);
		if (render((char *)dot.data, dot.n, s->format, &picture,
			   &err) != PROF_OK)
			die("%s", err.msg);
		set_deadline(0);
		signal(SIGALRM, SIG_IGN);
		result = &picture;
	}
	cli_bytes(cli, result->data, result->n,
		  is_dot || !strcmp(s->format, "svg"));
	buf_release(&dot);
	buf_release(&picture);
}

int
main(int argc, char **argv)
{
	struct settings s = { 0 };
	struct report r;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	parse(&s, &cli);
	report_settings_finish(&s.report, REPORT_DRAWING);
	s.report.o.graph.order = GRAPH_BY_ENTROPY;
	s.report.o.graph.edges = GRAPH_ALL_EDGES;
	s.report.o.graph.tags = true;
	s.report.o.graph.tag_unit = s.report.o.unit;

	report_open(&r, &s.report, &cli);
	draw(&cli, &s, &r);
	report_close(&r, &s.report);
	return cli_finish(&cli, EXIT_SUCCESS);
}
