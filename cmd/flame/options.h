/* options.h - the options of prof-flame: the table, and what they set. */
#ifndef FLAME_OPTIONS_H
#define FLAME_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/report-options.h"
#include "lib/report/flame/layout.h"
#include "lib/report/flame/svg.h"
#include "naming.h"

struct match;

extern const struct cli_opt flame_opts[];

struct flame_settings {
	struct report_settings report;
	struct flame_limits limits;
	struct flame_picture picture;
	enum naming_by by;
	char *label; /* of --by=label:KEY, or NULL */
	enum flame_width side;
	bool is_reversed, shares, no_script;
	char *title;
	struct match *search;
	const char *pivot_pattern;
	struct match *pivot;
	bool *is_pivot; /* of each frame: flame_source.pivot */
	char *root;     /* what the pivot is called */
};

/* The defaults, then all options, of which it dies when one is wrong. */
void flame_settings_parse(struct flame_settings *s, struct cli *cli);

#endif
