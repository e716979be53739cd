/*
 * graph.c - the steps of graph_new(), see graph.h; the walks over the samples
 * are in graph-sum.c and graph-edge.c.
 *
 * pprof builds the whole graph, and rebuilds it after each selection. A node's
 * sums do not depend on the selection. So the first walk here sums nodes alone,
 * and edges are collected once the nodes to be shown are known. Only drawings
 * select nodes by their edges, and may need the second walk twice.
 */
#include "config.h"

#include "graph.h"

#include <math.h>
#include <stdlib.h>

#include "graph-build.h"
#include "lib/base/arena.h"
#include "lib/model/units.h"

int64_t
graph_value(struct graph_sum s)
{
	return units_mean(s.value, s.divisor);
}

int64_t
graph_base_value(struct graph_sum s)
{
	return units_mean(units_sub(0, s.value), units_sub(0, s.divisor));
}

static int
desc(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

/* --- candidates --- */

/* List all candidates with a value; *sum is the sum of their flat. */
static enum prof_status
list_candidates(struct build *b, int64_t *sum)
{
	*sum = 0;
	b->list = malloc((b->n_candidate + 1) * sizeof(*b->list));
	if (!b->list)
		return prof_nomem(b->err);
	for (uint32_t c = 0; c < b->n_candidate; c++) {
		int64_t flat = b->flat[c], cum = b->tally[c].cum;

		if (!flat && !cum)
			continue;
		if (b->o->drop_negative && (flat < 0 || (!flat && cum < 0)))
			continue;
		b->list[b->n_list++] = c;
		*sum = units_add(*sum, flat);
	}
	return PROF_OK;
}

/* Remove candidates with a cum below cut from the list. */
static void
drop_light(struct build *b, int64_t cut)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n_list; i++)
		if (units_abs(b->tally[b->list[i]].cum) >= cut)
			b->list[kept++] = b->list[i];
	b->g->n_dropped_node = b->n_list - kept;
	b->n_list = kept;
}

static int
names_cmp(const struct build *b, uint32_t x, uint32_t y)
{
	int r = frames_cmp(b->f, b->tally[x].key, b->tally[y].key);

	return r ? r : (x > y) - (x < y);
}

/*
 * Compare by one value, then name, then the other value. Candidates of equal
 * name are ordered by sign and by key; in pprof their order is random.
 */
static int
values_cmp(const struct build *b, uint32_t x, uint32_t y, int64_t vx,
	   int64_t vy, int64_t wx, int64_t wy)
{
	const struct frame_key *k = b->f->key;
	int r = desc(units_abs(vx), units_abs(vy));

	if (!r && k[b->tally[x].key].text == k[b->tally[y].key].text) {
		r = desc(vx, vy);
		if (!r)
			r = desc(units_abs(wx), units_abs(wy));
		if (!r)
			r = desc(wx, wy);
	}
	return r ? r : names_cmp(b, x, y);
}

static int
flat_cmp(const void *p, const void *q, void *build)
{
	uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
	const struct build *b = build;

	return values_cmp(b, x, y, b->flat[x], b->flat[y], b->tally[x].cum,
			  b->tally[y].cum);
}

static int
cum_cmp(const void *p, const void *q, void *build)
{
	uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
	const struct build *b = build;

	return values_cmp(b, x, y, b->tally[x].cum, b->tally[y].cum, b->flat[x],
			  b->flat[y]);
}

/* --- entropy: for drawings --- */

struct entropy {
	struct build *b;
	int64_t *score; /* by candidate */
};

static int
score_cmp(const void *p, const void *q, void *entropy)
{
	uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
	const struct entropy *e = entropy;

	return values_cmp(e->b, x, y, e->score[x], e->score[y], e->b->flat[x],
			  e->b->flat[y]);
}

/*
 * A term of Shannon's sum, in units of 2^-50: the sum of integers does not
 * depend on their order. Shares above 1, from negative weights, have negative
 * terms, limited so that 2^31 of them fit; invalid shares count 0.
 */
static __int128
term(int64_t part, int64_t whole)
{
	double p = whole ? (double)units_abs(part) / (double)whole : 0;

	return p > 0 ? (__int128)fmax(-p * log2(p) * 0x1p50, -0x1p90) : 0;
}

/*
 * Score all nodes: cum times the entropy of the edges in and out (1 for a side
 * without edges), plus flat.
 */
