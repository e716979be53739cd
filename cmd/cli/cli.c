/*
 * cli.c - options and messages: see cli.h. The arguments of options are in
 * cli-value.c, the inputs in cli-input.c, the output in cli-output.c.
 */
#include "config.h"

#include "cli.h"
#include "lines.h"
#include "refuse.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/budget.h"
#include "lib/base/confine.h"
#include "lib/base/escape.h"

/* The only mutable state of the front end: the form of messages. */
static const char *program = "profpipe";
static bool quiet;
static bool red;

/* --- messages --- */

void
cli_voice(const char *name, bool is_red)
{
	program = name;
	red = is_red;
}

bool
cli_colours(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no_color && *no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static void __attribute__((format(printf, 1, 0)))
print_message(const char *fmt, va_list ap)
{
	const char *colon = *program ? ": " : "";
	const char *begin = red ? "\033[0;31m" : "";
	const char *end = red ? "\n\033[0m" : "\n";
	struct buf line = { 0 };
	char msg[4096];

	vsnprintf(msg, sizeof(msg), fmt, ap);
	/* One write: the commands of a pipeline share stderr. */
	if (buf_add(&line, begin, strlen(begin)) == 0 &&
	    buf_add(&line, program, strlen(program)) == 0 &&
	    buf_add(&line, colon, strlen(colon)) == 0 &&
	    escape_add(&line, ESCAPE_TEXT, msg, strlen(msg)) == 0 &&
	    buf_add(&line, end, strlen(end)) == 0)
		lines_write(STDERR_FILENO, (const char *)line.data, line.n);
	else
		fprintf(stderr, "%s%sout of memory\n", program, colon);
	buf_release(&line);
}

void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(fmt, ap);
	va_end(ap);
	cli_output_drop();
	exit(CLI_TROUBLE);
}

void
die_nomem(void)
{
	struct prof_err err;

	(void)prof_nomem(&err);
	die("%s", err.msg);
}

void *
allocated(void *p)
{
	if (!p)
		die_nomem();
	return p;
}

void
complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(fmt, ap);
	va_end(ap);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	print_message(fmt, ap);
	va_end(ap);
}

void
warn_sentence(const char *sentence)
{
	warn("%s", sentence);
}

/* --- options --- */

/* Call f for each row of each table of cmd, headings included. */
static void
each_row(const struct cli_cmd *cmd, void (*f)(const struct cli_opt *, void *),
	 void *ctx)
{
	const struct cli_opt *const *g = cmd->groups;
	const struct cli_opt *table = cmd->opts;

	while (table) {
		for (; table->name; table++)
			f(table, ctx);
		table = g ? *g++ : NULL;
	}
}

struct named {
	int key;
	const char *name;
};

static void
find_name(const struct cli_opt *o, void *ctx)
{
	struct named *n = ctx;

	if (o->key == n->key)
		n->name = o->name;
}

const char *
cli_key_name(const struct cli_cmd *cmd, int key)
{
	struct named n = { key, NULL };

	each_row(cmd, find_name, &n);
	return n.name;
}

static bool
is_heading(const struct cli_opt *o)
{
	return o->key == CLI_KEY_HEADING;
}

/* Is it an option of every command, for common_option()? */
static bool
is_common(const struct cli_opt *o)
{
	return o->key == 'o' || o->key == 'q' || o->key == 'h' ||
	       o->key == 'V' || o->key == 'z' || o->key == CLI_KEY_MAX_SIZE ||
	       o->key == CLI_KEY_LIST_OPTIONS;
}

struct getopt_tables {
	struct option *longs;
	char *shorts;
	size_t n;
};

static void
count_opt(const struct cli_opt *o, void *ctx)
{
	*(size_t *)ctx += !is_heading(o);
}

static void
add_opt(const struct cli_opt *o, void *ctx)
{
	struct getopt_tables *t = ctx;
	int has = !o->arg            ? no_argument
		  : o->arg[0] == '[' ? optional_argument
				     : required_argument;

	if (is_heading(o))
		return;
	t->longs[t->n++] = (struct option){ o->name, has, NULL, o->key };
	if (o->key < CLI_LONG) {
		*t->shorts++ = (char)o->key;
		for (int i = 0; i < has; i++)
			*t->shorts++ = ':';
	}
}

static void
make_tables(struct cli *cli)
{
	struct getopt_tables t = { 0 };
	size_t n = 0;

	each_row(cli->cmd, count_opt, &n);
	cli->getopt = t.longs = calloc(n + 1, sizeof(*t.longs));
	cli->shorts = t.shorts = calloc(1, n * 3 + 3);
	if (!t.longs || !t.shorts)
		die_nomem();
	if (cli->cmd->stop_at_operand)
		*t.shorts++ = '+';
	*t.shorts++ = ':';
	each_row(cli->cmd, add_opt, &t);
}

