/*
 * flame.h - the stacks of a profile joined into a tree of their common
 * prefixes, for flame graphs: prof-flame draws it, prof-html packs it. Every
 * sample ends at one node; what a node's frame is called is the caller's.
 */
#ifndef FLAME_H
#define FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct profile;

#define FLAME_NONE UINT32_MAX

/* What the tree is made of: the profile, and the frames of its locations. */
struct flame_source {
	const struct profile *p;
	/*
	 * Location l has the frames frame[first[l]] to frame[first[l + 1] - 1],
	 * innermost inlined function first, all below n_frame; as in frames.h.
	 */
	const uint32_t *first, *frame;
	size_t n_frame;
	/* What each frame counts as, below n_frame; FLAME_NONE: it is left
	 * out. NULL: as itself. */
	const uint32_t *rename;
	bool is_reversed; /* leaves below the root, callers below them */
	bool joins_equal; /* equal neighbours in a stack are one node */
};

/*
 * Parents come before their children; once it is sorted, in preorder: a parent,
 * then each child with all that is below it.
 */
struct flame_tree {
	uint32_t *parent; /* of node 0, the root: 0 */
	uint32_t *frame;  /* of the root: FLAME_NONE */
	uint32_t *end;    /* the first node behind those below this one; NULL
			   * before it is sorted */
	size_t n_node;    /* at least 1 */
	uint32_t *of;     /* of each sample: the node of its whole stack */
};

/*
 * Join the stacks, for flame_tree_sort() to put them in order. *t is to end
 * with flame_tree_release(), also after an error. PROF_ENOMEM, PROF_ELIMIT past
 * 2^32 - 2 nodes.
 */
enum prof_status flame_tree_init(struct flame_tree *t,
				 const struct flame_source *src,
				 struct prof_err *err) MUST_USE;
void flame_tree_release(struct flame_tree *t);

/*
 * Put the children of each node in the order of rank[frame], a permutation of
 * 0 to n_frame - 1; indices of nodes change. PROF_ENOMEM.
 */
enum prof_status flame_tree_sort(struct flame_tree *t, const uint32_t *rank,
				 size_t n_frame, size_t n_sample,
				 struct prof_err *err) MUST_USE;

#endif
