/* options.h - the options of prof-dot: the table and the settings. */
#ifndef DOT_OPTIONS_H
#define DOT_OPTIONS_H

#include "cli/cli.h"
#include "cli/report-options.h"

extern const struct cli_opt dot_opts[];

struct dot_settings {
	const char *format;
	double timeout; /* seconds */
	struct report_settings report;
};

/* Set the defaults, then parse all options. Dies. */
void dot_settings_parse(struct dot_settings *s, struct cli *cli);

#endif
