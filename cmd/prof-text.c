/* prof-text.c - reports as text; what they look like is in lib/text.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "lib/frames.h"
#include "lib/graph.h"
#include "lib/profile.h"
#include "lib/report.h"
#include "lib/strtab.h"
#include "lib/text.h"
#include "match.h"
#include "refine.h"
#include "report-options.h"

enum {
	KEY_REPORT = CLI_LONG, /* + enum format, for each of reports[] */
	KEY_FLAT = CLI_LONG + 50,
	KEY_CUM,
	KEY_COMPACT,
	KEY_MIN_FLAT,
	KEY_MIN_CUM,
};

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

static const struct cli_opt opts[] = {
	{ KEY_REPORT + FORMAT_TOP, "top", "[BOOL]",
	  "print a table of functions (default)" },
	{ KEY_REPORT + FORMAT_TEXT, "text", "[BOOL]", "same as --top" },
	{ KEY_REPORT + FORMAT_TREE, "tree", "[BOOL]",
	  "print callers and callees, too" },
	{ KEY_REPORT + FORMAT_PEEK, "peek", "REGEX",
	  "print callers and callees of functions that match" },
	{ KEY_REPORT + FORMAT_TRACES, "traces", "[BOOL]",
	  "print every stack with its labels" },
	{ KEY_REPORT + FORMAT_TAGS, "tags", "[BOOL]", "print the labels" },
	{ KEY_REPORT + FORMAT_RAW, "raw", "[BOOL]",
	  "print everything that is in the profile" },
	{ KEY_REPORT + FORMAT_COMMENTS, "comments", "[BOOL]",
	  "print the comments" },
	{ KEY_REPORT + FORMAT_LIST_TYPES, "list-types", "[BOOL]",
	  "print the sample types and their totals" },
	{ KEY_REPORT + FORMAT_JSON, "json", "[BOOL]",
	  "print the call graph as JSON" },
	{ KEY_REPORT + FORMAT_TSV, "tsv", "[BOOL]",
	  "print the table with tabs, numbers unscaled" },
	{ KEY_REPORT + FORMAT_FOLDED, "folded", "[BOOL]",
	  "print stacks as lines, for flame graph programs" },
	{ KEY_FLAT, "flat", "[BOOL]", "sort by own value (default)" },
	{ KEY_CUM, "cum", "[BOOL]", "sort by value with callees" },
	{ KEY_MIN_FLAT, "min-flat", "VALUE",
	  "leave out rows with less: 10ms, 2%, 500" },
	{ KEY_MIN_CUM, "min-cum", "VALUE", "leave out rows with less" },
	{ KEY_COMPACT, "compact-labels", "[BOOL]",
	  "leave out the header lines of the profile" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const struct cli_opt *const groups[] = { report_opts, refine_opts,
						NULL };

static const struct cli_cmd cmd = {
	.name = "prof-text",
	.args = "[FILE...]",
	.brief = "print a profile as text; several are added up",
	.opts = opts,
	.groups = groups,
};

struct settings {
	enum format format;
	const char *option;  /* that chose it, or NULL */
	struct match *peek;  /* of --peek */
	const char *pattern; /* ... as text */
	char *min_flat, *min_cum;
	struct refine refine;
	struct report_settings report;
};

static void
set_format(struct settings *s, struct cli *cli, enum format format)
{
	struct prof_err err;

	if (format == FORMAT_PEEK) {
		match_free(s->peek);
		s->pattern = cli->arg;
		if (match_new("peek", cli->arg, 0, &s->peek, &err) != PROF_OK)
			die("%s", err.msg);
	} else if (!cli_bool(cli)) {
		return;
	}
	if (s->option && s->format != format)
		die("--%s and --%s exclude each other", s->option,
		    opts[format].name);
	s->option = opts[format].name;
	s->format = format;
}

static void
parse(struct settings *s, struct cli *cli)
{
	struct report_options *o = &s->report.o;
	int key;

	report_settings_init(&s->report);
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case KEY_FLAT:
			if (cli_bool(cli))
				o->graph.order = GRAPH_BY_FLAT;
			break;
		case KEY_CUM:
			if (cli_bool(cli))
				o->graph.order = GRAPH_BY_CUM;
			break;
		case KEY_COMPACT:
			o->compact_labels = cli_bool(cli);
			break;
		case KEY_MIN_FLAT:
			s->min_flat = cli->arg;
			break;
		case KEY_MIN_CUM:
			s->min_cum = cli->arg;
			break;
		default:
			if (key >= KEY_REPORT && key < KEY_REPORT + N_FORMAT)
				set_format(s, cli, key - KEY_REPORT);
			else if (!report_option(&s->report, cli, key))
				refine_option(&s->refine, cli, key);
		}
	}
	if (s->format == FORMAT_TEXT)
		s->format = FORMAT_TOP;
}

