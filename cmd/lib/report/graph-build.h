/*
 * graph-build.h - shared by the parts of graph.h while a graph is built.
 *
 *	graph.c       the order of the steps; selection, sorting, trimming
 *	graph-sum.c   sums of the nodes: the walk for graphs, and for trees
 *	graph-edge.c  edges and tags between the nodes that are shown
 *	graph-tag.c   labels as tags
 *
 * Before nodes are selected they are candidates: in a graph identified by frame
 * key, in a call tree by path.
 */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H

#include "graph.h"
#include "lib/base/buf.h"
#include "lib/base/pairs.h"
#include "lib/model/labels.h"

struct tagger;

/* The index of a candidate in graph.node; or one of these. */
#define PLACE_DROPPED (GRAPH_NONE - 1) /* its frames are skipped */
#define PLACE_HIDDEN (GRAPH_NONE - 2)  /* has no row, but breaks paths */

/* Accessed in the inner loop of the walk: a quarter of a cache line. */
struct tally {
	int64_t cum;
	uint32_t stamp; /* sample that counted last, + 1 */
	uint32_t key;   /* of frames */
};

struct build {
	const struct frames *f;
	const struct profile *p;
	const struct graph_options *o;
	struct prof_err *err;
	struct graph *g;

	/* Per candidate; the arrays end with graph_new(). */
	struct tally *tally;
	int64_t *flat;
	int64_t *cum_divisor, *flat_divisor; /* NULL without mean */
	uint32_t *place;
	size_t n_candidate;
	/* By path, in a call tree: */
	uint32_t *parent;  /* GRAPH_NONE: a root */
	bool *is_inlined;  /* always, into its parent */
	struct pairs path; /* (parent + 1, key) -> path */
	size_t cap_path;

	struct tagger *tags; /* or NULL */

	uint32_t *list; /* candidates that become nodes, in order */
	size_t n_list;
	bool is_rebuilt; /* a drawing from which node_count removed nodes */
};

/* Is sample i part of the graph? Sets its weight *w and divisor *dw. */
bool build_weight(const struct build *b, size_t i, int64_t *w, int64_t *dw);

/* The sums of all candidates. */
enum prof_status build_sums(struct build *b) MUST_USE;
enum prof_status build_tree_sums(struct build *b) MUST_USE;

/*
 * Fill g->node from the list, and collect the edges and tags between nodes,
 * edges in any order. `others` is the place of candidates that are not listed.
 * Edges lighter than edge_cut may be omitted.
 */
enum prof_status build_nodes(struct build *b, uint32_t others,
			     int64_t edge_cut) MUST_USE;

/* --- tags --- */

/* A tag of samples: strings first, then numbers. */
struct tag_id {
	uint32_t text, group, unit;
	bool is_numeric;
	int64_t number;
	int64_t total; /* of |weight| of its samples */
};

/* A tag at a node. */
struct tag_at {
	uint32_t node, id;
	struct graph_sum flat, cum;
};

/*
 * The tags of all samples are found once, for any number of graphs. A tag that
 * weighs less than every node shown is dropped immediately.
 */
struct tagger {
	struct build *b;
	struct label_units units;
	uint32_t bytes;   /* the profile's string "bytes", or STRTAB_NONE */
	struct pairs ids; /* (text, group, or UINT32_MAX) -> id */
	struct tag_id *id;
	size_t cap_id;
	uint32_t *of_sample; /* ids of sample i: first[i] to first[i + 1] - 1 */
	size_t *first;
	size_t n_of_sample, cap_of_sample;
	struct str *part; /* scratch: "key:value" of string labels */
	size_t cap_part;
	struct buf text; /* ... and their bytes */

	struct pairs at; /* (node, id) -> tag */
	struct tag_at *tag;
	size_t cap_tag;
};

/*
 * Find the tags of all samples, except those whose samples sum to less than
 * cut. Returns -1 without memory.
 */
int tagger_init(struct tagger *t, struct build *b, int64_t cut);
void tagger_release(struct tagger *t);

/* Reset the counts to 0. Returns -1 without memory. */
int tagger_begin(struct tagger *t);

/* Does sample i have tags at all? */
static inline bool
tagger_has(const struct tagger *t, size_t i)
{
	return t->first[i] != t->first[i + 1];
}

/* Add the tags of sample i to a node, as flat or as cum. */
int tagger_count(struct tagger *t, size_t i, uint32_t node, int64_t w,
		 int64_t dw, bool is_flat);

/* Move the counts to the graph, sorted by node. */
int tagger_finish(struct tagger *t);

#endif
