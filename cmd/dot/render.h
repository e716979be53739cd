/*
 * render.h - drawings laid out and rendered by Graphviz, in this process: no
 * child, no shell. The one module that knows Graphviz.
 */
#ifndef RENDER_H
#define RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* Can this build draw in format ("svg", "png", ...) at all? */
bool render_knows(const char *format);

/*
 * Lay out the n bytes of DOT at dot, render them and append the picture to
 * out. An SVG fills its window and can be dragged and zoomed there, by a small
 * script in it that loads nothing. PROF_EFORMAT when Graphviz refuses the
 * drawing, PROF_ENOTSUP without Graphviz, PROF_ENOMEM.
 */
enum prof_status render(const char *dot, size_t n, const char *format,
			struct buf *out, struct prof_err *err) MUST_USE;

#endif
