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

#include "changes.h"
#include "lib/base/status.h"

struct frames;
struct graph;
struct graph_node;
struct profile;
struct report;
struct report_options;

/*
 * Rows of a table that are left out, though they are in the graph. The table
 * says how many, and sum% runs over the others.
 */
struct text_rows {
	int64_t min_flat; /* least |flat| and |cum| */
	int64_t min_cum;
};

/* Is the node in the table? rows may be NULL. */
bool text_has_row(const struct graph_node *n, const struct text_rows *rows);

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

/* The graph for programs; text_tsv() needs no edges. */
void text_json(FILE *out, const struct report *r, const struct graph *g);
void text_tsv(FILE *out, const struct report *r, const struct graph *g,
	      const struct text_rows *rows);

/*
 * The table of changes (changes.h); rows are left out by what changed. The
 * first may fail with PROF_ENOMEM.
 */
enum prof_status text_diff(FILE *out, const struct report *r,
			   const struct changes *c,
			   const struct text_rows *rows,
			   struct prof_err *err) MUST_USE;
void text_diff_json(FILE *out, const struct report *r, const struct changes *c,
		    const struct text_rows *rows);
void text_diff_tsv(FILE *out, const struct report *r, const struct changes *c,
		   const struct text_rows *rows);

/* "Total 1.02s before, 1.22s after: +200ms (+19.61%)" */
void text_diff_total(FILE *out, const struct report *r);

/* A change as a share of what was there before: "+3.5%", "new", "gone". */
void text_put_relative(FILE *out, int width, struct change c);

/*
 * Every stack with its labels; and equal stacks added up, one a line, for
 * flame graph programs. PROF_ENOMEM.
 */
enum prof_status text_traces(FILE *out, const struct report *r,
			     const struct frames *f,
			     struct prof_err *err) MUST_USE;
enum prof_status text_folded(FILE *out, const struct report *r,
			     const struct frames *f,
			     struct prof_err *err) MUST_USE;

/* Every label with its values, and how much each accounts for. PROF_ENOMEM. */
enum prof_status text_tags(FILE *out, const struct report *r,
			   struct prof_err *err) MUST_USE;

/* Everything that is in the profile; and only its comments. */
void text_raw(FILE *out, const struct profile *p);
void text_comments(FILE *out, const struct profile *p);

/* The columns of p, with their totals. PROF_EUSAGE: a wrong sample_index. */
enum prof_status text_types(FILE *out, struct profile *p,
			    const struct report_options *o,
			    struct prof_err *err) MUST_USE;

#endif
