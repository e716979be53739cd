/*
 * report.h - shared by text reports and drawings: the reported column, the
 * total (100 %), the unit of the output, and the header lines (the legend).
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph.h"
#include "lib/base/buf.h"
#include "lib/base/status.h"
#include "lib/model/units.h"

struct profile;

struct report_options {
	const char *sample_index;  /* NULL: the profile's default */
	const char *unit;          /* NULL: "minimum" */
	double divide_by;          /* of printed values; 0: 1 */
	bool mean;                 /* divide by the first column */
	bool compact_labels;       /* no header lines of the profile */
	const char *const *filter; /* "focus=leaf", for the legend */
	size_t n_filter;           /* ... how many */
	struct frames_options frames;
	struct graph_options graph; /* column and mean: report_init() */
};

struct report {
	struct profile *p;
	const struct report_options *o;
	size_t column;
	int64_t total;           /* 100 % */
	int64_t before, after;   /* of a difference: of base and new */
	const char *sample_unit; /* of the values */
	const char *unit;        /* of printed values */
	/* Tables omit rows with less |flat| or |cum|, though they are in the
	 * graph: their number is printed, and sums are of the other rows. */
	int64_t min_flat, min_cum;
	bool is_saturated; /* the total did not fit */
};

/*
 * Choose the column of p and sum its total, before filters are applied to p (or
 * after them: percentages are then of the rest). r refers to p and o, and owns
 * nothing. PROF_EUSAGE: no such column.
 */
enum prof_status report_init(struct report *r, struct profile *p,
			     const struct report_options *o,
			     struct prof_err *err) MUST_USE;

/*
 * Set only the totals of column `column` of p: total, before, after,
 * is_saturated. Of o, only mean is used.
 */
void report_total(struct report *r, struct profile *p, size_t column,
		  const struct report_options *o);

/* Make the frames and the graph of the (filtered) profile, by the options. */
enum prof_status report_graph(struct report *r, struct frames **f,
			      struct graph **g, struct prof_err *err) MUST_USE;

/*
 * Set r->unit: if it is to be chosen, one that shows the smallest node of g
 * with two decimals. Without a graph (NULL) each value gets its own unit.
 */
void report_choose_unit(struct report *r, const struct graph *g);

/* The same, if min is the smallest shown value; 0: there is none. */
void report_choose_unit_for(struct report *r, int64_t min);

/* The value of sample i alone, with its divisor. */
struct graph_sum report_sum(const struct report *r, size_t i);

/* The smallest value of the nodes that is not 0, without its sign: flat, or cum
 * where flat is 0. 0: there is none. */
int64_t report_smallest(const struct graph *g);

/* A value of the column as printed: divided, scaled, with its unit. */
void report_format(const struct report *r, struct quantity *q, int64_t v);

/* Do min_flat and min_cum let a row of this flat and cum pass? */
bool report_has_row(const struct report *r, int64_t flat, int64_t cum);

/*
 * Parse an amount given by the user, "10ms", "2%" of the total or "500", in the
 * unit of the column: of values as they are printed, so divide_by is undone.
 * Rounded up. PROF_EUSAGE.
 */
enum prof_status report_amount(const struct report *r, const char *text,
			       int64_t *out, struct prof_err *err) MUST_USE;

/*
 * Append the header lines, each ended by a newline, to out: those of the
 * profile (unless compact_labels, which a drawing ignores), and with g those of
 * the graph: filters, the number of nodes shown and dropped (in a drawing, of
 * edges, too). Reports without a graph pass NULL. Lines are escaped as
 * ESCAPE_TEXT (lib/base/escape.h). PROF_ENOMEM.
 */
enum prof_status report_legend(const struct report *r, const struct graph *g,
			       bool is_drawing, struct buf *out,
			       struct prof_err *err) MUST_USE;

/* The header lines that do not depend on a graph: the profile's, and the
 * filters. */
enum prof_status report_head(const struct report *r, struct buf *out,
			     struct prof_err *err) MUST_USE;

#endif
