/*
 * flame.h - the stacks of a profile joined into a tree of common prefixes, for
 * flame graphs: prof-flame draws it, prof-html packs it. Every sample ends at
 * one node. The caller names the frames.
 *
 *	flame_stacks_init(&s, &source, &err);
 *	flame_stacks_sort(&s, rank, &err);
 *	flame_tree_init(&t, &s, NULL, &err);
 */
#ifndef FLAME_H
#define FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct profile;

#define FLAME_NONE UINT32_MAX

/* The source of a tree: the profile, and the frames of its locations. */
struct flame_source {
	const struct profile *p;
	/*
	 * Location l has the frames frame[first[l]] to frame[first[l + 1] - 1],
	 * innermost inlined function first, all below n_frame; as in frames.h.
	 */
	const uint32_t *first, *frame;
	size_t n_frame;
	/* By frame: the frame that replaces it, below n_frame; FLAME_NONE: it
	 * is omitted. NULL: no changes. */
	const uint32_t *rename;
	bool is_reversed; /* leaves below the root, callers below them */
	bool joins_equal; /* equal neighbours in a stack are one node */
	/*
	 * Keep of a stack only the frames called from its outermost pivot, or
	 * with `callers` only its callers, nearest first; without the pivot. A
	 * stack without pivot becomes empty. pivot: by frame, after rename;
	 * NULL: none.
	 */
	const bool *pivot;
	bool callers;
};

/*
 * An array for flame_sums_init(): true for samples without pivot. The caller's,
 * to free(); NULL without memory.
 */
bool *flame_without_pivot(const struct flame_source *src);

/* The stacks of all samples, from the root on, as frames. */
struct flame_stacks {
	uint32_t *
		frame; /* stack i: frame[start[i]] to frame[start[i + 1] - 1] */
	size_t *start; /* n + 1 of them */
	size_t n;      /* samples */
	size_t n_frame;   /* frames are below this */
	uint32_t *order;  /* the samples; once sorted, by their stacks */
	uint32_t *shared; /* frames that stack order[i] shares with the
			     preceding one, order[i - 1] */
};

/*
 * List the stacks, in the order of the samples. Call flame_stacks_release()
 * even on failure. PROF_ENOMEM.
 */
enum prof_status flame_stacks_init(struct flame_stacks *s,
				   const struct flame_source *src,
				   struct prof_err *err) MUST_USE;
void flame_stacks_release(struct flame_stacks *s);

/*
 * Sort the samples by their stacks, a stack before its extensions, and equal
 * ones in the order of the profile. rank: by frame, a permutation of 0 to
 * n_frame - 1; NULL: the frame itself. PROF_ENOMEM.
 */
enum prof_status flame_stacks_sort(struct flame_stacks *s, const uint32_t *rank,
				   struct prof_err *err) MUST_USE;

/* Nodes of the tree of sorted stacks, without its root. */
size_t flame_stacks_nodes(const struct flame_stacks *s);

static inline uint32_t
flame_stack_length(const struct flame_stacks *s, uint32_t sample)
{
	return (uint32_t)(s->start[sample + 1] - s->start[sample]);
}

/* In preorder: a node, then each child with its subtree. */
struct flame_tree {
	uint32_t *parent; /* of node 0, the root: 0 */
	uint32_t *frame;  /* of the root: FLAME_NONE */
	uint32_t *end;    /* the first node after its subtree */
	size_t n_node;    /* at least 1 */
	uint32_t *of;     /* by sample: the node of its whole stack */
};

/* Cuts stacks short: the rest is one node, with a special frame. */
struct flame_cut {
	const uint32_t *keep; /* of stack order[i]: number of frames to keep */
	uint32_t frame;
};

/*
 * Join sorted stacks. Children are in their order, except that a cut is at the
 * place of its first stack. cut: NULL keeps all. Call flame_tree_release() even
 * on failure. PROF_ENOMEM, PROF_ELIMIT past 2^32 - 2 nodes.
 */
enum prof_status flame_tree_init(struct flame_tree *t,
				 const struct flame_stacks *s,
				 const struct flame_cut *cut,
				 struct prof_err *err) MUST_USE;
void flame_tree_release(struct flame_tree *t);

/*
 * Sort the children of each node by rank[frame], a permutation of 0 to n_frame
 * - 1; indices of nodes change. PROF_ENOMEM.
 */
enum prof_status flame_tree_sort(struct flame_tree *t, const uint32_t *rank,
				 size_t n_frame, size_t n_sample,
				 struct prof_err *err) MUST_USE;

#endif
