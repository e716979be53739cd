/*
 * shapes.h - the boxes of a flame graph as few SVG paths, for viewers that run
 * no scripts: one path for each colour.
 */
#ifndef FLAME_SHAPES_H
#define FLAME_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"

/* A box: a horizontal stroke as thick as a row. In pixels. */
struct shape {
	bool is_unsure;  /* hatched, by the mask "u" */
	unsigned colour; /* its class is "c", and this */
	int y;           /* the middle */
	long x, width;
};

/*
 * Sort n shapes and append them as one group, hatched ones as another. Returns
 * -1 without memory.
 */
int shapes_put(struct buf *out, struct shape *shape, size_t n);

#endif
