/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/match.h"
#include "lib/base/regular.h"

enum {
	KEY_VIEW = CLI_LONG, /* + enum list_view, in that order */
	KEY_JSON = CLI_LONG + 10,
	KEY_MAP,
	KEY_INTEL,
	KEY_SEARCH_PATH,
	KEY_DIFF,
};

const struct cli_opt *const list_groups[] = { report_opts, refine_opts,
					      network_opts, NULL };

const struct cli_opt list_opts[] = {
	{ KEY_VIEW + VIEW_LIST, "list", "[REGEX]",
	  "print source lines with their values (default)" },
	{ KEY_VIEW + VIEW_DISASM, "disasm", "[REGEX]",
	  "print instructions with their values, of functions or at an "
	  "address" },
	{ KEY_VIEW + VIEW_WEBLIST, "weblist", "[REGEX]",
	  "write a page of source lines that open to their instructions" },
	{ KEY_JSON, "json", "[BOOL]", "print the same as JSON" },
	{ KEY_DIFF, "diff", "[BOOL]",
	  "print before and after, of what prof-diff writes" },
	{ KEY_MAP, "map", "FROM=TO",
	  "look below TO for files that are recorded below FROM" },
	{ KEY_INTEL, "intel-syntax", "[BOOL]",
	  "print x86 instructions as Intel writes them" },
	{ KEY_SEARCH_PATH, "search-path", "DIRS",
	  "look for binaries in DIRS too ($PPROF_BINARY_PATH)" },
	{ 'v', "verbose", NULL,
	  "count the functions, name each place searched for sources" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static void
set_view(struct list_settings *s, struct cli *cli, enum list_view view)
{
	if (s->option && s->view != view)
		die("--%s and --%s exclude each other", s->option,
		    list_opts[view].name);
	s->option = list_opts[view].name;
	s->view = view;
	if (cli->arg)
		s->pattern = cli->arg;
}

static void
add_map(struct list_settings *s, struct cli *cli)
{
	struct sources_options *o = &s->sources;
	const char **map;

	if (!strchr(cli->arg, '='))
		cli_bad_arg(cli, "FROM=TO");
	map = reallocarray(s->map, o->n_map + 1, sizeof(*map));
	if (!map)
		die_nomem();
	map[o->n_map++] = cli->arg;
	s->map = map;
	o->map = map;
}

/*
 * A pattern that is a number is an address, as is FILE+0xOFFSET. Numbers are
 * those of C, and pprof's 0b1 and 0o7.
 */
static void
take_address(struct list_settings *s)
{
	const char *text = s->pattern, *plus = strrchr(text, '+');
	int base = 0;
	char *end;

	if (plus && plus > text && !strncmp(plus, "+0x", 3)) {
		s->object = strndup(text, (size_t)(plus - text));
		if (!s->object)
			die_nomem();
		text = plus + 1;
	}
	if (*text < '0' || *text > '9')
		return;
	if (text[0] == '0' && strchr("bBoO", text[1]) && text[1]) {
		base = text[1] == 'b' || text[1] == 'B' ? 2 : 8;
		text += 2;
	}
	errno = 0;
	s->address = strtoull(text, &end, base);
	s->has_address = *text && !*end && errno == 0;
}

/* Is path a file with the first bytes of a profile? */
static bool
is_profile(const char *path)
{
	char head[8];
	struct prof_err err;
	struct stat sb;
	int fd = regular_open(path, false, &sb, &err);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(head) &&
	       (!memcmp(head, "\37\213", 2) || !memcmp(head, "PERFILE2", 8));
}

/* Say the right order, rather than search a file's name for functions. */
static void
check_order(const char *pattern, const struct cli *cli)
{
	const char *next = cli->n_operand ? *cli->operand : "REGEX";

	if (is_profile(pattern))
		die("%s is a profile in the place of REGEX: "
		    "use prof-list %s %s",
		    pattern, is_profile(next) ? "REGEX" : next, pattern);
}

/* The first operand, unless the pattern was given with the view. */
static void
take_pattern(struct list_settings *s, struct cli *cli)
{
	struct prof_err err;

	if (!s->pattern) {
		if (!cli->n_operand)
			die("no REGEX: use prof-list REGEX FILE");
		s->pattern = *cli->operand++;
		cli->n_operand--;
		check_order(s->pattern, cli);
	}
	if (s->view != VIEW_LIST)
		take_address(s);
	if (match_new("argument", s->pattern, 0, &s->match, &err) != PROF_OK)
		die("%s", err.msg);
}

void
list_settings_parse(struct list_settings *s, struct cli *cli)
{
	struct report_options *o = &s->report.o;
	int key;

	memset(s, 0, sizeof(*s));
	report_settings_init(&s->report);
	network_init(&s->network);
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case KEY_VIEW + VIEW_LIST:
		case KEY_VIEW + VIEW_DISASM:
		case KEY_VIEW + VIEW_WEBLIST:
			set_view(s, cli, key - KEY_VIEW);
			break;
		case KEY_JSON:
			s->is_json = cli_bool(cli);
			break;
		case KEY_DIFF:
			s->diff = cli_bool(cli);
			break;
		case KEY_MAP:
			add_map(s, cli);
			break;
		case KEY_INTEL:
			s->intel = cli_bool(cli);
			break;
		case KEY_SEARCH_PATH:
			s->search_path = cli->arg;
			break;
		case 'v':
			s->is_verbose = true;
			break;
		default:
			if (!network_option(&s->network, cli, key))
				report_option(&s->report, cli, key);
		}
	}
	if (s->view == VIEW_WEBLIST && s->is_json)
		die("--json is for --list and --disasm");
	if (s->diff && s->view != VIEW_LIST)
		die("--diff is for source lines: it excludes --%s", s->option);
	take_pattern(s, cli);
	network_finish(&s->network);
	report_settings_finish(&s->report, REPORT_UNTRIMMED);
	o->frames.granularity = BY_LINE;
	o->frames.by_object = true;
	s->sources.source_path = o->frames.source_path;
}

void
list_settings_release(struct list_settings *s)
{
	match_free(s->match);
	free(s->map);
	free(s->object);
}
