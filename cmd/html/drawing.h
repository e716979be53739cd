/* drawing.h - the call graph for the page, laid out within a time limit. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct report;
struct report_options;

/* Lays n bytes of DOT out within so many seconds (0: any): dot/layout.h. */
typedef enum prof_status drawing_layout(const char *dot, size_t n,
					const char *format, double seconds,
					struct buf *out, struct prof_err *err);

/*
 * Append the call graph of r as prof-dot draws it. o: the options of r, which
 * are changed for it and back. Returns what layout returned; PROF_ELIMIT: it
 * takes too long. Dies without memory.
 */
enum prof_status drawing_make(struct report *r, struct report_options *o,
			      drawing_layout *layout, double seconds,
			      struct buf *out, struct prof_err *err) MUST_USE;

#endif
