/*
 * report-options.h - the options of all report commands: the column, the
 * granularity of nodes, the limits, the unit, and the part of the profile to
 * report (refine.h). Names and defaults are pprof's. report-open.h applies
 * them.
 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"
#include "lib/report/report.h"
#include "refine.h"

/* For cli_cmd.groups: the options of this file, and those of refine.h. */
extern const struct cli_opt *const report_groups[];
extern const struct cli_opt report_opts[]; /* the options of this file alone */

struct report_settings {
	struct report_options o;
	int64_t node_count; /* -1: not given */
	bool no_trim;
	bool is_relative;        /* use the total after the filters */
	const char *granularity; /* the option that set it, or NULL */
	struct refine refine;
};

/* The number of nodes that a report shows without --nodecount. */
enum report_limit {
	REPORT_ALL = 0,      /* trimmed by --nodefraction */
	REPORT_DRAWING = 80, /* still readable */
	REPORT_UNTRIMMED = -1,
};

void report_settings_init(struct report_settings *s);

/*
 * Handle option `key` if it is in report_groups; else return false. Dies if its
 * argument is invalid.
 */
bool report_option(struct report_settings *s, struct cli *cli, int key);

/* After the last option: complete s->o for a report with the given limit. */
void report_settings_finish(struct report_settings *s, enum report_limit limit);

/* Free the contents of s. */
void report_settings_release(struct report_settings *s);

#endif
