/* draw.c - see draw.h. */
#include "config.h"

#include "draw.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/report-open.h"
#include "lib/report/dot.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "options.h"
#include "render.h"

/* Limits of a layout that dot(1) finishes within minutes, and that is
 * readable. */
enum { MAX_NODES = 2000, MAX_EDGES = 10000 };

/* The layout cannot be interrupted, so end the process. */
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
draw(struct cli *cli, const struct dot_settings *s, struct report *r)
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

void
dot_draw(struct dot_settings *s, struct profile *p, struct cli *cli)
{
	struct graph_options *g = &s->report.o.graph;
	struct report r;

	report_settings_finish(&s->report, REPORT_DRAWING);
	g->is_drawing = true;
	g->edges = GRAPH_ALL_EDGES;
	g->tags = true;
	g->tag_unit = s->report.o.unit;
	report_open(&r, &s->report, p);
	draw(cli, s, &r);
	report_close(&r, &s->report);
}
