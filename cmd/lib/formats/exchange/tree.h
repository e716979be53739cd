/*
 * tree.h - the stacks of a profile as a tree of calls, for formats that hold
 * one. Parents come before their children.
 */
#ifndef TREE_H
#define TREE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/pairs.h"
#include "lib/base/status.h"

struct named;

#define TREE_NONE UINT32_MAX /* no parent; an empty stack */

struct tree {
	uint32_t *parent, *frame; /* of each node; frames of struct named */
	size_t n;
	uint32_t *leaf; /* of each sample: its node, or TREE_NONE */
	size_t cap_parent, cap_frame;
	struct pairs pairs;
};

/* The tree of all samples of names->p; end with tree_release(). PROF_ENOMEM. */
enum prof_status tree_init(struct tree *t, const struct named *names,
			   struct prof_err *err) MUST_USE;
void tree_release(struct tree *t);

#endif
