/*
 * report-open.h - from options and inputs to a report: the steps that every
 * report command takes, in the one order that gives pprof's numbers.
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
 * Everything here prints warnings, and dies on errors.
 */
#ifndef REPORT_OPEN_H
#define REPORT_OPEN_H

#include "cli/report-options.h"
#include "lib/report/report.h"

/*
 * Change the frames of p as the options say: drop those that the profile says
 * to drop, and make frames of labels. Totals and filters come later, in
 * report_begin() or refine_filter().
 */
void report_take(struct report_settings *s, struct profile *p);

/*
 * Make p, of report_take(), the profile of r: warn if it was sampled badly, add
 * up the total that is 100 %, and filter. The total is that of p before the
 * filters, or with --relative-percentages after them. r refers to p and s.
 */
void report_begin(struct report *r, const struct report_settings *s,
		  struct profile *p);

/* Die unless both sides of p, a difference with a base, can be told apart. */
void report_need_base(const struct profile *p);

/* report_take() and report_begin(): r->p is the profile, which report_close()
 * frees. */
void report_open(struct report *r, struct report_settings *s,
		 struct profile *p);

/*
 * The frames and the call graph of r, the caller's (frames_free() and
 * graph_free()), and the unit in which r prints its values.
 */
void report_open_graph(struct report *r, struct frames **f, struct graph **g);

/* "demo: cpu", the program and the type: the caller's to free. Dies. */
char *report_title(const struct report *r);

/* Free the profile of r and what the options in s hold. */
void report_close(struct report *r, struct report_settings *s);

#endif
