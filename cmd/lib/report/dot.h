/*
 * dot.h - a call graph as a DOT drawing, with the sizes, colours and texts of
 * pprof.
 */
#ifndef DOT_H
#define DOT_H

#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct graph;
struct report;

/*
 * Append the drawing of g to out. r: the report that g was made for, with its
 * unit chosen. Names are untrusted and are escaped: quotes and backslashes by
 * DOT's rules, control characters as in text reports. is_rendered: Graphviz
 * will lay it out, and must not take "&lt;" in a name for "<". PROF_ENOMEM.
 */
enum prof_status dot_write(const struct report *r, const struct graph *g,
			   bool is_rendered, struct buf *out,
			   struct prof_err *err) MUST_USE;

#endif
