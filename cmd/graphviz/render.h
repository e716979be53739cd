/*
 * render.h - lay out and render drawings with Graphviz, in this process, which
 * it may crash: see layout.h. The only module that uses Graphviz.
 */
#ifndef RENDER_H
#define RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* Does this build support the format ("svg", "png", ...)? */
bool render_knows(const char *format);

/*
 * Lay out the n bytes of DOT at dot, render them and append the picture to out.
 * An SVG fills its window and can be dragged and zoomed, by a small script that
 * loads nothing. PROF_EFORMAT if Graphviz refuses the drawing, PROF_ENOTSUP
 * without Graphviz, PROF_ENOMEM.
 */
enum prof_status render(const char *dot, size_t n, const char *format,
			struct buf *out, struct prof_err *err) MUST_USE;

#endif
