/*
 * prof-html.c - a profile as one self-contained page: html/pack.h makes its
 * data, html/page.h the file; what it does in a browser is in html/js/.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report-open.h"
#include "dot/render.h"
#include "html/drawing.h"
#include "html/open.h"
#include "html/pack.h"
#include "html/page-data.h"
#include "html/page.h"
#include "html/texts.h"
#include "html/totals.h"
#include "lib/model/profile.h"
#include "lib/model/unnamed.h"
#include "lib/wire/codec.h"

enum {
	KEY_TITLE = CLI_LONG,
	KEY_VIEW,
	KEY_THEME,
	KEY_MAX_NODES,
	KEY_GRAPH,
	KEY_LAYOUT_TIMEOUT,
	KEY_SOURCE,
	KEY_NO_SOURCE,
	KEY_EMBED_PROFILE,
	KEY_NO_COMPRESS,
	KEY_OPEN,
};

static const struct cli_opt opts[] = {
	{ KEY_TITLE, "title", "TEXT", "title (the program and the type)" },
	{ KEY_VIEW, "view", "VIEW", "view that is shown first (flame)" },
	{ KEY_THEME, "theme", "THEME", "auto, light or dark (auto)" },
	{ KEY_MAX_NODES, "max-nodes", "N",
	  "fold the lightest of more nodes (4000000; 0: none)" },
	{ KEY_GRAPH, "graph", "[BOOL]", "include the call graph (true)" },
	{ KEY_LAYOUT_TIMEOUT, "layout-timeout", "SECONDS",
	  "leave the graph out if its layout takes longer (20)" },
	{ KEY_SOURCE, "source", "N",
	  "include the source of the N hottest functions (50)" },
	{ KEY_NO_SOURCE, "no-source", "[BOOL]", "include no source" },
	{ KEY_EMBED_PROFILE, "embed-profile", "[BOOL]",
	  "include the profile, for a download button" },
	{ KEY_NO_COMPRESS, "no-compress", "[BOOL]",
	  "for browsers without DecompressionStream" },
	{ KEY_OPEN, "open", "[BOOL]", "show the page in a browser" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const struct cli_cmd cmd = {
	.name = "prof-html",
	.args = "[FILE...]",
	.brief = "make a page of a profile, with all views",
	.opts = opts,
	.groups = report_groups,
};

struct settings {
	struct report_settings report;
	struct page_options page;
	struct page_notes notes;
	size_t max_nodes, n_source;
	double timeout;
	bool has_graph, embeds, opens;
	char *title;
	char *opened; /* the file for --open */
};

static void
one_of(const struct cli *cli, const char *option, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], cli->arg))
			return;
	die("--%s: unknown word '%s'", option, cli->arg);
}

static void
own_option(struct settings *s, struct cli *cli, int key)
{
	static const char *const themes[] = { "auto", "light", "dark", NULL };
	static const char *const views[] = { "flame",   "sandwich", "top",
					     "callers", "tree",     "graph",
					     "source",  "labels",   "info",
					     NULL };

	switch (key) {
	case KEY_TITLE:
		s->page.title = cli->arg;
		break;
	case KEY_VIEW:
		one_of(cli, "view", views);
		s->page.view = cli->arg;
		break;
	case KEY_THEME:
		one_of(cli, "theme", themes);
		s->page.theme = cli->arg;
		break;
	case KEY_MAX_NODES:
		s->max_nodes = cli_uint(cli, 0, UINT32_MAX);
		break;
	case KEY_GRAPH:
		s->has_graph = cli_bool(cli);
		break;
	case KEY_LAYOUT_TIMEOUT:
		s->timeout = cli_double(cli);
		break;
	case KEY_SOURCE:
		s->n_source = cli_uint(cli, 0, 100000);
		break;
	case KEY_NO_SOURCE:
		if (cli_bool(cli))
			s->n_source = 0;
		break;
	case KEY_EMBED_PROFILE:
		s->embeds = cli_bool(cli);
		break;
	case KEY_NO_COMPRESS:
		s->page.is_plain = cli_bool(cli);
		break;
	case KEY_OPEN:
		s->opens = cli_bool(cli);
	}
}

static void
parse(struct settings *s, struct cli *cli)
{
	int key;

	report_settings_init(&s->report);
	s->page.parts = (struct page_parts){
		page_skeleton, page_style,         page_style_sha256,
		page_script,   page_script_sha256,
	};
	s->page.theme = "auto";
	s->max_nodes = 4000000;
	s->n_source = 50;
	s->has_graph = true;
	s->timeout = 20;
	while ((key = cli_option(cli)) != CLI_DONE)
		if (!report_option(&s->report, cli, key))
			own_option(s, cli, key);
	report_settings_finish(&s->report, REPORT_DRAWING);
	if (s->report.o.mean)
		die("--mean: means do not add up in trees");
	s->page.is_relative = s->report.is_relative;
	s->page.n_thread = cli_processors();
	if (s->opens && !cli->output)
		cli->output = s->opened = open_temporary();
}