static char **
copy_words(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));

	if (!copy)
		die_nomem();
	for (int i = 0; i < argc; i++) {
		copy[i] = strdup(argv[i]);
		if (!copy[i])
			die_nomem();
	}
	return copy;
}

/*
 * pprof's --sample_index and --sample-index are the same option. Only the word
 * that getopt takes next is changed: later ones may be arguments, or the
 * command line of another program.
 */
static void
normalize_next(struct cli *cli)
{
	int i = optind;

	while (i < cli->argc && !cli->cmd->stop_at_operand &&
	       (cli->argv[i][0] != '-' || !cli->argv[i][1]))
		i++;
	if (i == cli->argc)
		return;
	refuse_one_dash(cli, cli->argv[i]);
	if (strncmp(cli->argv[i], "--", 2) != 0)
		return;
	for (char *p = cli->argv[i]; *p && *p != '='; p++)
		if (*p == '_')
			*p = '-';
}

/* What cli_init() changes. */
static struct {
	bool is_closed[3];
	sighandler_t on_pipe, on_bus;
} inherited;

/*
 * The parent may have closed 0, 1 or 2; a file opened later would then become a
 * standard stream. Open each on a descriptor that fails when used, so that
 * output is never lost silently.
 */
static void
valid_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) == 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(CLI_TROUBLE);
		inherited.is_closed[fd] = true;
	}
}

static void
on_file_limit(int sig)
{
	(void)sig;
}

/* A file at its largest size (ulimit -f) is an error of write(), as a full disk
 * is. A handler, unlike SIG_IGN, does not pass to programs that we execute. */
