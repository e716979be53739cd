/*
 * report-open.h - from options and inputs to a report: the steps of every
 * report command, in the order that gives pprof's numbers.
 *
 *	struct report_settings s;
 *	struct report r;
 *
 *	report_settings_init(&s);
 *	while ((key = cli_option(&cli)) != CLI_DONE)
 *		if (!report_option(&s, &cli, key))
 *			switch (key) ...
 *	report_settings_finish(&s, REPORT_ALL);
 *	report_open(&r, &s, cli_read_all(&cli));
 *	...
 *	report_close(&r, &s);
 *
 * All functions print warnings, and die on errors.
 */
#ifndef REPORT_OPEN_H
#define REPORT_OPEN_H

#include "cli/report-options.h"
#include "lib/report/report.h"

/*
 * Apply the options that change frames of p: drop those in the profile's
 * drop_frames, and make frames of labels. Totals and filters come later, in
 * report_begin() or refine_filter().
 */
void report_take(struct report_settings *s, struct profile *p);

/*
 * Make p, of report_take(), the profile of r: warn if it was badly sampled, sum
 * the total (100 %), and filter. The total is that of p before the filters, or
 * with --relative-percentages after them. r refers to p and s.
 */
void report_begin(struct report *r, const struct report_settings *s,
		  struct profile *p);

/* Die unless both sides of p, a difference with a base, can be told apart. */
void report_need_base(const struct profile *p);

/* report_take() and report_begin(). report_close() frees the profile. */
void report_open(struct report *r, struct report_settings *s,
		 struct profile *p);

/*
 * Make the frames and the call graph of r, the caller's (frames_free() and
 * graph_free()), and choose the unit of r.
 */
void report_open_graph(struct report *r, struct frames **f, struct graph **g);

/* "demo: cpu", the program and the type, for the caller to free. Dies. */
char *report_title(const struct report *r);

/* Free the profile of r and the contents of s. */
void report_close(struct report *r, struct report_settings *s);

#endif
