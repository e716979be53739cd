/*
 * options.h - the options of prof-text: the table, and what they set.
 */
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
	const char *option;  /* that chose it, or NULL */
	bool diff;           /* before and after, as this format */
	struct match *peek;  /* of --peek: the caller's */
	const char *pattern; /* ... as text */
	char *min_flat, *min_cum;
	struct report_settings report;
};

/* The defaults, then all options, of which it dies when one is wrong. */
void text_settings_parse(struct text_settings *s, struct cli *cli);

#endif
