/* drawing.h - the call graph for the page, laid out within a time limit. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/* Lays n bytes of DOT out as SVG: dot/render.h. */
typedef enum prof_status drawing_render(const char *dot, size_t n,
					const char *format, struct buf *out,
					struct prof_err *err);

/*
 * Run render in a child process, as a layout can not be interrupted, and
 * append the SVG to out. PROF_ELIMIT after `seconds` (0: no limit), else what
 * the child's render returned, without its words; PROF_EIO.
 */
enum prof_status drawing_make(drawing_render *render, const struct buf *dot,
			      double seconds, struct buf *out,
			      struct prof_err *err) MUST_USE;

#endif
