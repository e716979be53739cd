/*
 * report-options.h - the options that the reports on a call graph share
 * (prof-text, prof-dot): what is counted, what a node is, which nodes are
 * shown, in what unit. They are pprof's, by name and by default.
 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"
#include "lib/report/report.h"

struct refine;

/* For cli_cmd.groups. */
extern const struct cli_opt report_opts[];

struct report_settings {
	struct report_options o;
	int64_t node_count; /* -1: not given */
	bool no_trim;
	bool is_relative;        /* total after the filters */
	const char *granularity; /* the option that set it, or NULL */
};

/* How many nodes a report shows when --nodecount does not say. */
enum report_limit {
	REPORT_ALL = 0,      /* trimmed by --nodefraction */
	REPORT_DRAWING = 80, /* what an eye can take in */
	REPORT_UNTRIMMED = -1,
};

void report_settings_init(struct report_settings *s);

/*
 * Act on option `key` if it is one of report_opts; else return false. Dies
 * when it is wrong.
 */
bool report_option(struct report_settings *s, struct cli *cli, int key);

/* After the last option: settle s->o for a report with the given limit. */
void report_settings_finish(struct report_settings *s, enum report_limit limit);

/*
 * Filter p and make it the profile of report r, whose 100 % is that of p as it
 * came, or with --relative-percentages of what the filters leave. Dies.
 */
void report_begin(struct report *r, const struct report_settings *s,
		  const struct refine *refine, struct profile *p);

#endif
