/* drawing.c - see drawing.h. */
#include "config.h"

#include "drawing.h"

#include "cli/report-open.h"
#include "lib/report/dot.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"

enum prof_status
drawing_make(struct report *r, struct report_options *o, drawing_layout *layout,
	     double seconds, struct buf *out, struct prof_err *err)
{
	struct graph_options saved = o->graph;
	struct buf dot = { 0 };
	enum prof_status st;
	struct frames *f;
	struct graph *g;

	o->graph.order = GRAPH_BY_ENTROPY;
	o->graph.is_drawing = true;
	o->graph.edges = GRAPH_ALL_EDGES;
	report_open_graph(r, &f, &g);
	st = dot_write(r, g, true, &dot, err);
	if (st == PROF_OK)
		st = layout((const char *)dot.data, dot.n, "svg", seconds, out,
			    err);
	graph_free(g);
	frames_free(f);
	buf_release(&dot);
	o->graph = saved;
	report_choose_unit(r, NULL);
	return st;
}
