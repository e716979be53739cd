/*
 * prof-shell.c - pprof's interactive mode, with the reports of the other
 * commands. Reading the profile: shell/source.h; lines, settings and steps:
 * shell/session.h; commands: shell/commands.h, and running them: shell/run.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/report-options.h"
#include "lib/model/profile.h"
#include "shell/edit.h"
#include "shell/line.h"
#include "shell/session.h"
#include "shell/source.h"

enum {
	KEY_BASE = CLI_LONG,
	KEY_DIFF_BASE,
	KEY_NORMALIZE,
	KEY_SYMBOLIZE,
	KEY_SETTING, /* from here on: settings of the same name */
};

static const struct cli_opt opts[] = {
	CLI_HEADING("Session"),
	{ 'e', "execute", "LINES",
	  "obey LINES, joined by ';', and end (again: more)" },
	{ KEY_BASE, "base", "FILE", "subtract the profile FILE" },
	{ KEY_DIFF_BASE, "diff-base", "FILE",
	  "compare with the profile FILE: percentages are of it" },
	{ KEY_NORMALIZE, "normalize", "[BOOL]",
	  "scale to the totals that the base has" },
	{ KEY_SYMBOLIZE, "symbolize", "WORDS",
	  "local, remote, none or force, as prof-symbolize has it" },
	CLI_HEADING("Settings, which the session can change"),
	{ KEY_SETTING, "cum", "[BOOL]", "sort by value with callees" },
	{ KEY_SETTING + 1, "flat", "[BOOL]", "sort by own value (default)" },
	{ KEY_SETTING + 2, "call-tree", "[BOOL]",
	  "draw each path as a branch of its own" },
	{ KEY_SETTING + 3, "compact-labels", "[BOOL]",
	  "leave out the header lines of the profile (true)" },
	{ KEY_SETTING + 4, "intel-syntax", "[BOOL]",
	  "print x86 instructions as Intel writes them" },
	CLI_READ_OPTS,
	CLI_COMMON_OPTS,
	{ 0 }
};

static const struct cli_cmd cmd = {
	.name = "prof-shell",
	.args = "FILE...",
	.brief = "explore a profile at a prompt, as with pprof",
	.opts = opts,
	.groups = report_groups,
};

struct arguments {
	struct source_options source;
	const char **lines; /* n_lines of -e */
	size_t n_lines;
	struct settings settings;
};

static void
list_append(const char ***list, size_t *n, const char *text)
{
	const char **grown = reallocarray(*list, *n + 1, sizeof(*grown));

	if (!grown)
		die_nomem();
	*list = grown;
	grown[(*n)++] = text;
}

static void
setting_put(struct settings *s, enum setting k, const char *value)
{
	if (settings_put(s, k, value) < 0)
		die_nomem();
}

/* Options that select a column: --alloc-space, --mean-delay. The first one
 * counts, as in reports. */
static void
put_column(struct arguments *a, struct cli *cli, const char *name)
{
	bool is_mean = !strcmp(name, "mean_delay");

	if (!cli_bool(cli))
		return;
	if (is_mean)
		setting_put(&a->settings, SET_MEAN, "true");
	if (!settings_is_standard(&a->settings, SET_SAMPLE_INDEX))
		warn("multiple value selections, ignoring --%s",
		     cli_key_name(cli->cmd, cli->key));
	else if (is_mean || !strcmp(name, "total_delay"))
		setting_put(&a->settings, SET_SAMPLE_INDEX, "delay");
	else
		setting_put(&a->settings, SET_SAMPLE_INDEX, name);
}

/* Options that are a word of a setting: --lines, --cum. */
static void
put_choice(struct arguments *a, struct cli *cli, enum setting k)
{
	const char *name = cli_key_name(cli->cmd, cli->key);

	if (!cli_bool(cli))
		return;
	if (k == SET_GRANULARITY && !settings_is_standard(&a->settings, k) &&
	    strcmp(a->settings.value[k], name) != 0)
		die("--%s and --%s exclude each other", a->settings.value[k],
		    name);
	setting_put(&a->settings, k, name);
}

/* Set an option that is a setting. The column and the unit are checked when the
 * profile is read. */
