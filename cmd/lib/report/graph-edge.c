/*
 * graph-edge.c - nodes, edges and tags of the selected candidates, see
 * graph-build.h. The second walk over the stacks, skipped if its results are
 * not wanted.
 */
#include "config.h"

#include <stdlib.h>

#include "edges.h"
#include "graph-build.h"
#include "lib/base/arena.h"
#include "lib/model/profile.h"

/*
 * The part of a location in a path: its node, if exactly one of its frames is
 * left, or PLACE_DROPPED, with flags; or SEVERAL.
 */
#define SKETCH_FROM 1000000 /* frames: see edges.h */
#define SEVERAL UINT64_MAX
#define AFTER_GAP (UINT64_C(1) << 32) /* a dropped frame on the root's side */
#define INLINED (UINT64_C(1) << 33)
#define BEFORE_GAP (UINT64_C(1) << 34) /* ... on the leaf's side */
#define WANT_IN (UINT64_C(1) << 35)    /* edges to the node, or from it */
#define WANT_OUT (UINT64_C(1) << 36)

struct walk {
	struct build *b;
	uint64_t *part;  /* by location */
	uint64_t *place; /* by index in frames.node[] */
	uint64_t *want;  /* by node: WANT_* */
	struct edges edges;
	uint32_t *seen; /* by node: the last stamp, for tags */

	/* The current stack. */
	size_t sample;
	uint32_t stamp;
	struct graph_sum weight;
	uint64_t *path; /* the nodes that are left, from the root */
	uint64_t *key;  /* scratch: the edges between them */
	size_t n_path, cap_path;
	bool has_gap; /* frames at its leaf were dropped */
};

/*
 * An upper bound of the frames of a stack: for all but huge stacks, from the
 * largest number of frames at a location.
 */
static size_t
path_bound(const struct walk *k, const struct sample *s)
{
	const uint32_t *stack = profile_stack(k->b->p, s);
	const struct frames *f = k->b->f;
	size_t n = (size_t)s->n_stack * f->max_keys;

	if (n <= 65536)
		return n;
	n = 0;
	for (uint32_t i = 0; i < s->n_stack; i++)
		n += f->first[stack[i] + 1] - f->first[stack[i]];
	return n;
}

static int
reserve_path(struct walk *k, const struct sample *s)
{
	size_t n;

	if (s->n_stack <= k->cap_path / k->b->f->max_keys)
		return 0;
	n = path_bound(k, s);
	if (n <= k->cap_path)
		return 0;
	free(k->path);
	free(k->key);
	k->cap_path = n * 2;
	k->path = malloc(k->cap_path * sizeof(*k->path));
	k->key = malloc(k->cap_path * sizeof(*k->key));
	return k->path && k->key ? 0 : -1;
}

/*
 * Remove the dropped frames from a stack, without a branch for each, which
 * would be mispredicted.
 */
static int
find_path(struct walk *k, const struct sample *s)
{
	const uint32_t *stack = profile_stack(k->b->p, s);
	const uint32_t *first = k->b->f->first;
	uint64_t gap = 0, *path;
	size_t n = 0;

	if (reserve_path(k, s) < 0)
		return -1;
	path = k->path;
	for (uint32_t i = s->n_stack; i-- > 0;) {
		uint64_t part = k->part[stack[i]];
		uint32_t at, end;

		if (part != SEVERAL) {
			path[n] = part | gap;
			n += (uint32_t)part != PLACE_DROPPED;
			gap = part / (BEFORE_GAP / AFTER_GAP) & AFTER_GAP;
			continue;
		}
		end = at = first[stack[i] + 1];
		while (at-- > first[stack[i]]) {
			bool is_dropped =
				(uint32_t)k->place[at] == PLACE_DROPPED;

			path[n] = k->place[at] | gap |
				  (at + 1 < end ? INLINED : 0);
			n += !is_dropped;
			gap = is_dropped ? AFTER_GAP : 0;
		}
	}
	k->n_path = n;
	k->has_gap = gap != 0;
	return 0;
}

