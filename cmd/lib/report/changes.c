/*
 * changes.c - see changes.h. Each side is a separate graph, without edges and
 * untrimmed. A node's cum counts a sample once, and a sample belongs to one
 * side, so after - before equals the value in a graph of both.
 */
#include "config.h"

#include "changes.h"

#include <stdlib.h>

#include "frames.h"
#include "graph.h"
#include "lib/model/labels.h"
#include "report.h"

/* Add one side to the rows; at[key] is the row of a key, + 1. */
static enum prof_status
add_side(struct changes *c, const struct report *r, bool base, uint32_t *at,
	 struct prof_err *err)
{
	struct graph_options o = {
		.column = r->column,
		.mean = r->o->mean,
		.edges = GRAPH_NO_EDGES,
	};
	bool *leave_out = base_mark_samples(r->p, !base);
	struct graph *g = NULL;
	enum prof_status st;

	if (!leave_out)
		return prof_nomem(err);
	o.leave_out = leave_out;
	st = graph_new(c->frames, &o, &g, err);
	for (size_t i = 0; st == PROF_OK && i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];
		struct change_row *row;

		if (!at[n->key]) {
			at[n->key] = (uint32_t)++c->n_row;
			c->row[c->n_row - 1].key = n->key;
		}
		row = &c->row[at[n->key] - 1];
		if (base) {
			row->flat.before = graph_base_value(n->flat);
			row->cum.before = graph_base_value(n->cum);
		} else {
			row->flat.after = graph_value(n->flat);
			row->cum.after = graph_value(n->cum);
		}
	}
	graph_free(g);
	free(leave_out);
	return st;
}

static bool
is_negative(const struct change_row *row)
{
	int64_t flat = change_size(row->flat);

	return flat < 0 || (flat == 0 && change_size(row->cum) < 0);
}

static void
choose_rows(struct changes *c, const struct report *r, bool keep_same)
{
	size_t kept = 0;

	c->cut = units_abs(units_times(r->total, r->o->graph.node_fraction));
	for (size_t i = 0; i < c->n_row; i++) {
		const struct change_row *row = &c->row[i];

		if (r->o->graph.drop_negative && is_negative(row))
			continue;
		if (!keep_same && change_size(changes_main(c, row)) == 0)
			c->n_same++;
		else if (units_abs(change_size(row->cum)) < c->cut)
			c->n_dropped++;
		else
			c->row[kept++] = *row;
	}
	c->n_row = c->n_before = kept;
}

static int
row_cmp(const void *p, const void *q, void *changes)
{
	const struct change_row *x = p, *y = q;
	const struct changes *c = changes;
	int64_t a = units_abs(change_size(changes_main(c, x)));
	int64_t b = units_abs(change_size(changes_main(c, y)));

	return a != b ? (a < b) - (a > b)
		      : frames_cmp(c->frames, x->key, y->key);
}

enum prof_status
changes_new(const struct report *r, bool keep_same, struct changes **out,
	    struct prof_err *err)
{
	const struct graph_options *o = &r->o->graph;
	struct changes *c = calloc(1, sizeof(*c));
	uint32_t *at = NULL;
	enum prof_status st;

	*out = NULL;
	if (!c)
		return prof_nomem(err);
	c->by_cum = o->order == GRAPH_BY_CUM;
	st = frames_new(r->p, &r->o->frames, &c->frames, err);
	if (st != PROF_OK)
		goto out;
	at = calloc(c->frames->n_key + 1, sizeof(*at));
	c->row = calloc(c->frames->n_key + 1, sizeof(*c->row));
	if (!at || !c->row) {
		st = prof_nomem(err);
		goto out;
	}
	st = add_side(c, r, true, at, err);
	if (st == PROF_OK)
		st = add_side(c, r, false, at, err);
	if (st != PROF_OK)
		goto out;
	choose_rows(c, r, keep_same);
	qsort_r(c->row, c->n_row, sizeof(*c->row), row_cmp, c);
	if (o->node_count > 0 && c->n_row > (uint64_t)o->node_count)
		c->n_row = (size_t)o->node_count;
out:
	free(at);
	if (st == PROF_OK)
		*out = c;
	else
		changes_free(c);
	return st;
}

void
changes_free(struct changes *c)
{
	if (!c)
		return;
	free(c->row);
	frames_free(c->frames);
	free(c);
}

static void
keep_smaller(int64_t *min, int64_t v)
{
	v = units_abs(v);
	if (v && (*min == 0 || v < *min))
		*min = v;
}

int64_t
changes_smallest(const struct changes *c)
{
	int64_t min = 0;

	for (size_t i = 0; i < c->n_row; i++) {
		struct change v = changes_main(c, &c->row[i]);

		keep_smaller(&min, v.before);
		keep_smaller(&min, v.after);
		keep_smaller(&min, change_size(v));
	}
	return min;
}
