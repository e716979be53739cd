/* options.h - the options of prof-html: the table, and what they set. */
#ifndef HTML_OPTIONS_H
#define HTML_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "chosen.h"
#include "cli/cli.h"
#include "cli/report-options.h"
#include "page.h"

extern const struct cli_opt html_opts[];

struct html_settings {
	struct report_settings report;
	struct page_options page;
	struct page_notes notes;
	char left[128], light[128], no_room[128],
		no_verdict[640]; /* of the notes */
	size_t max_nodes;
	struct page_code code;
	bool no_source; /* no code at all */
	/* It brings a library; NULL: no verdicts. */
	const struct gate_dist *(*dist)(void);
	bool embeds, opens;
	char *title;
	char *opened; /* the file for --open */
};

/* A page of all views but the call graph, without code and verdicts. */
#define HTML_SETTINGS_PLAIN                                                    \
	{                                                                      \
		.page = { .theme = "auto" }, .max_nodes = 4000000              \
	}

/* The defaults, then all options, of which it dies when one is wrong. */
void html_settings_parse(struct html_settings *s, struct cli *cli);

#endif