/* No branch for wanted edges either, unless few are wanted: see above. */
static int
count_edges(struct walk *k)
{
	uint64_t need = k->b->o->edges == GRAPH_INLINE_EDGES ? WANT_IN : 0;
	const uint64_t *path = k->path;
	size_t n_path = k->n_path, n = 0;
	uint64_t *key = k->key, from, to;

	for (size_t i = 1; i < n_path; i++) {
		from = path[i - 1];
		to = path[i];
		if ((to & need) != need)
			continue;
		key[n] = EDGES_KEY((uint32_t)from, (uint32_t)to) |
			 (to & AFTER_GAP ? EDGES_RESIDUAL : 0) |
			 (to & INLINED ? 0 : EDGES_OUTLINED);
		n += (((to & WANT_IN) | (from & WANT_OUT)) != 0) &
		     ((uint32_t)from != (uint32_t)to) &
		     ((uint32_t)from < PLACE_HIDDEN) &
		     ((uint32_t)to < PLACE_HIDDEN);
	}
	return edges_add(&k->edges, key, n, k->stamp, k->weight.value,
			 k->weight.divisor);
}

static int
count_tags(struct walk *k)
{
	uint32_t node = PLACE_HIDDEN;

	for (size_t i = 0; i < k->n_path; i++) {
		node = (uint32_t)k->path[i];
		if (node >= PLACE_HIDDEN || k->seen[node] == k->stamp)
			continue;
		k->seen[node] = k->stamp;
		if (tagger_count(k->b->tags, k->sample, node, k->weight.value,
				 k->weight.divisor, false) < 0)
			return -1;
	}
	if (node >= PLACE_HIDDEN || k->has_gap)
		return 0;
	return tagger_count(k->b->tags, k->sample, node, k->weight.value,
			    k->weight.divisor, true);
}

/* Walk one stack, from its root to its leaf. */
static int
walk_stack(struct walk *k, const struct sample *s, bool has_tags)
{
	if (find_path(k, s) < 0 || count_edges(k) < 0)
		return -1;
	return has_tags ? count_tags(k) : 0;
}

static uint64_t
location_part(const struct walk *k, size_t l)
{
	uint32_t end = k->b->f->first[l + 1], at = end;
	uint64_t part = PLACE_DROPPED;
	unsigned n_left = 0;
	bool gap = false;

	while (at-- > k->b->f->first[l]) {
		if (k->place[at] == PLACE_DROPPED) {
			gap = true;
			continue;
		}
		n_left++;
		part = k->place[at] | (gap ? AFTER_GAP : 0) |
		       (at + 1 < end ? INLINED : 0);
		gap = false;
	}
	if (n_left > 1)
		return SEVERAL;
	return part | (gap || n_left == 0 ? BEFORE_GAP : 0);
}

static void
fill_parts(struct walk *k)
{
	const struct frames *f = k->b->f;

	for (size_t i = 0; i < f->first[f->p->n_location]; i++) {
		uint32_t place = k->b->place[f->node[i]];

		k->place[i] = place;
		if (place < PLACE_HIDDEN)
			k->place[i] |= k->want[place];
	}
	for (size_t l = 0; l < f->p->n_location; l++)
		k->part[l] = location_part(k, l);
}

/* Move the table to the graph, in the order of the hash. */
static int
take_edges(struct walk *k)
{
	struct graph *g = k->b->g;
	size_t n = 0;

	g->edge = arena_array(g->arena, k->edges.n, sizeof(*g->edge));
	if (!g->edge)
		return -1;
	for (size_t i = 0; i < k->edges.n_slot; i++) {
		const struct edge_slot *s = &k->edges.slot[i];

		if (s->key)
			g->edge[n++] = (struct graph_edge){
				.from = EDGES_FROM(s->key),
				.to = EDGES_TO(s->key),
				.is_residual = s->key & EDGES_RESIDUAL,
				.is_inlined = !(s->key & EDGES_OUTLINED),
				.weight.value = s->weight,
				.weight.divisor = k->edges.divisor
							  ? k->edges.divisor[i]
							  : 0,
			};
	}
	g->n_edge = n;
	return 0;
}

/* --- call trees: edges are known, tags need the walk --- */

