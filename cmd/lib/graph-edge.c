/*
 * graph-edge.c - nodes, edges and tags of the candidates that were selected,
 * see graph-build.h. The second walk over the stacks; it is skipped when
 * nobody wants what it would find.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "graph-build.h"
#include "profile.h"
#include "units.h"

/* Which edges of a node are wanted. */
enum { WANT_IN = 1, WANT_OUT = 2 };

struct walk {
	struct build *b;
	uint32_t *place; /* of frames.node[]: saves a step for each frame */
	uint8_t *want;   /* of each node */
	struct pairs edges;
	size_t cap_edge;
	struct tagger tags;
	uint32_t *seen; /* of each node: the last sample + 1, for tags */
};

/* An edge that is new goes to the end of g->edge. */
static struct graph_edge *
new_edge(struct build *b, size_t *cap, uint32_t from, uint32_t to)
{
	struct graph *g = b->g;
	struct graph_edge *grown = arena_grow(g->arena, g->edge, cap,
					      g->n_edge + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	g->edge = grown;
	grown[g->n_edge] = (struct graph_edge){ .from = from,
						.to = to,
						.is_inlined = true };
	return &grown[g->n_edge++];
}

static int
count_edge(struct walk *k, uint32_t stamp, uint32_t from, uint32_t to,
	   struct graph_sum weight, bool is_residual, bool is_inlined)
{
	struct pair_slot *s = pairs_add(&k->edges, from, to);
	struct graph_edge *e;

	if (!s)
		return -1;
	if (s->stamp == stamp)
		return 0;
	s->stamp = stamp;
	if (s->index > k->b->g->n_edge)
		e = new_edge(k->b, &k->cap_edge, from, to);
	else
		e = &k->b->g->edge[s->index - 1];
	if (!e)
		return -1;
	e->weight.value = units_add(e->weight.value, weight.value);
	e->weight.divisor = units_add(e->weight.divisor, weight.divisor);
	e->is_residual |= is_residual;
	e->is_inlined &= is_inlined;
	return 0;
}

/* One stack, from its root to its leaf. */
static int
walk_stack(struct walk *k, size_t i, struct graph_sum w)
{
	const struct build *b = k->b;
	const struct sample *s = &b->p->sample[i];
	const uint32_t *stack = profile_stack(b->p, s);
	const uint32_t *first = b->f->first;
	uint32_t stamp = (uint32_t)i + 1, parent = GRAPH_NONE;
	bool is_residual = false, has_tags = k->tags.n_current != 0;

	for (uint32_t n = s->n_stack; n-- > 0;) {
		uint32_t end = first[stack[n] + 1], at = end;

		while (at-- > first[stack[n]]) {
			uint32_t node = k->place[at];

			if (node == PLACE_DROPPED) {
				is_residual = true;
				continue;
			}
			if (node < PLACE_HIDDEN && parent < PLACE_HIDDEN &&
			    node != parent &&
			    ((k->want[node] & WANT_IN) ||
			     (k->want[parent] & WANT_OUT)) &&
			    count_edge(k, stamp, parent, node, w, is_residual,
				       at + 1 < end) < 0)
				return -1;
			if (has_tags && node < PLACE_HIDDEN &&
			    k->seen[node] != stamp) {
				k->seen[node] = stamp;
				if (tagger_count(&k->tags, node, w.value,
						 w.divisor, false) < 0)
					return -1;
			}
			parent = node;
			is_residual = false;
		}
	}
	if (has_tags && parent < PLACE_HIDDEN && !is_residual)
		return tagger_count(&k->tags, parent, w.value, w.divisor, true);
	return 0;
}

/* --- call trees: edges are there already, tags need the walk --- */

static int
tree_edges(struct walk *k)
{
	const struct build *b = k->b;
	const struct graph *g = b->g;

	for (uint32_t n = 0; n < g->n_node; n++) {
		uint32_t path = b->list[n], up = b->parent[path];
		bool is_inlined = b->is_inlined[path], is_residual = false;
		struct graph_edge *e;

		/* The nearest ancestor that is left, if any. */
		while (up != GRAPH_NONE && b->place[up] == PLACE_DROPPED) {
			is_residual = true;
			is_inlined &= b->is_inlined[up];
			up = b->parent[up];
		}
		if (up == GRAPH_NONE || b->place[up] == PLACE_HIDDEN)
			continue;
		e = new_edge(k->b, &k->cap_edge, b->place[up], n);
		if (!e)
			return -1;
		e->weight = g->node[n].cum;
		e->is_residual = is_residual;
		e->is_inlined = is_inlined;
	}
	return 0;
}

static int
tree_tags(struct walk *k, size_t i, struct graph_sum w)
{
	struct build *b = k->b;
	const struct sample *s = &b->p->sample[i];
	const uint32_t *stack = profile_stack(b->p, s);
	uint32_t path = GRAPH_NONE, node = PLACE_HIDDEN;

	for (uint32_t n = s->n_stack; n-- > 0;) {
		uint32_t at = b->f->first[stack[n] + 1];

		while (at-- > b->f->first[stack[n]]) {
			struct pair_slot *slot =
				pairs_add(&b->path, path + 1, b->f->node[at]);

			if (!slot)
				return -1;
			path = slot->index - 1;
			node = b->place[path];
			if (node < PLACE_HIDDEN &&
			    tagger_count(&k->tags, node, w.value, w.divisor,
					 false) < 0)
				return -1;
		}
	}
	if (node < PLACE_HIDDEN)
		return tagger_count(&k->tags, node, w.value, w.divisor, true);
	return 0;
}

/* --- all samples --- */

static int
walk_samples(struct walk *k)
{
	const struct build *b = k->b;
	bool has_tags = b->o->tags;

	for (size_t i = 0; i < b->p->n_sample; i++) {
		struct graph_sum w;

		if (!build_weight(b, i, &w.value, &w.divisor))
			continue;
		if (has_tags && tagger_sample(&k->tags, &b->p->sample[i]) < 0)
			return -1;
		if (b->o->call_tree ? tree_tags(k, i, w) < 0
				    : walk_stack(k, i, w) < 0)
			return -1;
	}
	return 0;
}

/* What the options want of each node's edges; false: nothing. */
static bool
choose_edges(struct walk *k)
{
	const struct build *b = k->b;
	bool any = false;

	for (uint32_t n = 0; n < b->g->n_node; n++) {
		struct graph_node *node = &b->g->node[n];

		node->is_wanted =
			!b->o->wants ||
			b->o->wants(graph_name(b->g, node), b->o->wants_ctx);
		b->g->n_wanted += node->is_wanted;
		if (!node->is_wanted || b->o->edges == GRAPH_NO_EDGES)
			k->want[n] = 0;
		else if (b->o->edges == GRAPH_ALL_EDGES)
			k->want[n] = WANT_IN | WANT_OUT;
		else
			k->want[n] = b->f->is_inlined[node->key] ? WANT_IN : 0;
		any |= k->want[n] != 0;
	}
	return any;
}

static enum prof_status
fill_nodes(struct build *b, uint32_t others)
{
	struct graph *g = b->g;

	g->node = arena_array(g->arena, b->n_list, sizeof(*g->node));
	if (!b->place)
		b->place = malloc((b->n_candidate + 1) * sizeof(*b->place));
	if (!g->node || !b->place)
		return prof_nomem(b->err);
	g->n_node = b->n_list;
	g->n_wanted = 0;
	g->edge = NULL;
	g->n_edge = 0;
	for (size_t i = 0; i < b->n_candidate; i++)
		b->place[i] = others;
	for (uint32_t n = 0; n < b->n_list; n++) {
		uint32_t c = b->list[n];

		b->place[c] = n;
		g->node[n] = (struct graph_node){
			.key = b->tally[c].key,
			.flat.value = b->flat[c],
			.cum.value = b->tally[c].cum,
			.flat.divisor = b->o->mean ? b->flat_divisor[c] : 0,
			.cum.divisor = b->o->mean ? b->cum_divisor[c] : 0,
		};
	}
	return PROF_OK;
}

enum prof_status
build_nodes(struct build *b, uint32_t others)
{
	enum prof_status st = fill_nodes(b, others);
	size_t n_line = b->f->first[b->p->n_location];
	struct walk k = { .b = b };
	bool any;

	if (st != PROF_OK)
		return st;
	k.place = malloc((n_line + 1) * sizeof(*k.place));
	k.want = malloc(b->n_list + 1);
	k.seen = calloc(b->n_list + 1, sizeof(*k.seen));
	if (!k.place || !k.want || !k.seen ||
	    pairs_init(&k.edges, b->f->strings.key[1]) < 0 ||
	    tagger_init(&k.tags, b) < 0) {
		st = prof_nomem(b->err);
		goto out;
	}
	for (size_t i = 0; i < n_line && !b->o->call_tree; i++)
		k.place[i] = b->place[b->f->node[i]];
	any = choose_edges(&k);
	if (b->o->call_tree && any && tree_edges(&k) < 0)
		st = prof_nomem(b->err);
	if (st == PROF_OK && ((any && !b->o->call_tree) || b->o->tags) &&
	    walk_samples(&k) < 0)
		st = prof_nomem(b->err);
	if (st == PROF_OK && tagger_finish(&k.tags) < 0)
		st = prof_nomem(b->err);
out:
	pairs_release(&k.edges);
	tagger_release(&k.tags);
	free(k.place);
	free(k.want);
	free(k.seen);
	return st;
}
