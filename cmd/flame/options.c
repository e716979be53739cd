/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <string.h>

#include "cli/match.h"
#include "cli/refine.h"

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
	KEY_PIVOT,
};

const struct cli_opt flame_opts[] = {
	{ KEY_WIDTH, "width", "PIXELS", "width of the picture (1200)" },
	{ KEY_MIN_WIDTH, "min-width", "PIXELS",
	  "leave out narrower boxes (1)" },
	{ KEY_MAX_BOXES, "max-boxes", "N",
	  "leave out the narrowest past N boxes (20000; 0: no limit)" },
	{ KEY_BY, "by", "WHAT",
	  "a box is a frame, package or binary; or label:KEY" },
	{ KEY_REVERSE, "reverse", "[BOOL]",
	  "begin with the leaves, callers above them" },
	{ KEY_PIVOT, "pivot", "RE",
	  "draw matching functions, callers above, callees below" },
	{ KEY_FLIP, "flip", "[BOOL]", "draw the root at the bottom" },
	{ KEY_ORDER, "order", "ORDER", "of siblings: value or name (value)" },
	{ KEY_DIFF_WIDTH, "diff-width", "SIDE",
	  "of a difference: both, before, after or change (both)" },
	{ KEY_SHARE, "share", "[BOOL]",
	  "compare shares of the two sides, not amounts" },
	{ KEY_SEARCH, "search", "RE",
	  "mark matching names and show their sum" },
	{ KEY_TITLE, "title", "TEXT", "title (the program and the type)" },
	{ KEY_SUBTITLE, "subtitle", "TEXT", "more, below the title" },
	{ KEY_THEME, "theme", "THEME", "auto, light or dark (auto)" },
	{ KEY_NO_SCRIPT, "no-script", "[BOOL]", "only a picture: no zoom" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static void
parse_by(struct flame_settings *s, struct cli *cli)
{
	static const char *const words[] = { "frame", "package", "binary",
					     "label:KEY", NULL };
	int word = cli_word(cli, "kind of box", words);

	s->by = word < 3 ? (enum naming_by)word : BY_FRAME;
	s->label = word < 3 ? NULL : cli->arg + 6;
	if (s->label && !*s->label)
		cli_bad_arg(cli, "label:KEY");
}

/* A row of boxes for the values of a label is what tagroot makes. */
static void
add_label(struct flame_settings *s, struct cli *cli)
{
	if (s->report.refine.value[REFINE_TAGROOT - REFINE_FOCUS].text)
		die("--by=label:%s and --tagroot exclude each other", s->label);
	cli->arg = s->label;
	report_option(&s->report, cli, REFINE_TAGROOT);
}

static void
parse_search(struct flame_settings *s, const struct cli *cli)
{
	struct prof_err err;

	match_free(s->search);
	if (match_new("search", cli->arg, 0, &s->search, &err) != PROF_OK)
		die("%s", err.msg);
	s->picture.is_searched = true;
}

static void
parse_pivot(struct flame_settings *s, const struct cli *cli)
{
	struct prof_err err;

	match_free(s->pivot);
	s->pivot_pattern = cli->arg;
	if (match_new("pivot", cli->arg, 0, &s->pivot, &err) != PROF_OK)
		die("%s", err.msg);
}

static bool
look_option(struct flame_settings *s, struct cli *cli, int key)
{
	static const char *const sides[] = { "both", "before", "after",
					     "change", NULL };
	static const char *const orders[] = { "value", "name", NULL };
	static const char *const themes[] = { "auto", "light", "dark", NULL };

	switch (key) {
	case KEY_ORDER:
		s->limits.by_name = cli_word(cli, "order", orders) == 1;
		return true;
	case KEY_DIFF_WIDTH:
		s->side = (enum flame_width)cli_word(cli, "side", sides);
		return true;
	case KEY_THEME:
		s->picture.theme =
			(enum flame_theme)cli_word(cli, "theme", themes);
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

void
flame_settings_parse(struct flame_settings *s, struct cli *cli)
{
	int key;

	memset(s, 0, sizeof(*s));
	report_settings_init(&s->report);
	s->limits.min_width = 1;
	s->limits.max_boxes = 20000;
	s->picture.width = 1200;
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case KEY_WIDTH:
			s->picture.width = cli_between(cli, 200, 100000);
			break;
		case KEY_MIN_WIDTH:
			s->limits.min_width = cli_between(cli, 0, 1000);
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
		case KEY_PIVOT:
			parse_pivot(s, cli);
			break;
		case KEY_SEARCH:
			parse_search(s, cli);
			break;
		default:
			if (!look_option(s, cli, key))
				report_option(&s->report, cli, key);
		}
	}
	if (s->pivot && s->is_reversed)
		die("--pivot and --reverse exclude each other");
	if (s->label)
		add_label(s, cli);
	s->limits.width = s->picture.width - 2 * FLAME_MARGIN;
	report_settings_finish(&s->report, REPORT_UNTRIMMED);
	if (s->report.o.mean)
		die("--mean: means do not add up, and the boxes of a flame "
		    "graph do");
}