static int64_t
amount(const struct report *r, const char *option, const char *text)
{
	struct prof_err err;
	int64_t v = 0;

	if (text && report_amount(r, text, &v, &err) != PROF_OK)
		die("--%s: %s", option, err.msg);
	return v;
}

static bool
peek_wants(const struct str *name, void *ctx)
{
	struct prof_err err;
	bool matches;

	if (match_bytes(ctx, name->s, name->len, &matches, &err) != PROF_OK)
		die("--peek: %s", err.msg);
	return matches;
}

static void
choose_graph(struct settings *s)
{
	struct graph_options *g = &s->report.o.graph;
	enum report_limit limit = REPORT_ALL;

	switch (s->format) {
	case FORMAT_PEEK:
		limit = REPORT_UNTRIMMED;
		g->edges = GRAPH_ALL_EDGES;
		g->wants = peek_wants;
		g->wants_ctx = s->peek;
		break;
	case FORMAT_TREE:
		limit = REPORT_DRAWING;
		g->edges = GRAPH_ALL_EDGES;
		break;
	case FORMAT_JSON:
		g->edges = GRAPH_ALL_EDGES;
		break;
	case FORMAT_TSV:
		break;
	default:
		g->edges = GRAPH_INLINE_EDGES;
	}
	report_settings_finish(&s->report, limit);
}

static enum prof_status
print_graph(struct cli *cli, const struct settings *s, struct report *r,
	    struct prof_err *err)
{
	enum prof_status st;
	struct text_rows rows = {
		amount(r, "min-flat", s->min_flat),
		amount(r, "min-cum", s->min_cum),
	};
	struct frames *f;
	struct graph *g;

	st = report_graph(r, &f, &g, err);
	if (st != PROF_OK)
		return st;
	report_choose_unit(r, g);
	if (s->peek && !g->n_wanted)
		die("no matches found for regexp: %s", s->pattern);
	if (s->format == FORMAT_TOP)
		st = text_top(cli_text(cli), r, g, &rows, err);
	else if (s->format == FORMAT_JSON)
		text_json(cli_text(cli), r, g);
	else if (s->format == FORMAT_TSV)
		text_tsv(cli_text(cli), r, g, &rows);
	else
		st = text_tree(cli_text(cli), r, g, &rows, err);
	graph_free(g);
	frames_free(f);
	return st;
}

static enum prof_status
print_stacks(struct cli *cli, const struct settings *s, struct report *r,
	     struct prof_err *err)
{
	enum prof_status st;
	struct frames *f;

	st = frames_new(r->p, &r->o->frames, &f, err);
	if (st == PROF_OK)
		st = s->format == FORMAT_TRACES
			     ? text_traces(cli_text(cli), r, f, err)
			     : text_folded(cli_text(cli), r, f, err);
	frames_free(f);
	return st;
}

/* Reports that need no column and may lack one. */
static bool
print_simple(struct cli *cli, struct settings *s, struct profile *p)
{
	struct report_options *o = &s->report.o;
	struct prof_err err;

	if (s->format != FORMAT_RAW && s->format != FORMAT_COMMENTS &&
	    s->format != FORMAT_LIST_TYPES)
		return false;
	refine_filter(&s->refine, p);
	if (s->format == FORMAT_RAW)
		text_raw(cli_text(cli), p);
	else if (s->format == FORMAT_COMMENTS)
		text_comments(cli_text(cli), p);
	else if (text_types(cli_text(cli), p, o, &err) != PROF_OK)
		die("%s", err.msg);
	return true;
}

int
main(int argc, char **argv)
{
	struct settings s = { 0 };
	struct report_options *o = &s.report.o;
	enum prof_status st;
	struct prof_err err;
	struct profile *p;
	struct report r;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	parse(&s, &cli);
	choose_graph(&s);
	o->filter = refine_active(&s.refine, &o->n_filter);

	p = cli_read_all(&cli);
	refine_frames(&s.refine, p, o->unit);
	if (!print_simple(&cli, &s, p)) {
		report_begin(&r, &s.report, &s.refine, p);
		if (s.format == FORMAT_TAGS)
			st = text_tags(cli_text(&cli), &r, &err);
		else if (s.format == FORMAT_TRACES || s.format == FORMAT_FOLDED)
			st = print_stacks(&cli, &s, &r, &err);
		else
			st = print_graph(&cli, &s, &r, &err);
		if (st != PROF_OK)
			die("%s", err.msg);
	}
	profile_free(p);
	match_free(s.peek);
	refine_release(&s.refine);
	return cli_finish(&cli, EXIT_SUCCESS);
}
