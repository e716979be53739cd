/* cli-input.c - the inputs of a command: see cli.h. */
#include "config.h"

#include "cli.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/regular.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

const char *
cli_input(struct cli *cli)
{
	static const char dash[] = "-";

	if (cli->n_operand == 0)
		return cli->next++ ? NULL : dash;
	if (cli->next == cli->n_operand)
		return NULL;
	if (!strcmp(cli->operand[cli->next], dash))
		for (int i = 0; i < cli->next; i++)
			if (!strcmp(cli->operand[i], dash))
				die("standard input can be read only once");
	return cli->operand[cli->next++];
}

const char *
cli_name(const char *input)
{
	return !strcmp(input, "-") ? "<stdin>" : *input ? input : "''";
}

/* http://host/page, host:80 or host:80/page? */
static bool
is_server(const char *input)
{
	const char *colon = input + strcspn(input, ":/");
	size_t n;

	if (!strncmp(colon, "://", 3))
		return true;
	n = *colon == ':' ? strspn(colon + 1, "0123456789") : 0;
	return n && (!colon[1 + n] || colon[1 + n] == '/');
}

/* localhost, or host/debug/pprof/heap? */
static bool
lacks_port(const char *input)
{
	return !strcmp(input, "localhost") ||
	       !strncmp(input, "localhost/", 10) ||
	       (*input != '/' && *input != '.' && strstr(input, "/pprof/"));
}

int
cli_try_open(const char *input, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct stat sb = { 0 };
	int fd = 0;

	if (strcmp(input, "-"))
		fd = regular_named(input);
	if (fd < 0 && errno == ENOENT && is_server(input))
		st = prof_fail(err, PROF_EIO,
			       "%s; prof-fetch reads http://HOST/PAGE and "
			       "HOST:PORT",
			       strerror(errno));
	else if (fd < 0 && errno == ENOENT && lacks_port(input))
		st = prof_fail(err, PROF_EIO,
			       "%s; a server needs a port: prof-fetch "
			       "%.*s:PORT%s",
			       strerror(errno), (int)strcspn(input, "/"), input,
			       input + strcspn(input, "/"));
	else if (fd < 0 || fstat(fd, &sb) < 0)
		st = prof_fail(err, PROF_EIO, "%s", strerror(errno));
	else if (S_ISDIR(sb.st_mode))
		st = prof_fail(err, PROF_EIO, "%s", strerror(EISDIR));
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
		warn("%zu samples without a stack are left out: %lld %s", n,
		     (long long)sum,
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
