/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <string.h>

#include "cli/match.h"
#include "lib/gate/stats.h"
#include "open.h"

/* Functions whose instructions are in the page, unless --asm says so. */
#if HAVE_LIBELF && HAVE_CAPSTONE
enum { HOT_CODE = 20 };
#else
enum { HOT_CODE = 0 };
#endif

enum {
	KEY_TITLE = CLI_LONG,
	KEY_VIEW,
	KEY_THEME,
	KEY_MAX_NODES,
	KEY_SOURCE,
	KEY_SOURCE_SIZE,
	KEY_ASM,
	KEY_NO_SOURCE,
	KEY_SEARCH_PATH,
	KEY_EMBED_PROFILE,
	KEY_NO_COMPRESS,
	KEY_OPEN,
};

const struct cli_opt html_opts[] = {
	{ KEY_TITLE, "title", "TEXT", "title (the program and the type)" },
	{ KEY_VIEW, "view", "VIEW", "view that is shown first (flame)" },
	{ KEY_THEME, "theme", "THEME", "auto, light or dark (auto)" },
	{ KEY_MAX_NODES, "max-nodes", "N",
	  "fold the lightest of more nodes (4000000; 0: none)" },
	{ KEY_SOURCE, "source", "N|REGEX",
	  "include the source of the N heaviest functions (60), or of these" },
	{ KEY_SOURCE_SIZE, "source-size", "SIZE",
	  "include at most SIZE bytes of source (256K)" },
	{ KEY_ASM, "asm", "N",
	  "include the instructions of the N hottest functions (20)" },
	{ KEY_NO_SOURCE, "no-source", "[BOOL]",
	  "include neither source nor instructions" },
	{ KEY_SEARCH_PATH, "search-path", "DIRS",
	  "look for binaries in DIRS too ($PPROF_BINARY_PATH)" },
	{ KEY_EMBED_PROFILE, "embed-profile", "[BOOL]",
	  "include the profile, for a download button" },
	{ KEY_NO_COMPRESS, "no-compress", "[BOOL]",
	  "do not compress the data: for old browsers" },
	{ KEY_OPEN, "open", "[BOOL]", "show the page in a browser" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

/* A number, or a pattern besides the heaviest. */
static void
take_source(struct html_settings *s, struct cli *cli)
{
	struct prof_err err;

	if (!cli->arg[strspn(cli->arg, "0123456789")]) {
		s->code.n_source = cli_uint(cli, 0, 100000);
		return;
	}
	match_free(s->code.match);
	s->code.pattern = cli->arg;
	if (match_new("source", cli->arg, 0, &s->code.match, &err) != PROF_OK)
		die("%s", err.msg);
}

static void
own_option(struct html_settings *s, struct cli *cli, int key)
{
	static const char *const themes[] = { "auto", "light", "dark", NULL };
	static const char *const views[] = {
		"flame",  "sandwich", "tree", "graph",   "source",
		"labels", "info",     "top",  "callers", NULL,
	};

	switch (key) {
	case KEY_TITLE:
		s->page.title = cli->arg;
		break;
	case KEY_VIEW:
		s->page.view = views[cli_word(cli, "view", views)];
		break;
	case KEY_THEME:
		s->page.theme = themes[cli_word(cli, "theme", themes)];
		break;
	case KEY_MAX_NODES:
		s->max_nodes = cli_uint(cli, 0, UINT32_MAX);
		break;
	case KEY_SOURCE:
		take_source(s, cli);
		break;
	case KEY_SOURCE_SIZE:
		s->code.max_text = cli_size(cli);
		break;
	case KEY_ASM:
		s->code.n_asm = cli_uint(cli, 0, 100000);
		if (s->code.n_asm && !HOT_CODE)
			die("--asm: this build cannot disassemble");
		break;
	case KEY_NO_SOURCE:
		s->no_source = cli_bool(cli);
		break;
	case KEY_SEARCH_PATH:
		s->code.search_path = cli->arg;
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

void
html_settings_parse(struct html_settings *s, struct cli *cli)
{
	int key;

	*s = (struct html_settings)HTML_SETTINGS_PLAIN;
	report_settings_init(&s->report);
	s->code.n_source = 60;
	s->code.max_text = 256 << 10;
	s->code.n_asm = HOT_CODE;
	s->dist = stats_dist;
	while ((key = cli_option(cli)) != CLI_DONE)
		if (!report_option(&s->report, cli, key))
			own_option(s, cli, key);
	if (s->no_source) {
		s->code.n_source = s->code.n_asm = 0;
		match_free(s->code.match);
		s->code.match = NULL;
	}
	report_settings_finish(&s->report, REPORT_DRAWING);
	if (s->opens && !cli->output)
		cli->output = s->opened = open_temporary();
}
