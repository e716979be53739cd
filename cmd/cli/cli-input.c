/* cli-input.c - the inputs of a command: see cli.h. */
#include "config.h"

#include "cli.h"
#include "refuse.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/regular.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

/* For advise(): the command, and the last of several files to sum, which is
 * perhaps meant to be written. */
static const char *command = "", *last_file;

/* Die if there is no file to read, as an option has it: --focus cpu.pb.gz. */
static void
refuse_taken(const struct cli *cli)
{
	struct stat in, sb;

	if (cli->taken && fstat(STDIN_FILENO, &in) == 0 &&
	    S_ISCHR(in.st_mode) && stat(cli->argv[cli->taken + 1], &sb) == 0 &&
	    S_ISREG(sb.st_mode))
		die("no file to read: '%s' is the argument of %s",
		    cli->argv[cli->taken + 1], cli->argv[cli->taken]);
}

const char *
cli_input(struct cli *cli)
{
	static const char dash[] = "-";

	command = cli->cmd->name;
	if (cli->n_operand == 0 && !cli->next)
		refuse_taken(cli);
	if (cli->n_operand == 0)
		return cli->next++ ? NULL : dash;
	if (cli->next == cli->n_operand)
		return NULL;
	if (!strcmp(cli->operand[cli->next], dash))
		for (int i = 0; i < cli->next; i++)
			if (!strcmp(cli->operand[i], dash))
				die("standard input can be read only once");
	if (!cli->output && cli->next > 0 && cli->next + 1 == cli->n_operand &&
	    strstr(cli->cmd->args, "FILE"))
		last_file = cli->operand[cli->next];
	return cli->operand[cli->next++];
}

const char *
cli_name(const char *input)
{
	return !strcmp(input, "-") ? "<stdin>" : *input ? input : "''";
}

/* Is it host:80 or host:80/page? */
static bool
has_port(const char *input, size_t n)
{
	size_t n_digit = input[n] ? strspn(input + n + 1, "0123456789") : 0;

	return n_digit && n_digit < 6 && atoi(input + n + 1) <= UINT16_MAX &&
	       (!input[n + 1 + n_digit] || input[n + 1 + n_digit] == '/');
}

/* localhost, 10.0.0.1, or host/debug/pprof/heap? */
static bool
lacks_port(const char *input, size_t n)
{
	return (n == 9 && !strncmp(input, "localhost", n)) ||
	       (*input != '.' && n == strspn(input, "0123456789.") &&
		memchr(input, '.', n)) ||
	       (*input != '/' && *input != '.' && strstr(input, "/pprof/"));
}

/* Is it the name of a report, where a profile should be? */
static bool
is_output(const char *input)
{
	static const char *const ends[] = { ".svg", ".html", ".png", ".pdf",
					    ".dot" };
	size_t n = strlen(input);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (n > strlen(ends[i]) &&
		    !strcmp(input + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Say in the n_msg bytes at msg what may be meant by input, which is no file.
 */
static void
advise(const char *input, char *msg, size_t n_msg)
{
	size_t n = strcspn(input, ":/"); /* of a host */
	const char *other = refuse_elsewhere(input, strlen(input));
	bool is_url = !strncmp(input + n, "://", 3),
	     has_colon = input[n] == ':';

	if (!is_url && input[n] && (n == 4 || n == 5) &&
	    !strncmp(input, "https", n))
		snprintf(msg, n_msg,
			 "; an address begins with http:// or https://");
	else if (is_url && !strncmp(input, "file", n))
		snprintf(msg, n_msg, "; a file is named by its path, %s",
			 input + n + 3);
	else if (is_url || (has_colon && has_port(input, n)))
		snprintf(msg, n_msg,
			 "; prof-fetch reads http://HOST/PAGE and HOST:PORT");
	else if (input[strcspn(input, "*?")])
		snprintf(msg, n_msg, "; no file has a name of that pattern");
	else if (is_output(input))
		snprintf(msg, n_msg, "; -o %s would write it", input);
	else if (other && !strcmp(other, command))
		snprintf(msg, n_msg, "; leave it out: %s does that", other);
	else if (other)
		snprintf(msg, n_msg, "; see %s", other);
	else if (n && has_colon && !strchr(input, '.'))
		snprintf(msg, n_msg,
			 "; the port of a server, HOST:PORT, is a "
			 "number up to 65535");
	else if (n && strspn(input, "0123456789") == strlen(input))
		snprintf(msg, n_msg,
			 "; a server needs a host: prof-fetch localhost:%s",
			 input);
	else if (lacks_port(input, n))
		snprintf(msg, n_msg,
			 "; a server needs a port: prof-fetch %.*s:PORT%s",
			 (int)n, input, input + n);
	else if (input == last_file)
		snprintf(msg, n_msg, "; -o %s would write it", input);
}

/* Why input cannot be opened, by errno. */
static enum prof_status
cannot_open(const char *input, struct prof_err *err)
{
	int error = errno;
	size_t n;

	(void)prof_fail(err, PROF_EIO, "%s", strerror(error));
	n = strlen(err->msg);
	if (error == ENOENT)
		advise(input, err->msg + n, sizeof(err->msg) - n);
	return PROF_EIO;
}

int
cli_try_open(const char *input, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct stat sb = { 0 };
	int fd = 0;

	if (strcmp(input, "-"))
		fd = regular_named(input);
	if (fd < 0 || fstat(fd, &sb) < 0)
		st = cannot_open(input, err);
	else if (S_ISDIR(sb.st_mode))
		st = prof_fail(err, PROF_EIO, "%s; name the files in it: %s/*",
			       strerror(EISDIR),
			       !strcmp(input, "/") ? "" : input);
	else if (isatty(fd))
		st = prof_fail(err, PROF_EIO,
			       "a profile is not read from a terminal; name a "
			       "file, or pipe one in");
	if (st != PROF_OK) {
		if (fd > 0)
			close(fd);
		return -1;
	}
#ifdef F_SETPIPE_SZ
	if (S_ISFIFO(sb.st_mode))
		fcntl(fd, F_SETPIPE_SZ, 1 << 20); /* only a hint */
#endif
	interrupt_outlive(fd);
	return fd;
}

int
cli_open(const char *input)
{
	struct prof_err err;
	int fd = cli_try_open(input, &err);

	if (fd < 0)
		die("%s: %s", cli_name(input), err.msg);
	return fd;
}

void
cli_close(int fd)
{
	interrupt_allow(fd);
	if (fd > 0)
		close(fd);
}

void
cli_doubts(const char *input, const struct profile *p)
{
	for (size_t i = 0; i < p->n_doubt; i++)
		warn("%s: %s", cli_name(input), p->doubt[i]);
}

void
cli_stackless(const struct profile *p, size_t column)
{
	int64_t sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n_sample; i++)
		if (!p->sample[i].n_stack && profile_value(p, i)[column]) {
			sum = units_add(sum, profile_value(p, i)[column]);
			n++;
		}
	if (n)
		warn("left out %zu sample%s without a stack: %lld %s", n,
		     n == 1 ? "" : "s", (long long)sum,
		     cli_name(p->strings.str[p->type[column].unit].s));
}

struct profile *
cli_read(struct cli *cli, const char *input)
{
	struct prof_err err;
	struct profile *p;
	int fd = cli_open(input);

	if (profile_read(fd, cli->max_size, &p, &err) != PROF_OK)
		die("%s: %s", cli_name(input), err.msg);
	cli_doubts(input, p);
	cli_close(fd);
	return p;
}
