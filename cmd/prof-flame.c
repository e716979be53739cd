/*
 * prof-flame.c - a profile, or a difference, as a flame graph in one SVG. The
 * tree of stacks, the layout and the drawing are in lib/report/flame/; what
 * a box is called and coloured, in flame/naming.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/match.h"
#include "cli/refine.h"
#include "cli/report-open.h"
#include "flame/flame-data.h"
#include "flame/naming.h"
#include "lib/base/strtab.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/report/flame/flame.h"
#include "lib/report/flame/layout.h"
#include "lib/report/flame/svg.h"
#include "lib/report/frames.h"

enum {
	KEY_WIDTH = CLI_LONG,
	KEY_MIN_WIDTH,
	KEY_MAX_BOXES,
	KEY_BY,
	KEY_REVERSE,
	KEY_FLIP,
	KEY_ORDER,
	KEY_DIFF_WIDTH,
	KEY_SHARE,
	KEY_SEARCH,
	KEY_TITLE,
	KEY_SUBTITLE,
	KEY_THEME,
	KEY_NO_SCRIPT,
};

static const struct cli_opt opts[] = {
	{ KEY_WIDTH, "width", "PIXELS", "width of the picture (1200)" },
	{ KEY_MIN_WIDTH, "min-width", "PIXELS",
	  "leave out narrower boxes (0.5)" },
	{ KEY_MAX_BOXES, "max-boxes", "N",
	  "leave out the narrowest past N boxes (20000; 0: no limit)" },
	{ KEY_BY, "by", "WHAT",
	  "a box is a frame, package or binary; or label:KEY" },
	{ KEY_REVERSE, "reverse", "[BOOL]",
	  "begin with the leaves, callers above them" },
	{ KEY_FLIP, "flip", "[BOOL]", "draw the root at the bottom" },
	{ KEY_ORDER, "order", "ORDER", "of siblings: value or name (value)" },
	{ KEY_DIFF_WIDTH, "diff-width", "SIDE",
	  "of a difference: both, before, after or change (both)" },
	{ KEY_SHARE, "share", "[BOOL]",
	  "compare shares of the two sides, not amounts" },
	{ KEY_SEARCH, "search", "RE", "mark what matches, and add it up" },
	{ KEY_TITLE, "title", "TEXT", "title (the program and the type)" },
	{ KEY_SUBTITLE, "subtitle", "TEXT", "more, below the title" },
	{ KEY_THEME, "theme", "THEME", "auto, light or dark (auto)" },
	{ KEY_NO_SCRIPT, "no-script", "[BOOL]", "only a picture: no zoom" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const struct cli_cmd cmd = {
	.name = "prof-flame",
	.args = "[FILE...]",
	.brief = "draw a flame graph of a profile",
	.opts = opts,
	.groups = report_groups,
};

struct settings {
	struct report_settings report;
	struct flame_limits limits;
	struct flame_picture picture;
	enum naming_by by;
	enum flame_width side;
	bool is_reversed, shares, no_script;
	char *title;
	struct match *search;
};

/* The index of cli->arg among words; dies when it is none of them. */
static int
choice(const struct cli *cli, const char *option, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], cli->arg))
			return i;
	die("--%s: unknown word '%s'", option, cli->arg);
}

static double
pixels(const struct cli *cli, const char *option, double min, double max)
{
	double v = cli_double(cli);

	if (v < min || v > max)
		die("--%s: not between %g and %g", option, min, max);
	return v;
}

static void
parse_by(struct settings *s, struct cli *cli)
{
	static const char *const words[] = { "frame", "package", "binary",
					     NULL };

	if (strncmp(cli->arg, "label:", 6)) {
		s->by = (enum naming_by)choice(cli, "by", words);
		return;
	}
	/* A row of boxes for the values of a label is what tagroot makes. */
	cli->arg += 6;
	report_option(&s->report, cli, REFINE_TAGROOT);
}

static void
parse_search(struct settings *s, const struct cli *cli)
{
	struct prof_err err;

	match_free(s->search);
	if (match_new("search", cli->arg, 0, &s->search, &err) != PROF_OK)
		die("%s", err.msg);
	s->picture.is_searched = true;
}