static enum prof_status
score_nodes(struct entropy *e)
{
	const __int128 one = INT64_C(1) << 50;
	const struct graph *g = e->b->g;
	size_t n = g->n_node;
	struct side {
		int64_t whole;
		__int128 h; /* units of 2^-50 */
		bool any;
	} *in = calloc(n + 1, sizeof(*in)), *out = calloc(n + 1, sizeof(*out));

	if (!in || !out) {
		free(in);
		free(out);
		return prof_nomem(e->b->err);
	}
	for (size_t i = 0; i < n; i++)
		out[i].whole = g->node[i].flat.value;
	for (size_t i = 0; i < g->n_edge; i++) {
		struct side *from = &out[g->edge[i].from];
		struct side *to = &in[g->edge[i].to];
		int64_t w = g->edge[i].weight.value;

		from->any = to->any = true;
		if (w > 0) {
			from->whole = units_add(from->whole, w);
			to->whole = units_add(to->whole, w);
		}
	}
	for (size_t i = 0; i < g->n_edge; i++) {
		struct side *from = &out[g->edge[i].from];
		struct side *to = &in[g->edge[i].to];

		from->h += term(g->edge[i].weight.value, from->whole);
		to->h += term(g->edge[i].weight.value, to->whole);
	}
	for (size_t i = 0; i < n; i++) {
		const struct graph_node *node = &g->node[i];
		int64_t flat = node->flat.value;
		__int128 h = in[i].any ? in[i].h : one;

		if (out[i].any && flat > 0)
			out[i].h += term(flat, out[i].whole);
		h += out[i].any ? out[i].h : one;
		e->score[e->b->list[i]] = units_add(
			units_times(node->cum.value, (double)h * 0x1p-50),
			flat);
	}
	free(in);
	free(out);
	return PROF_OK;
}

static void
sort_by_value(struct build *b)
{
	qsort_r(b->list, b->n_list, sizeof(*b->list),
		b->o->order == GRAPH_BY_CUM ? cum_cmp : flat_cmp, b);
}

/* Sort the list, and the nodes made from it. */
static enum prof_status
sort_nodes(struct entropy *e)
{
	struct build *b = e->b;
	struct graph *g = b->g;
	struct graph_node *sorted;
	enum prof_status st = score_nodes(e);

	if (st != PROF_OK)
		return st;
	sorted = arena_array(g->arena, g->n_node, sizeof(*sorted));
	if (!sorted)
		return prof_nomem(b->err);
	/* place[] still has the old places. */
	if (b->o->order == GRAPH_BY_ENTROPY)
		qsort_r(b->list, b->n_list, sizeof(*b->list), score_cmp, e);
	else
		sort_by_value(b);
	for (uint32_t i = 0; i < g->n_node; i++)
		sorted[i] = g->node[b->place[b->list[i]]];
	/* Map old places to new ones; score[] is free for it. */
	for (uint32_t i = 0; i < g->n_node; i++)
		e->score[b->place[b->list[i]]] = i;
	for (size_t i = 0; i < g->n_edge; i++) {
		g->edge[i].from = (uint32_t)e->score[g->edge[i].from];
		g->edge[i].to = (uint32_t)e->score[g->edge[i].to];
	}
	for (uint32_t i = 0; i < g->n_node; i++)
		b->place[b->list[i]] = i;
	g->node = sorted;
	return PROF_OK;
}

static void
trim_tags(struct graph *g, int64_t cut)
{
	for (size_t i = 0; i < g->n_node; i++) {
		struct graph_node *n = &g->node[i];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < n->n_tag; k++) {
			const struct graph_tag *t = &g->tag[n->tag + k];

			if (units_abs(t->flat.value) >= cut ||
			    units_abs(t->cum.value) >= cut)
				g->tag[n->tag + kept++] = *t;
		}
		n->n_tag = kept;
	}
}

/* The number of first nodes that use up node_count, where tags count, too. */
static size_t
count_visible(const struct graph *g, int64_t node_count)
{
	int64_t used = 0;

	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];
		int tags = 0;

		for (uint32_t k = 0; k < n->n_tag && tags < GRAPH_MAX_TAGS; k++)
			tags += g->tag[n->tag + k].flat.value != 0;
		used += 1 + tags;
		if (used >= node_count)
			return i + 1;
	}
	return g->n_node;
}

/*
 * Paths with light edges become roots of new trees: pprof drops such edges
 * before it removes nodes from a tree, but rebuilds other graphs.
 */
