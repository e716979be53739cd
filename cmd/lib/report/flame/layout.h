/*
 * layout.h - the weights of the nodes of a tree of stacks, and the positions of
 * their boxes: the geometry of a flame graph, independent of the drawing.
 */
#ifndef FLAME_LAYOUT_H
#define FLAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct flame_tree;
struct profile;

/* The meaning of the width of a box, in a difference with a base (labels.h). */
enum flame_width {
	FLAME_BOTH,   /* the larger side, summed from the leaves: shows old and
			 new frames */
	FLAME_BEFORE, /* the base */
	FLAME_AFTER,  /* the new profile */
	FLAME_CHANGE, /* the absolute changes */
};

/* Sums of a column over the tree, saturating; side 0: before, 1: after. */
struct flame_sums {
	int64_t *self[2]; /* of each node */
	int64_t *total[2];
	double *width;  /* by node, its children included; >= 0 */
	bool is_two;    /* a difference; else side 0 is all zero */
	bool is_signed; /* a difference without its base: a node is negative */
	double mean[2]; /* value of a sample, by side; 0: no samples */
};

/*
 * Sum a column of p over its tree t. shares: divide each side by its sum before
 * comparing. leave_out: samples to skip; NULL: none. Call flame_sums_release()
 * even on failure. PROF_ENOMEM.
 */
enum prof_status flame_sums_init(struct flame_sums *s,
				 const struct flame_tree *t,
				 const struct profile *p, size_t column,
				 const bool *leave_out, enum flame_width width,
				 bool shares, struct prof_err *err) MUST_USE;
void flame_sums_release(struct flame_sums *s);

/*
 * Is the change from v[0] to v[1] more than sampling noise explains, at 95 %?
 * As in prof-html's page: by the numbers of samples that are behind the values.
 */
bool flame_is_sure(const struct flame_sums *s, const int64_t v[2]);

/* A box; or, with n_rest, one for n_rest siblings too narrow to be drawn. */
struct flame_box {
	double x, width; /* in pixels, from 0 */
	uint32_t node;   /* of a rest box: the parent of the siblings */
	uint32_t depth;  /* 0: the root */
	uint32_t n_rest;
	int64_t rest[2]; /* the sum of these siblings */
};

struct flame_limits {
	double width;     /* of the root, in pixels */
	double min_width; /* narrower boxes are not drawn */
	size_t max_boxes; /* min_width is doubled until this suffices; 0: no
			     limit */
	bool by_name; /* siblings in the order of the tree; else widest first */
};

struct flame_layout {
	struct flame_box *box; /* parents first, then each child's subtree */
	size_t n_box;
	size_t n_node;    /* nodes with a weight */
	size_t n_drawn;   /* ... that have a separate box */
	uint32_t depth;   /* of the deepest box */
	double min_width; /* after doubling */
};

/* PROF_ENOMEM. End with flame_layout_release(), also after an error. */
enum prof_status flame_layout_init(struct flame_layout *l,
				   const struct flame_tree *t,
				   const struct flame_sums *s,
				   const struct flame_limits *limits,
				   struct prof_err *err) MUST_USE;
void flame_layout_release(struct flame_layout *l);

#endif