static void
note(struct settings *s, const char *text)
{
	size_t max = sizeof(s->notes.note) / sizeof(*s->notes.note);

	warn("%s", text);
	if (s->notes.n < max)
		s->notes.note[s->notes.n++] = text;
}

/* The call graph as SVG, in a section of its own; a note when there is none. */
static void
add_graph(struct settings *s, struct report *r, struct pack_sections *sections)
{
	struct prof_err err;
	enum prof_status st;

	if (!s->has_graph || !render_knows("svg"))
		return;
	st = drawing_make(r, &s->report.o, render, s->timeout,
			  pack_section(sections, "SVG"), &err);
	if (st == PROF_ELIMIT)
		note(s, "no call graph: its layout takes too long; "
			"--nodecount draws less, --layout-timeout waits "
			"longer");
	else if (st != PROF_OK)
		note(s, "no call graph: it could not be laid out");
}

/* The profile itself, as it came, for the download button. */
static void
add_profile(const struct settings *s, const struct profile *p,
	    struct pack_sections *sections)
{
	struct prof_err err;

	if (s->embeds &&
	    profile_encode(p, pack_section(sections, "EMBD"), &err) != PROF_OK)
		die("%s", err.msg);
}

static void
pack(struct settings *s, struct report *r, const struct page_total *total,
     struct pack_sections *sections, struct buf *data)
{
	uint64_t *gcd = calloc(r->p->n_type + 1, sizeof(*gcd));
	struct unnamed unnamed = { 0 };
	struct prof_err err;
	struct pack k;
	enum prof_status st = pack_init(&k, r->p, &s->report.o.frames,
					r->column, s->max_nodes, &err);

	if (!gcd)
		die("out of memory");
	if (st == PROF_OK)
		st = texts_add(r, s->n_source, pack_section(sections, "SRCJ"),
			       &err);
	if (st == PROF_OK)
		st = pack_columns(&k, sections, gcd, &err);
	if (st == PROF_OK)
		st = unnamed_count(&unnamed, r->p, &err);
	if (st == PROF_OK && k.cut_at > 0)
		note(s, "the tree is too large: light frames are folded into "
			"[cut]; --max-nodes allows more");
	if (st == PROF_OK)
		st = page_head(r, &k, &s->page, total, gcd, unnamed.mapping,
			       &s->notes, pack_section(sections, "HEAD"), &err);
	if (st == PROF_OK)
		st = pack_join(sections, data, &err);
	if (st != PROF_OK)
		die("%s", err.msg);
	unnamed_release(&unnamed);
	pack_release(&k);
	free(gcd);
}

/* The table for readers without scripts, and the page around it. */
static void
write_page(struct settings *s, struct report *r, struct cli *cli,
	   const struct buf *data)
{
	struct report_options *o = &s->report.o;
	struct buf page = { 0 };
	struct prof_err err;
	struct frames *f;
	struct graph *g;

	o->graph.order = GRAPH_BY_FLAT;
	o->graph.edges = GRAPH_NO_EDGES;
	o->graph.node_count = 100;
	report_open_graph(r, &f, &g);
	if (page_write(r, g, &s->page, data, &page, &err) != PROF_OK)
		die("%s", err.msg);
	cli_bytes(cli, page.data, page.n, false);
	graph_free(g);
	frames_free(f);
	buf_release(&page);
}

int
main(int argc, char **argv)
{
	struct pack_sections sections = { 0 };
	struct settings s = { 0 };
	struct page_total *total;
	struct buf data = { 0 };
	struct profile *p;
	struct report r;
	struct cli cli;
	int status;

	cli_init(&cli, &cmd, argc, argv);
	parse(&s, &cli);
	cli_check_output(&cli);
	p = report_read(&s.report, &cli);
	if (p->n_type > 30)
		die("%zu sample types are too many for a page; choose some "
		    "with prof-filter --keep-types",
		    p->n_type);
	add_profile(&s, p, &sections);
	/* 100 % is of the profile before the filters, or after them. */
	total = s.page.is_relative ? NULL : totals_of(p);
	report_begin(&r, &s.report, p);
	if (!total)
		total = totals_of(p);
	if (!s.page.title)
		s.page.title = s.title = report_title(&r);
	add_graph(&s, &r, &sections);
	pack(&s, &r, total, &sections, &data);
	write_page(&s, &r, &cli, &data);
	free(total);
	free(s.title);
	buf_release(&data);
	report_close(&r, &s.report);
	if (s.opens && !s.opened && !(s.opened = strdup(cli.output)))
		die("out of memory");
	status = cli_finish(&cli, EXIT_SUCCESS);
	if (s.opens)
		open_browser(s.opened);
	free(s.opened);
	return status;
}
