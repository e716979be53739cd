/*
 * graph.h - the weighted call graph of a profile: nodes are frame keys
 * (frames.h), edges go from caller to callee. Built in one walk over the stacks
 * for the nodes and, if edges or tags are wanted, one more for those between
 * the nodes that are shown; both take about as long as reading the profile.
 *
 * The rules are pprof's. A sample counts once toward the cum of a node and once
 * toward the weight of an edge, even with recursion. A frame whose node was
 * trimmed is skipped; the edge across it is residual.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames.h"
#include "lib/base/status.h"
#include "lib/model/units.h"

struct arena;

#define GRAPH_NONE UINT32_MAX

#define GRAPH_MAX_TAGS 4 /* drawn at a node, of each kind */

enum graph_order {
	GRAPH_BY_FLAT,
	GRAPH_BY_CUM,
	GRAPH_BY_ENTROPY, /* by entropy: for drawings only */
};

enum graph_edges {
	GRAPH_NO_EDGES,
	GRAPH_INLINE_EDGES, /* those to nodes that were inlined somewhere */
	GRAPH_ALL_EDGES,
};

struct graph_options {
	size_t column;         /* its value is the weight of a sample */
	bool mean;             /* divide by the first column */
	const bool *leave_out; /* samples to skip; NULL: none */
	bool drop_negative;    /* drop nodes with a negative value */
	bool call_tree;        /* a node for each path: the graph is a forest */
	bool tags;             /* collect labels at the nodes */
	/*
	 * Count tags toward node_count, and omit residual edges if another path
	 * exists.
	 */
	bool is_drawing;
	enum graph_order order;
	enum graph_edges edges;
	int64_t node_count;   /* show no more; <= 0: no limit */
	double node_fraction; /* of the sum: drop nodes with less cum */
	double edge_fraction; /* of the sum: drop edges with less weight */
	/*
	 * If not NULL, selects nodes of interest: only their edges are
	 * collected. Trimming should be off.
	 */
	bool (*wants)(const struct str *name, void *ctx);
	void *wants_ctx;
	const char *tag_unit; /* of numeric tags; NULL: chosen for each */
};

struct graph_sum {
	int64_t value;
	int64_t divisor; /* sum of the first column, when mean; else 0 */
};

/*
 * A label at a node. A string tag is the text of all string labels of a sample,
 * "key:value", sorted and joined by newlines. A numeric tag is a value of the
 * label "bytes" as text, and belongs to the string tag of its sample.
 */
struct graph_tag {
	uint32_t text;  /* string of graph.strings */
	uint32_t group; /* numeric: text of its string tag, 0 for none */
	uint32_t unit;  /* numeric: string of graph.strings */
	bool is_numeric;
	int64_t number; /* numeric: the first value that had this text */
	struct graph_sum flat, cum;
};

struct graph_node {
	uint32_t key; /* of frames */
	bool is_wanted;
	struct graph_sum flat, cum;
	uint32_t in, n_in;   /* graph.in[in]...: edges, heaviest first */
	uint32_t out, n_out; /* graph.out[out]...: likewise */
	uint32_t tag, n_tag; /* graph.tag[tag]...: by text, strings first */
};

struct graph_edge {
	uint32_t from, to; /* nodes */
	bool is_residual; /* in some sample, trimmed frames were between them */
	bool is_inlined;  /* in all samples, `to` was inlined into `from` */
	struct graph_sum weight;
};

struct graph {
	const struct frames *frames;
	struct arena *arena;   /* holds everything below */
	struct strtab strings; /* texts of tags */

	struct graph_node *node; /* shown, in order */
	size_t n_node;
	size_t n_wanted;         /* nodes that graph_options.wants selected */
	struct graph_edge *edge; /* heaviest first */
	size_t n_edge;
	uint32_t *in, *out; /* indices of edges, a run for each node */
	struct graph_tag *tag;

	size_t n_dropped_node; /* fell below node_fraction */
	size_t n_dropped_edge; /* fell below edge_fraction; of a drawing only */
	size_t n_before;       /* nodes before node_count was applied */
};

static inline void
graph_sum_add(struct graph_sum *to, struct graph_sum s)
{
	to->value = units_add(to->value, s.value);
	to->divisor = units_add(to->divisor, s.divisor);
}

/* The printed value of a sum: the mean if there is a divisor. */
int64_t graph_value(struct graph_sum s);

/* The same for a base (labels.h: base_mark), whose values are negated. */
int64_t graph_base_value(struct graph_sum s);

/* The printed name of node n. */
static inline const struct str *
graph_name(const struct graph *g, const struct graph_node *n)
{
	return frames_text(g->frames, n->key);
}

/*
 * Build the graph of the profile of f, which must outlive it, trimmed, sorted
 * and selected by the options. PROF_ENOMEM or PROF_ELIMIT.
 */
enum prof_status graph_new(const struct frames *f,
			   const struct graph_options *o, struct graph **out,
			   struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void graph_free(struct graph *g);

#endif
