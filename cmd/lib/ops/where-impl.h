/*
 * where-impl.h - a parsed expression: parsed by where.c, evaluated by
 * where-eval.c.
 */
#ifndef WHERE_IMPL_H
#define WHERE_IMPL_H

#include <stdint.h>

#include "lib/model/measure.h"
#include "where.h"

enum where_op {
	WHERE_OR, /* two nodes */
	WHERE_AND,
	WHERE_NOT, /* one node */
	/* Leaves, each for a key. */
	WHERE_HAS,
	WHERE_EQUAL, /* compare with a string */
	WHERE_MATCH,
	WHERE_RANGE, /* all comparisons with numbers */
};

struct where_range {
	bool has_low, has_high;
	bool above_low, below_high; /* the end is excluded */
	struct measure low, high;   /* units are strings in where.text */
};

struct where_node {
	enum where_op op;
	uint32_t a, b;      /* nodes, smaller than this one's index */
	const char *key;    /* n_key bytes in where.text; so is string */
	const char *string; /* of WHERE_EQUAL; also for messages */
	size_t n_key, n_string;
	struct where_range range;
	struct filter_test test;
};

struct where {
	char *text; /* strings and units of the nodes, ended by NULs */
	struct where_node *node;
	uint32_t n_node;
	uint32_t root;
};

#endif
