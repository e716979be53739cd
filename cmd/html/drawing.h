/* drawing.h - the call graph for the page, laid out within a time limit. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct report;
struct report_options;

/* Lays n bytes of DOT out as SVG: dot/render.h. */
typedef enum prof_status drawing_render(const char *dot, size_t n,
					const char *format, struct buf *out,
					struct prof_err *err);

/*
 * Append the call graph of r as prof-dot draws it. o: the options of r, which
 * are changed for it and back. render runs in a child process, as a layout
 * cannot be interrupted: PROF_ELIMIT after `seconds` (0: no limit), else what
 * render returned, without its message; PROF_EIO. Dies without memory.
 */
enum prof_status drawing_make(struct report *r, struct report_options *o,
			      drawing_render *render, double seconds,
			      struct buf *out, struct prof_err *err) MUST_USE;

#endif
