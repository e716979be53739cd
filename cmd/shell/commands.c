/* commands.c - see commands.h. */
#include "config.h"

#include "commands.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/report-options.h"
#include "dot/options.h"
#include "flame/options.h"
#include "gate/options.h"
#include "html/options.h"
#include "list/options.h"
#include "reports.h"
#include "text/options.h"

static const struct cli_opt no_opts[] = { CLI_COMMON_OPTS, { 0 } };
static const struct cli_opt *const gate_groups[] = { refine_opts, NULL };

#define TEXT .report = reports_text, .opts = text_opts, .groups = report_groups
#define DOT .report = reports_dot, .opts = dot_opts, .groups = report_groups
#define LIST .report = reports_list, .opts = list_opts, .groups = list_groups
#define PLAIN .opts = no_opts, .groups = report_groups

static const struct command commands[] = {
	{ "callgrind", "write a file for kcachegrind",
	  .report = reports_callgrind, PLAIN, .to = TO_FILE,
	  .extension = "callgraph.out" },
	{ "comments", "print the comments of the profile", TEXT,
	  .fixed = "--comments" },
	{ "diff", "print before and after, with the profile FILE as the base",
	  .compare = reports_diff, .opts = text_opts, .groups = report_groups,
	  .fixed = "--diff", .param = "FILE",
	  .usage = "FILE [N] [REGEX]... [-REGEX]... [-cum] [>file | |command]",
	  .node_count = 10 },
	{ "disasm", "print instructions with their values", LIST,
	  .param = "disasm" },
	{ "dot", "print the call graph in the language of dot(1)", DOT,
	  .fixed = "--format=dot" },
	{ "eog", "show the call graph in eog", DOT, .fixed = "--format=svg",
	  .to = TO_VIEWER, .extension = "svg", .viewer = "eog" },
	{ "evince", "show the call graph in evince", DOT,
	  .fixed = "--format=pdf", .to = TO_VIEWER, .extension = "pdf",
	  .viewer = "evince" },
	{ "flame", "show a flame graph in a browser", .report = reports_flame,
	  .opts = flame_opts, .groups = report_groups, .to = TO_VIEWER,
	  .extension = "svg" },
	{ "gate", "did anything get slower than in the profiles FILE?",
	  .compare = reports_gate, .opts = gate_opts, .groups = gate_groups,
	  .param = "FILE", .usage = "FILE... [--OPTION]... [>file | |command]",
	  .takes_words = true },
	{ "gif", "write the call graph as GIF", DOT, .fixed = "--format=gif",
	  .to = TO_FILE, .extension = "gif" },
	{ "gv", "show the call graph in gv", DOT, .fixed = "--format=ps",
	  .to = TO_VIEWER, .extension = "ps", .viewer = "gv" },
	{ "html", "show a page with all views in a browser",
	  .report = reports_html, .opts = html_opts, .groups = report_groups,
	  .to = TO_VIEWER, .extension = "html" },
	{ "kcachegrind", "show the profile in kcachegrind",
	  .report = reports_callgrind, PLAIN, .to = TO_VIEWER,
	  .extension = "callgraph.out", .viewer = "kcachegrind" },
	{ "list", "print source lines with their values", LIST,
	  .param = "list" },
	{ "pdf", "write the call graph as PDF", DOT, .fixed = "--format=pdf",
	  .to = TO_FILE, .extension = "pdf" },
	{ "peek", "print callers and callees of functions", TEXT,
	  .param = "peek" },
	{ "png", "write the call graph as PNG", DOT, .fixed = "--format=png",
	  .to = TO_FILE, .extension = "png" },
	{ "proto", "write the profile, filtered", .report = reports_proto,
	  PLAIN, .to = TO_FILE, .extension = "pb.gz" },
	{ "ps", "write the call graph as PostScript", DOT,
	  .fixed = "--format=ps", .to = TO_FILE, .extension = "ps" },
	{ "raw", "print everything that is in the profile", TEXT,
	  .fixed = "--raw" },
	{ "svg", "write the call graph as SVG", DOT, .fixed = "--format=svg",
	  .to = TO_FILE, .extension = "svg" },
	{ "tags", "print the labels", TEXT, .fixed = "--tags" },
	{ "text", "print a table of functions", TEXT, .fixed = "--text",
	  .node_count = 10 },
	{ "top", "print a table of functions", TEXT, .fixed = "--top",
	  .node_count = 10 },
	{ "topproto", "write the table of functions as a profile",
	  .report = reports_topproto, PLAIN, .to = TO_FILE,
	  .extension = "pb.gz" },
	{ "traces", "print every stack with its labels", TEXT,
	  .fixed = "--traces" },
	{ "tree", "print callers and callees, too", TEXT, .fixed = "--tree" },
	{ "web", "show the call graph in a browser", DOT,
	  .fixed = "--format=svg", .to = TO_VIEWER, .extension = "svg" },
	{ "weblist", "show source lines and instructions in a browser", LIST,
	  .param = "weblist", .to = TO_VIEWER, .extension = "html" },
};

enum { N_COMMAND = sizeof(commands) / sizeof(*commands) };

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < N_COMMAND; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

const struct command *
command_at(size_t i)
{
	return i < N_COMMAND ? &commands[i] : NULL;
}

bool
command_has(const struct command *c, const char *option)
{
	const struct cli_opt *const *g = c->groups;
	const struct cli_opt *table = c->opts;

	while (table) {
		for (; table->name; table++)
			if (!strcmp(table->name, option))
				return true;
		table = g ? *g++ : NULL;
	}
	return false;
}