static void
outlive_file_limit(void)
{
	if (signal(SIGXFSZ, on_file_limit) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

void
cli_hand_on(void)
{
	signal(SIGPIPE, inherited.on_pipe);
	signal(SIGBUS, inherited.on_bus);
	for (int fd = 0; fd <= 2; fd++)
		if (inherited.is_closed[fd])
			close(fd);
}

void
cli_init(struct cli *cli, const struct cli_cmd *cmd, int argc, char **argv)
{
	valid_descriptors();
	inherited.on_pipe = signal(SIGPIPE, SIG_DFL);
	inherited.on_bus = signal(SIGBUS, SIG_DFL);
	outlive_file_limit();
	program = cmd->name;
	sigbus_catch(program);
	memset(cli, 0, sizeof(*cli));
	cli->cmd = cmd;
	cli->max_size = STREAM_MAX_SIZE;
	if (cli_key_name(cmd, CLI_KEY_MAX_SIZE))
		budget_begin(BUDGET_LEAST);
	cli->argc = argc;
	cli->argv = copy_words(argc, argv);
	make_tables(cli);
	opterr = 0;
	optind = 1;
}

/* The state of --help: the part, and the heading that is due. */
struct help {
	const char *heading;
	bool common; /* printing the options of every command */
};

/* Print text in lines of at most 79 columns, each from column HELP_AT on. */
enum { HELP_AT = 30, HELP_WIDTH = 79 - HELP_AT };

static void
put_wrapped(const char *text)
{
	size_t n;

	while ((n = strlen(text)) > HELP_WIDTH) {
		for (n = HELP_WIDTH; n && text[n] != ' ';)
			n--;
		if (!n)
			break;
		printf("%.*s\n%*s", (int)n, text, HELP_AT, "");
		text += n + 1;
	}
	puts(text);
}

static void
help_row(const struct cli_opt *o, void *ctx)
{
	struct help *h = ctx;
	char left[64], shown[8] = "    ";
	const char *arg = o->arg ? o->arg : "";
	bool is_optional = arg[0] == '[';

	if (is_heading(o) && !h->common)
		h->heading = o->help;
	if (is_heading(o) || is_common(o) != h->common)
		return;
	if (h->heading)
		printf("\n%s:\n", h->heading);
	h->heading = NULL;
	if (!strcmp(arg, "[BOOL]"))
		arg = "", is_optional = false;
	if (o->key < CLI_LONG)
		snprintf(shown, sizeof(shown), "-%c, ", o->key);
	snprintf(left, sizeof(left), "%s--%s%s%s%s", shown, o->name,
		 is_optional ? "[" : "", *arg ? "=" : "", arg + is_optional);
	printf("  %-28s", left);
	if (strlen(left) >= HELP_AT - 2)
		printf("\n%*s", HELP_AT, "");
	put_wrapped(o->help);
}

static void
count_switch(const struct cli_opt *o, void *ctx)
{
	*(size_t *)ctx += o->arg && !strcmp(o->arg, "[BOOL]");
}

static void
print_help(const struct cli_cmd *cmd)
{
	struct help own = { "Options", false };
	struct help common = { "Common options", true };
	size_t n_switch = 0;

	printf("Usage: %s [OPTION]... %s\n%s\n", cmd->name, cmd->args,
	       cmd->brief);
	each_row(cmd, help_row, &own);
	each_row(cmd, help_row, &common);
	each_row(cmd, count_switch, &n_switch);
	if (n_switch)
		fputs("\nA switch is turned off by --NAME=false.", stdout);
	printf("\nThe manual page %s(1) says more.\n", cmd->name);
}

static void
list_opt(const struct cli_opt *o, void *ctx)
{
	char letter[3] = { o->key < CLI_LONG ? '-' : 0, (char)o->key };

	(void)ctx;
	if (is_heading(o))
		return;
	printf("--%s\t%s\t%s\t%s\n", o->name, o->key < CLI_LONG ? letter : "",
	       o->arg ? o->arg : "", o->help);
}

static _Noreturn void
print_and_exit(struct cli *cli, int key)
{
	const struct cli_cmd *cmd = cli->cmd;

	if (key == 'V') {
		printf("%s (profpipe) %s\n", cmd->name, PACKAGE_VERSION);
		if (cli_sandbox_version())
			printf("sandbox: landlock %d\n", cli_sandbox_version());
		if (!confine_has_filter())
			puts("sandbox: no seccomp");
		if (*LEFT_OUT)
			printf("built without:%s\n", LEFT_OUT);
	} else if (key == 'h') {
		print_help(cmd);
	} else {
		each_row(cmd, list_opt, NULL);
	}
	cli->output = NULL;
	exit(cli_finish(cli, EXIT_SUCCESS));
}

static void
set_format(struct cli *cli)
{
	cli->has_format = true;
	if (!strncmp(cli->arg, "zstd", 4) &&
	    (cli->arg[4] == ':' || !cli->arg[4])) {
		cli->format.kind = STREAM_ZSTD;
		cli->format.level = 3;
		if (!cli->arg[4])
			return;
		cli->arg += 5;
		cli->format.level = (int)cli_uint(cli, 1, 19);
	} else {
		cli->format.kind = STREAM_GZIP;
		cli->format.level = (int)cli_uint(cli, 0, 9);
	}
}

/* Handle an option of every command; false: it is not one. */
static bool
common_option(struct cli *cli, int key)
{
	switch (key) {
	case 'h':
	case 'V':
	case CLI_KEY_LIST_OPTIONS:
		print_and_exit(cli, key);
	case 'o':
		/* pprof's users may mean --output, and not "utput=FILE". */
		if (!strncmp(cli->arg, "utput", 5) &&
		    (!cli->arg[5] || cli->arg[5] == '='))
			die("unknown option '-o%s': long options begin with "
			    "two dashes",
			    cli->arg);
		cli->output = cli->arg;
		return true;
	case 'q':
		quiet = cli->is_quiet = true;
		return true;
	case 'z':
		set_format(cli);
		return true;
	case CLI_KEY_MAX_SIZE:
		cli->max_size = cli_size(cli);
		budget_begin(cli->max_size);
		return true;
	}
	return false;
}

int
cli_option(struct cli *cli)
{
	int key;

	do {
		const char *word;
		int at = optind;

		normalize_next(cli);
		key = getopt_long(cli->argc, cli->argv, cli->shorts,
				  cli->getopt, NULL);
		cli->arg = optarg;
		cli->key = key;
		word = cli->argv[optind > at ? optind - 1 : at];
		if (optarg && optarg == word)
			word = cli->argv[optind - 2];
		if (key == '?' ||
		    (key != CLI_DONE && refuse_is_elsewhere(cli, word)))
			refuse_option(cli, word);
		if (key == ':')
			die("option '%s' needs an argument",
			    cli->argv[optind - 1]);
		if (optarg && optarg == cli->argv[optind - 1])
			cli->taken = optind - 2;
	} while (key != CLI_DONE && common_option(cli, key));
	if (key == CLI_DONE) {
		cli->operand = cli->argv + optind;
		cli->n_operand = cli->argc - optind;
	}
	return key;
}

/* --- exit --- */

static void
close_stdout(void)
{
	bool failed = ferror(stdout);

	if (fclose(stdout) != 0 || failed)
		die("write error: %s", strerror(errno ? errno : EIO));
}

int
cli_finish(struct cli *cli, int status)
{
	cli_output_close(cli);
	close_stdout();
	for (int i = 0; i < cli->argc; i++)
		free(cli->argv[i]);
	free(cli->argv);
	free(cli->getopt);
	free(cli->shorts);
	return status;
}
