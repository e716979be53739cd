/* options.h - the options of prof-text: the table and the settings. */
#ifndef TEXT_OPTIONS_H
#define TEXT_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/report-options.h"

struct match;

extern const struct cli_opt text_opts[];

enum format {
	FORMAT_TOP,
	FORMAT_TEXT,
	FORMAT_TREE,
	FORMAT_PEEK,
	FORMAT_TRACES,
	FORMAT_TAGS,
	FORMAT_RAW,
	FORMAT_COMMENTS,
	FORMAT_LIST_TYPES,
	FORMAT_JSON,
	FORMAT_TSV,
	FORMAT_FOLDED,
	N_FORMAT
};

struct text_settings {
	enum format format;
	const char *option;  /* the option that chose the format, or NULL */
	bool diff;           /* compare before and after, in this format */
	struct match *peek;  /* of --peek: the caller's */
	const char *pattern; /* ... as text */
	char *min_flat, *min_cum;
	struct report_settings report;
};

/* Set the defaults, then parse all options. Dies. */
void text_settings_parse(struct text_settings *s, struct cli *cli);

#endif