static bool
look_option(struct settings *s, struct cli *cli, int key)
{
	static const char *const sides[] = { "both", "before", "after",
					     "change", NULL };
	static const char *const orders[] = { "value", "name", NULL };
	static const char *const themes[] = { "auto", "light", "dark", NULL };

	switch (key) {
	case KEY_ORDER:
		s->limits.by_name = choice(cli, "order", orders) == 1;
		return true;
	case KEY_DIFF_WIDTH:
		s->side = (enum flame_width)choice(cli, "diff-width", sides);
		return true;
	case KEY_THEME:
		s->picture.theme =
			(enum flame_theme)choice(cli, "theme", themes);
		return true;
	case KEY_SHARE:
		s->shares = cli_bool(cli);
		return true;
	case KEY_FLIP:
		s->picture.is_flipped = cli_bool(cli);
		return true;
	case KEY_NO_SCRIPT:
		s->no_script = cli_bool(cli);
		return true;
	case KEY_TITLE:
		s->picture.title = cli->arg;
		return true;
	case KEY_SUBTITLE:
		s->picture.subtitle = cli->arg;
		return true;
	}
	return false;
}

static void
parse(struct settings *s, struct cli *cli)
{
	int key;

	report_settings_init(&s->report);
	s->limits.min_width = 0.5;
	s->limits.max_boxes = 20000;
	s->picture.width = 1200;
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case KEY_WIDTH:
			s->picture.width = pixels(cli, "width", 200, 100000);
			break;
		case KEY_MIN_WIDTH:
			s->limits.min_width = pixels(cli, "min-width", 0, 1000);
			break;
		case KEY_MAX_BOXES:
			s->limits.max_boxes = cli_uint(cli, 0, UINT32_MAX);
			break;
		case KEY_BY:
			parse_by(s, cli);
			break;
		case KEY_REVERSE:
			s->is_reversed = cli_bool(cli);
			break;
		case KEY_SEARCH:
			parse_search(s, cli);
			break;
		default:
			if (!look_option(s, cli, key))
				report_option(&s->report, cli, key);
		}
	}
	s->limits.width = s->picture.width - 2 * FLAME_MARGIN;
	report_settings_finish(&s->report, REPORT_UNTRIMMED);
	if (s->report.o.mean)
		die("--mean: means do not add up to boxes of boxes");
}

static void
mark_matches(const struct settings *s, struct naming *n)
{
	struct prof_err err;

	for (size_t i = 0; i < n->n && s->search; i++)
		if (n->frame[i].text &&
		    match_bytes(s->search, n->frame[i].text->s,
				n->frame[i].text->len, &n->frame[i].is_match,
				&err) != PROF_OK)
			die("--search: %s", err.msg);
}

/* Everything between the profile and the bytes of the picture. */
static enum prof_status
draw(struct settings *s, const struct report *r, struct buf *out,
     struct prof_err *err)
{
	struct flame_source src = { .p = r->p,
				    .is_reversed = s->is_reversed,
				    .joins_equal = s->by != BY_FRAME };
	struct frames *f = NULL;
	struct naming names = { 0 };
	struct flame_tree tree = { 0 };
	struct flame_sums sums = { 0 };
	struct flame_layout layout = { 0 };
	enum prof_status st = frames_new(r->p, &r->o->frames, &f, err);

	if (st == PROF_OK)
		st = naming_init(&names, f, s->by, r->column, err);
	if (st == PROF_OK) {
		mark_matches(s, &names);
		src.first = f->first;
		src.frame = f->node;
		src.rename = names.rename;
		src.n_frame = names.n;
		st = flame_tree_init(&tree, &src, err);
	}
	if (st == PROF_OK)
		st = flame_tree_sort(&tree, names.order, names.n,
				     r->p->n_sample, err);
	if (st == PROF_OK)
		st = flame_sums_init(&sums, &tree, r->p, r->column, s->side,
				     s->shares, err);
	if (st == PROF_OK)
		st = flame_layout_init(&layout, &tree, &sums, &s->limits, err);
	s->picture.is_reversed = s->is_reversed;
	s->picture.r = r;
	s->picture.tree = &tree;
	s->picture.sums = &sums;
	s->picture.layout = &layout;
	s->picture.frame = names.frame;
	s->picture.script = s->no_script ? NULL : flame_script;
	if (st == PROF_OK)
		st = flame_svg(&s->picture, out, err);
	flame_layout_release(&layout);
	flame_sums_release(&sums);
	flame_tree_release(&tree);
	naming_release(&names);
	frames_free(f);
	return st;
}

int
main(int argc, char **argv)
{
	struct settings s = { 0 };
	struct buf svg = { 0 };
	struct prof_err err;
	struct report r;
	struct cli cli;

	cli_init(&cli, &cmd, argc, argv);
	parse(&s, &cli);
	report_open(&r, &s.report, &cli);
	if (!s.picture.title)
		s.picture.title = s.title = report_title(&r);
	if (draw(&s, &r, &svg, &err) != PROF_OK)
		die("%s", err.msg);
	cli_bytes(&cli, svg.data, svg.n, true);
	buf_release(&svg);
	report_close(&r, &s.report);
	match_free(s.search);
	free(s.title);
	return cli_finish(&cli, EXIT_SUCCESS);
}
