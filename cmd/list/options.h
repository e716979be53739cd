/* options.h - the options of prof-list: the table, and what they set. */
#ifndef LIST_OPTIONS_H
#define LIST_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/network.h"
#include "cli/report-options.h"
#include "code/sources.h"

struct match;

extern const struct cli_opt list_opts[];
extern const struct cli_opt *const list_groups[];

enum list_view {
	VIEW_LIST,
	VIEW_DISASM,
	VIEW_WEBLIST,
};

struct list_settings {
	enum list_view view;
	const char *option; /* that chose it, or NULL */
	bool is_json;
	bool diff; /* both sides of a difference */
	bool is_verbose;
	const char *pattern;
	struct match *match; /* of it */
	bool has_address;    /* the pattern is one: with VIEW_DISASM */
	uint64_t address;
	char *object; /* of FILE+0xOFFSET, or NULL */
	bool intel;
	const char *search_path; /* for binaries; NULL: the environment's */
	const char **map;
	struct sources_options sources; /* but for fetch */
	struct network network;
	struct report_settings report;
};

/*
 * The defaults, then all options and the first operand, the pattern. Dies when
 * one is wrong.
 */
void list_settings_parse(struct list_settings *s, struct cli *cli);

/* Not those of s->report: report_close(). */
void list_settings_release(struct list_settings *s);

#endif
