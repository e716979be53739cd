/*
 * text.h - reports as text, to a stdio stream of the caller. Everything that
 * can fail is done before the first byte is written; for errors of the stream
 * the caller calls ferror(). Reports look like pprof's, byte for byte, except
 * names: control characters and others are escaped (text-print.h).
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "changes.h"
#include "lib/base/status.h"

struct frames;
struct graph;
struct profile;
struct report;
struct report_options;

/*
 * text_top: the table of nodes. text_tree: with the callers and callees of
 * each, except nodes that graph_options.wants excludes.
 * PROF_ENOMEM.
 */
enum prof_status text_top(FILE *out, const struct report *r,
			  const struct graph *g, struct prof_err *err) MUST_USE;
enum prof_status text_tree(FILE *out, const struct report *r,
			   const struct graph *g,
			   struct prof_err *err) MUST_USE;

/* The graph for programs; text_tsv() needs no edges. */
void text_json(FILE *out, const struct report *r, const struct graph *g);
void text_tsv(FILE *out, const struct report *r, const struct graph *g);

/*
 * The table of changes (changes.h); rows are omitted by their change. The first
 * may fail with PROF_ENOMEM.
 */
enum prof_status text_diff(FILE *out, const struct report *r,
			   const struct changes *c,
			   struct prof_err *err) MUST_USE;
void text_diff_json(FILE *out, const struct report *r, const struct changes *c);
void text_diff_tsv(FILE *out, const struct report *r, const struct changes *c);

/* "Total 1.02s before, 1.22s after: +200ms (+19.61%)" */
void text_diff_total(FILE *out, const struct report *r);

/* A change relative to the value before: "+3.5%", "new", "gone". */
void text_put_relative(FILE *out, int width, struct change c);

/*
 * text_traces: every stack with its labels. text_folded: equal stacks summed, a
 * line each, for flame graph programs. PROF_ENOMEM.
 */
enum prof_status text_traces(FILE *out, const struct report *r,
			     const struct frames *f,
			     struct prof_err *err) MUST_USE;
enum prof_status text_folded(FILE *out, const struct report *r,
			     const struct frames *f,
			     struct prof_err *err) MUST_USE;

/* Every label with its values and their shares. PROF_ENOMEM. */
enum prof_status text_tags(FILE *out, const struct report *r,
			   struct prof_err *err) MUST_USE;

/* text_raw: all of the profile. text_comments: its comments. */
void text_raw(FILE *out, const struct profile *p);
void text_comments(FILE *out, const struct profile *p);

/* The columns of p, with their totals. PROF_EUSAGE: a wrong sample_index. */
enum prof_status text_types(FILE *out, struct profile *p,
			    const struct report_options *o,
			    struct prof_err *err) MUST_USE;

#endif