static void
put_setting(struct arguments *a, struct cli *cli, int key)
{
	const char *value = cli->arg ? cli->arg : "true";
	char *name = strdup(cli_key_name(cli->cmd, key));
	struct prof_err err;
	enum setting k;

	if (!name)
		die_nomem();
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	k = settings_find(name);
	if (k == N_SETTING)
		put_column(a, cli, name);
	else if (k == SET_SAMPLE_INDEX || k == SET_UNIT)
		setting_put(&a->settings, k, value);
	else if (setting_rows[k].kind == SETTING_CHOICE)
		put_choice(a, cli, k);
	else if (settings_assign(&a->settings, NULL, name, value, &err) !=
		 PROF_OK)
		die("--%s: %s", cli_key_name(cli->cmd, key), err.msg);
	free(name);
}

static void
parse_arguments(struct arguments *a, struct cli *cli)
{
	int key;

	if (settings_init(&a->settings) < 0)
		die_nomem();
	while ((key = cli_option(cli)) != CLI_DONE) {
		switch (key) {
		case 'e':
			list_append(&a->lines, &a->n_lines, cli->arg);
			break;
		case KEY_BASE:
		case KEY_DIFF_BASE:
			if (a->source.n_base &&
			    a->source.is_diff != (key == KEY_DIFF_BASE))
				die("--base and --diff-base exclude each "
				    "other");
			a->source.is_diff = key == KEY_DIFF_BASE;
			list_append(&a->source.base, &a->source.n_base,
				    cli->arg);
			break;
		case KEY_NORMALIZE:
			a->source.is_normalized = cli_bool(cli);
			break;
		case KEY_SYMBOLIZE:
			a->source.symbolize = cli->arg;
			break;
		default:
			put_setting(a, cli, key);
		}
	}
	if (!cli->n_operand)
		die("which profile? prof-shell FILE...");
	if (a->source.is_normalized && !a->source.n_base)
		die("--normalize needs --base or --diff-base");
	if (cli->output)
		setting_put(&a->settings, SET_OUTPUT, cli->output);
	cli->output = NULL;
	a->source.is_quiet = cli->is_quiet;
}

/* Open the source of lines: standard input, unless the profile was read from
 * it. */
static int
open_lines(const struct cli *cli)
{
	bool is_profile = false;
	int fd;

	for (int i = 0; i < cli->n_operand; i++)
		is_profile |= !strcmp(cli->operand[i], "-");
	if (!is_profile)
		return STDIN_FILENO;
	fd = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("/dev/tty: %s; a profile on standard input leaves no lines "
		    "to read but those of -e",
		    strerror(errno));
	return fd;
}

static void
obey_option(struct session *s, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;

	if (!copy)
		die_nomem();
	while ((line = strsep(&rest, ";")) && session_line(s, line))
		;
	free(copy);
}

static void
obey_input(struct session *s, int fd)
{
	struct edit *e = edit_new(s, fd);
	bool goes_on = true;
	char *line;

	while (goes_on && (line = edit_line(e))) {
		goes_on = session_line(s, line);
		free(line);
	}
	edit_free(e);
}

int
main(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct session s = { 0 };
	struct prof_err err;
	struct cli cli;
	int fd = -1, status;

	cli_init(&cli, &cmd, argc, argv);
	parse_arguments(&a, &cli);
	s.settings = a.settings;
	s.max_size = cli.max_size;
	s.source = &a.source;
	s.read = session_read;
	s.p = source_open(&cli, s.source);
	if ((!settings_is_standard(&s.settings, SET_SAMPLE_INDEX) &&
	     settings_assign(&s.settings, s.p, "sample_index",
			     s.settings.value[SET_SAMPLE_INDEX],
			     &err) != PROF_OK) ||
	    settings_assign(&s.settings, s.p, "unit",
			    s.settings.value[SET_UNIT], &err) != PROF_OK)
		die("%s", err.msg);
	if (!a.n_lines) {
		fd = open_lines(&cli);
		s.is_terminal = isatty(fd);
	}
	s.is_quiet = cli.is_quiet;
	s.is_red = cli_colours(STDERR_FILENO);
	cli_voice("", s.is_red);
	if (s.is_terminal)
		signal(SIGINT, SIG_IGN);
	if (!a.n_lines && !s.is_quiet)
		session_greet(&s);
	for (size_t i = 0; i < a.n_lines; i++)
		obey_option(&s, a.lines[i]);
	if (!a.n_lines)
		obey_input(&s, fd);
	status = s.is_terminal ? EXIT_SUCCESS : s.status;
	session_release(&s);
	free(a.lines);
	free(a.source.base);
	return cli_finish(&cli, status);
}
