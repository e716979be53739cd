/* text.c - the tables of nodes: top, tree and peek. See text.h. */
#include "config.h"

#include "text.h"

#include "graph.h"
#include "lib/model/units.h"
#include "report.h"
#include "text-print.h"

static bool
has_row(const struct report *r, const struct graph_node *n)
{
	return n->is_wanted &&
	       report_has_row(r, graph_value(n->flat), graph_value(n->cum));
}

/* Print how many rows the limits omit. */
static void
put_hidden(FILE *out, const struct report *r, const struct graph *g)
{
	struct quantity q;
	size_t n = 0;

	for (size_t i = 0; i < g->n_node; i++)
		n += g->node[i].is_wanted && !has_row(r, &g->node[i]);
	if (n == 0)
		return;
	fprintf(out, "Left out %zu node%s (", n, n == 1 ? "" : "s");
	if (r->min_flat) {
		report_format(r, &q, r->min_flat);
		fputs("flat < ", out);
		text_put_quantity(out, 0, &q);
	}
	if (r->min_cum) {
		report_format(r, &q, r->min_cum);
		fputs(r->min_flat ? " or cum < " : "cum < ", out);
		text_put_quantity(out, 0, &q);
	}
	fputs(")\n", out);
}

/* The header lines, and the rows that are left out. PROF_ENOMEM. */
static enum prof_status
put_header(FILE *out, const struct report *r, const struct graph *g,
	   struct prof_err *err)
{
	struct buf legend = { 0 };
	enum prof_status st = report_legend(r, g, false, &legend, err);

	if (st == PROF_OK) {
		fwrite(legend.data, 1, legend.n, out);
		put_hidden(out, r, g);
	}
	buf_release(&legend);
	return st;
}

/* "%10s %s %s %10s %s": flat and cum of n; *sum runs over flat. */
static void
put_node(FILE *out, const struct report *r, const struct graph_node *n,
	 int64_t *sum)
{
	int64_t flat = graph_value(n->flat), cum = graph_value(n->cum);
	char of_total[UNITS_PERCENT], so_far[UNITS_PERCENT];
	struct quantity q;

	*sum = units_add(*sum, flat);
	units_percent(of_total, flat, r->total);
	units_percent(so_far, *sum, r->total);
	report_format(r, &q, flat);
	text_put_quantity(out, 10, &q);
	putc_unlocked(' ', out);
	fputs(of_total, out);
	putc_unlocked(' ', out);
	fputs(so_far, out);
	putc_unlocked(' ', out);
	units_percent(of_total, cum, r->total);
	report_format(r, &q, cum);
	text_put_quantity(out, 10, &q);
	putc_unlocked(' ', out);
	fputs(of_total, out);
}

/* Was the node inlined, by the edges that are shown? */
static const char *
inline_mark(const struct graph *g, const struct graph_node *n)
{
	uint32_t inlined = 0;

	for (uint32_t k = 0; k < n->n_in; k++)
		inlined += g->edge[g->in[n->in + k]].is_inlined;
	return inlined == 0         ? ""
	       : inlined == n->n_in ? " (inline)"
				    : " (partial-inline)";
}

enum prof_status
text_top(FILE *out, const struct report *r, const struct graph *g,
	 struct prof_err *err)
{
	enum prof_status st = put_header(out, r, g, err);
	int64_t sum = 0;

	if (st != PROF_OK)
		return st;
	fputs("      flat  flat%   sum%        cum   cum%\n", out);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];

		if (!has_row(r, n))
			continue;
		put_node(out, r, n, &sum);
		fputs("  ", out);
		text_put_str(out, graph_name(g, n));
		fputs(inline_mark(g, n), out);
		putc_unlocked('\n', out);
	}
	return PROF_OK;
}

/* --- with callers and callees --- */

static const char rule[] =
	"----------------------------------------------------------"
	"+-------------\n";

/* One caller or callee of node n: the other end of edge e. */
static void
put_neighbour(FILE *out, const struct report *r, const struct graph *g,
	      const struct graph_node *n, const struct graph_edge *e,
	      uint32_t other)
{
	char percent[UNITS_PERCENT];
	struct quantity q;

	units_percent(percent, graph_value(e->weight), graph_value(n->cum));
	report_format(r, &q, graph_value(e->weight));
	text_put_quantity(out, 50, &q);
	fprintf(out, " %s |   ", percent);
	text_put_str(out, graph_name(g, &g->node[other]));
	fputs(e->is_inlined ? " (inline)\n" : "\n", out);
}

enum prof_status
text_tree(FILE *out, const struct report *r, const struct graph *g,
	  struct prof_err *err)
{
	enum prof_status st = put_header(out, r, g, err);
	int64_t sum = 0;

	if (st != PROF_OK)
		return st;
	fputs(rule, out);
	fputs("      flat  flat%   sum%        cum   cum%   calls calls% + "
	      "context \t \t \n",
	      out);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];

		if (!has_row(r, n))
			continue;
		fputs(rule, out);
		for (uint32_t k = 0; k < n->n_in; k++) {
			const struct graph_edge *e = &g->edge[g->in[n->in + k]];

			put_neighbour(out, r, g, n, e, e->from);
		}
		put_node(out, r, n, &sum);
		fputs("                | ", out);
		text_put_str(out, graph_name(g, n));
		putc('\n', out);
		for (uint32_t k = 0; k < n->n_out; k++) {
			const struct graph_edge *e =
				&g->edge[g->out[n->out + k]];

			put_neighbour(out, r, g, n, e, e->to);
		}
	}
	if (g->n_node)
		fputs(rule, out);
	return PROF_OK;
}