static void
cut_branches(struct build *b, int64_t edge_cut)
{
	for (uint32_t n = 0; n < b->g->n_node; n++)
		if (units_abs(b->g->node[n].cum.value) < edge_cut)
			b->parent[b->list[n]] = GRAPH_NONE;
}

static enum prof_status
build_drawing(struct build *b, uint32_t others, int64_t node_cut,
	      int64_t edge_cut)
{
	struct entropy e = { .b = b };
	enum prof_status st;
	size_t n;

	e.score = calloc(b->n_candidate + 1, sizeof(*e.score));
	if (!e.score)
		return prof_nomem(b->err);
	st = build_nodes(b, others, 0);
	if (st == PROF_OK)
		st = sort_nodes(&e);
	if (st == PROF_OK && b->o->node_count > 0) {
		trim_tags(b->g, node_cut);
		n = count_visible(b->g, b->o->node_count);
		if (n < b->n_list) {
			if (b->o->call_tree)
				cut_branches(b, edge_cut);
			b->n_list = n;
			b->is_rebuilt = true;
			st = build_nodes(b, PLACE_DROPPED, 0);
			if (st == PROF_OK)
				st = sort_nodes(&e);
		}
	}
	if (st == PROF_OK)
		trim_tags(b->g, node_cut);
	free(e.score);
	return st;
}

static enum prof_status
build_table(struct build *b, uint32_t others, int64_t edge_cut)
{
	sort_by_value(b);
	if (b->o->node_count > 0 && b->n_list > (uint64_t)b->o->node_count) {
		b->n_list = (size_t)b->o->node_count;
		others = PLACE_DROPPED;
	}
	return build_nodes(b, others, edge_cut);
}

/* --- edges --- */

static int
edge_cmp(const void *p, const void *q, void *graph)
{
	const struct graph_edge *x = p, *y = q;
	const struct graph *g = graph;
	int64_t v = x->weight.value, w = y->weight.value;
	int r;

	if ((r = desc(units_abs(v), units_abs(w))) || (r = desc(v, w)) ||
	    (r = frames_cmp(g->frames, g->node[x->from].key,
			    g->node[y->from].key)) ||
	    (r = frames_cmp(g->frames, g->node[x->to].key, g->node[y->to].key)))
		return r;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Remove the edges lighter than cut, and sort the others. */
static void
trim_edges(struct graph *g, int64_t cut)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->n_edge; i++)
		if (units_abs(g->edge[i].weight.value) >= cut)
			g->edge[kept++] = g->edge[i];
	g->n_dropped_edge = g->n_edge - kept;
	g->n_edge = kept;
	if (kept)
		qsort_r(g->edge, kept, sizeof(*g->edge), edge_cmp, g);
}

/* Fill in[] and out[] from edge[]: each run keeps its order. */
static enum prof_status
link_edges(struct graph *g, struct prof_err *err)
{
	uint32_t in = 0, out = 0;

	if (!g->in) {
		g->in = arena_array(g->arena, g->n_edge, sizeof(*g->in));
		g->out = arena_array(g->arena, g->n_edge, sizeof(*g->out));
		if (!g->in || !g->out)
			return prof_nomem(err);
	}
	for (size_t i = 0; i < g->n_node; i++)
		g->node[i].n_in = g->node[i].n_out = 0;
	for (size_t i = 0; i < g->n_edge; i++) {
		g->node[g->edge[i].from].n_out++;
		g->node[g->edge[i].to].n_in++;
	}
	for (size_t i = 0; i < g->n_node; i++) {
		g->node[i].in = in;
		g->node[i].out = out;
		in += g->node[i].n_in;
		out += g->node[i].n_out;
		g->node[i].n_in = g->node[i].n_out = 0;
	}
	for (uint32_t i = 0; i < g->n_edge; i++) {
		struct graph_node *from = &g->node[g->edge[i].from];
		struct graph_node *to = &g->node[g->edge[i].to];

		g->out[from->out + from->n_out++] = i;
		g->in[to->in + to->n_in++] = i;
	}
	return PROF_OK;
}

struct search {
	bool *is_gone;  /* by edge */
	uint32_t *seen; /* by node: the edge searched for, + 1 */
	uint32_t *queue;
};

/* Is there another path from the edge's source to its end? Searches
 * backward. */