static int
tree_edges(struct walk *k)
{
	const struct build *b = k->b;
	struct graph *g = b->g;

	g->edge = arena_array(g->arena, g->n_node, sizeof(*g->edge));
	if (!g->edge)
		return -1;

	for (uint32_t n = 0; n < g->n_node; n++) {
		uint32_t path = b->list[n], up = b->parent[path];
		bool is_inlined = b->is_inlined[path], is_residual = false;

		/* The nearest ancestor that is left, if any. */
		while (up != GRAPH_NONE && b->place[up] == PLACE_DROPPED) {
			is_residual = true;
			is_inlined &= b->is_inlined[up];
			up = b->parent[up];
		}
		if (up == GRAPH_NONE || b->place[up] == PLACE_HIDDEN)
			continue;
		g->edge[g->n_edge++] =
			(struct graph_edge){ .from = b->place[up],
					     .to = n,
					     .is_residual = is_residual,
					     .is_inlined = is_inlined,
					     .weight = g->node[n].cum };
	}
	return 0;
}

static int
tree_tags(struct walk *k, const struct sample *s)
{
	struct build *b = k->b;
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
			    tagger_count(k->b->tags, k->sample, node,
					 k->weight.value, k->weight.divisor,
					 false) < 0)
				return -1;
		}
	}
	if (node < PLACE_HIDDEN)
		return tagger_count(k->b->tags, k->sample, node,
				    k->weight.value, k->weight.divisor, true);
	return 0;
}

/* --- all samples --- */

static int
walk_samples(struct walk *k, bool has_tags)
{
	const struct build *b = k->b;
	bool is_tagged;

	for (size_t i = 0; i < b->p->n_sample; i++) {
		const struct sample *s = &b->p->sample[i];

		if (!build_weight(b, i, &k->weight.value, &k->weight.divisor))
			continue;
		is_tagged = has_tags && tagger_has(b->tags, i);
		k->stamp++;
		k->sample = i;
		if (!b->o->call_tree ? walk_stack(k, s, is_tagged) < 0
				     : is_tagged && tree_tags(k, s) < 0)
			return -1;
	}
	return 0;
}

/* Set which edges of each node the options ask for; false: none. */
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

/* Allocate the memory of a walk, except for growing tables. */
static int
walk_init(struct walk *k, int64_t edge_cut)
{
	const struct build *b = k->b;
	size_t n_location = b->p->n_location;

	/* In smaller profiles, a table of all edges costs less than another
	 * walk. */
	if (b->p->n_stack < SKETCH_FROM)
		edge_cut = 0;

	k->part = malloc((n_location + 1) * sizeof(*k->part));
	k->place = malloc((b->f->first[n_location] + 1) * sizeof(*k->place));
	k->want = calloc(b->n_list + 1, sizeof(*k->want));
	k->seen = calloc(b->n_list + 1, sizeof(*k->seen));
	if (!k->part || !k->place || !k->want || !k->seen ||
	    edges_init(&k->edges, b->f->strings.key[1], b->o->mean, edge_cut) <
		    0 ||
	    (b->tags && tagger_begin(b->tags) < 0))
		return -1;
	return 0;
}

/* Collect edges, if choose_edges() found any wanted, and tags. */
static int
collect(struct walk *k, bool wants_edges)
{
	const struct build *b = k->b;

	if (b->o->call_tree) {
		if (wants_edges && tree_edges(k) < 0)
			return -1;
		return (b->tags != NULL) ? walk_samples(k, true) : 0;
	}
	if (!wants_edges && !(b->tags != NULL))
		return 0;
	fill_parts(k);
	if (k->edges.is_sketching) {
		if (walk_samples(k, false) < 0)
			return -1;
		edges_sketched(&k->edges);
	}
	return walk_samples(k, (b->tags != NULL)) < 0 ? -1 : take_edges(k);
}

enum prof_status
build_nodes(struct build *b, uint32_t others, int64_t edge_cut)
{
	enum prof_status st;
	struct walk k = { .b = b };

	if (b->n_list > EDGES_MAX_NODE)
		return prof_fail(b->err, PROF_ELIMIT,
				 "more than 2^31 nodes in the graph");
	st = fill_nodes(b, others);
	if (st == PROF_OK &&
	    (walk_init(&k, edge_cut) < 0 || collect(&k, choose_edges(&k)) < 0 ||
	     (b->tags && tagger_finish(b->tags) < 0)))
		st = prof_nomem(b->err);
	edges_release(&k.edges);
	free(k.part);
	free(k.place);
	free(k.want);
	free(k.seen);
	free(k.path);
	free(k.key);
	return st;
}
