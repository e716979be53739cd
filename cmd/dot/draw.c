/* draw.c - see draw.h. */
#include "config.h"

#include "draw.h"

#include <string.h>

#include "cli/report-open.h"
#include "graphviz/layout.h"
#include "lib/report/dot.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "options.h"

/* Limits of a layout that dot(1) finishes within minutes, and that is
 * readable. */
enum { MAX_NODES = 2000, MAX_EDGES = 10000 };

static void
draw(struct cli *cli, const struct dot_settings *s, struct report *r)
{
	bool is_dot = !strcmp(s->format, "dot");
	struct buf dot = { 0 }, picture = { 0 }, *result = &dot;
	enum prof_status st;
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
		st = layout((char *)dot.data, dot.n, s->format, s->timeout,
			    &picture, &err);
		if (st == PROF_ELIMIT)
			die("%s; draw less with --nodecount, or raise "
			    "--layout-timeout",
			    err.msg);
		if (st != PROF_OK)
			die("%s", err.msg);
		result = &picture;
	}
	cli_bytes(cli, result->data, result->n,
		  is_dot ? CLI_TEXT : CLI_PICTURE);
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