static bool
has_way_around(const struct graph *g, struct search *s, uint32_t edge)
{
	uint32_t from = g->edge[edge].from;
	size_t head = 0, tail = 0;

	s->queue[tail++] = g->edge[edge].to;
	s->seen[g->edge[edge].to] = edge + 1;
	while (head < tail) {
		const struct graph_node *n = &g->node[s->queue[head++]];

		for (uint32_t k = 0; k < n->n_in; k++) {
			uint32_t e = g->in[n->in + k], up = g->edge[e].from;

			if (e == edge || s->is_gone[e] ||
			    s->seen[up] == edge + 1)
				continue;
			if (up == from)
				return true;
			s->seen[up] = edge + 1;
			s->queue[tail++] = up;
		}
	}
	return false;
}

/*
 * Remove redundant residual edges: from the last node to the first, the
 * lightest first, up to the first edge that is not residual.
 */
static enum prof_status
drop_redundant(struct graph *g, struct prof_err *err)
{
	struct search s = { calloc(g->n_edge + 1, sizeof(*s.is_gone)),
			    calloc(g->n_node + 1, sizeof(*s.seen)),
			    malloc((g->n_node + 1) * sizeof(*s.queue)) };
	enum prof_status st = PROF_OK;
	size_t kept = 0;

	if (!s.is_gone || !s.seen || !s.queue) {
		st = prof_nomem(err);
		goto out;
	}
	for (size_t i = g->n_node; i-- > 0;) {
		const struct graph_node *n = &g->node[i];

		for (uint32_t k = n->n_in; k-- > 0;) {
			uint32_t e = g->in[n->in + k];

			if (!g->edge[e].is_residual)
				break;
			s.is_gone[e] = has_way_around(g, &s, e);
		}
	}
	for (size_t i = 0; i < g->n_edge; i++)
		if (!s.is_gone[i])
			g->edge[kept++] = g->edge[i];
	g->n_edge = kept;
	st = link_edges(g, err);
out:
	free(s.is_gone);
	free(s.seen);
	free(s.queue);
	return st;
}

/* --- the whole --- */

static int64_t
cutoff(int64_t sum, double fraction)
{
	return units_abs(units_times(sum, fraction));
}

static enum prof_status
build_graph(struct build *b)
{
	const struct graph_options *o = b->o;
	enum prof_status st;
	uint32_t others = PLACE_HIDDEN;
	int64_t sum, node_cut, edge_cut;

	st = o->call_tree ? build_tree_sums(b) : build_sums(b);
	if (st == PROF_OK)
		st = list_candidates(b, &sum);
	if (st != PROF_OK)
		return st;
	node_cut = cutoff(sum, o->node_fraction);
	edge_cut = cutoff(sum, o->edge_fraction);
	if (node_cut > 0)
		drop_light(b, node_cut);
	if (b->g->n_dropped_node)
		others = PLACE_DROPPED;
	b->g->n_before = b->n_list;

	if (b->tags && tagger_init(b->tags, b, node_cut) < 0)
		return prof_nomem(b->err);
	if (o->is_drawing)
		st = build_drawing(b, others, node_cut, edge_cut);
	else
		st = build_table(b, others, edge_cut);
	if (st != PROF_OK)
		return st;
	trim_edges(b->g, edge_cut);
	/* pprof drops them before it counts, unless nodes were removed, too. */
	if (o->node_count > 0 && !b->is_rebuilt)
		b->g->n_dropped_edge = 0;
	st = link_edges(b->g, b->err);
	if (st == PROF_OK && o->is_drawing)
		st = drop_redundant(b->g, b->err);
	return st;
}

enum prof_status
graph_new(const struct frames *f, const struct graph_options *o,
	  struct graph **out, struct prof_err *err)
{
	struct arena *a = arena_new();
	struct graph *g = a ? arena_alloc(a, sizeof(*g)) : NULL;
	struct build b = { .f = f, .p = f->p, .o = o, .err = err, .g = g };
	struct tagger tags = { 0 };
	enum prof_status st;

	*out = NULL;
	if (!g) {
		arena_free(a);
		return prof_nomem(err);
	}
	*g = (struct graph){ .frames = f, .arena = a };
	if (o->tags)
		b.tags = &tags;
	st = build_graph(&b);
	tagger_release(&tags);
	pairs_release(&b.path);
	free(b.tally);
	free(b.flat);
	free(b.cum_divisor);
	free(b.flat_divisor);
	free(b.place);
	free(b.parent);
	free(b.is_inlined);
	free(b.list);
	if (st == PROF_OK)
		*out = g;
	else
		graph_free(g);
	return st;
}

void
graph_free(struct graph *g)
{
	if (g)
		arena_free(g->arena);
}
