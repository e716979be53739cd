/*
 * text.h - reports as text, to a stdio stream of the caller. Everything that
 * can fail is done before the first byte is written, or is for the caller to
 * see with ferror(). What a report looks like is pprof's, byte for byte, but
 * for names: control characters and the like are escaped (text-print.h).
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "status.h"

struct graph;
struct report;

/* Rows of a table that are left out, though they are in the graph. */
struct text_rows {
	int64_t min_flat; /* as printed, before the unit; 0: no limit */
	int64_t min_cum;
};

/*
 * The table of nodes; and the same with the callers and callees of each, but
 * of nodes that graph_options.wants excludes. rows may be NULL. PROF_ENOMEM.
 */
enum prof_status text_top(FILE *out, const struct report *r,
			  const struct graph *g, const struct text_rows *rows,
			  struct prof_err *err) MUST_USE;
enum prof_status text_tree(FILE *out, const struct report *r,
			   const struct graph *g, const struct text_rows *rows,
			   struct prof_err *err) MUST_USE;

#endif
