/*
 * svg.h - a flame graph as one SVG: a static picture with a tooltip for each
 * box; where scripts run, it can be zoomed and searched. It needs no other
 * files. All viewers show the same, as texts are cut by the number of
 * characters of a monospaced font.
 */
#ifndef FLAME_SVG_H
#define FLAME_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct flame_layout;
struct flame_sums;
struct flame_tree;
struct report;
struct str;

/* The appearance of a frame. */
struct flame_frame {
	const struct str *text;
	unsigned colour; /* of palette.h */
	bool is_inlined;
	bool is_match; /* of the search pattern */
};

enum flame_theme { FLAME_AUTO, FLAME_LIGHT, FLAME_DARK };

/* The boxes on one side of the root's row, which is part of them. */
struct flame_half {
	const struct flame_tree *tree;
	const struct flame_sums *sums;
	const struct flame_layout *layout;
	bool is_reversed; /* the tree continues with callers */
};

struct flame_picture {
	const struct report *r; /* units and totals */
	struct flame_half main;
	struct flame_half callers; /* of a pivot, opposite main; else no tree */
	const char *root;          /* name of the box at the root */
	const struct flame_frame *frame;
	size_t n_frame;
	const char *title, *subtitle; /* NULL: none */
	double width;                 /* of the whole, in pixels */
	bool is_flipped;              /* main above the root */
	bool is_searched;             /* use is_match */
	enum flame_theme theme;
	const char *script; /* NULL: none */
};

/* The margin left and right of the boxes, in pixels. */
enum { FLAME_MARGIN = 10 };

/*
 * Append the picture to out. Names are escaped as in text reports, and for
 * XML. PROF_ENOMEM.
 */
enum prof_status flame_svg(const struct flame_picture *f, struct buf *out,
			   struct prof_err *err) MUST_USE;

#endif
