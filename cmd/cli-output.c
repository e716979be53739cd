/*
 * cli-output.c - where a command's output goes; see cli.h.
 *
 * A file of -o appears whole or not at all. It is written without a name
 * (O_TMPFILE), so that not even SIGKILL leaves a piece of it behind, and gets
 * its name at the end. File systems that can't do that get a temporary name,
 * removed at exit.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "lib/compress.h"
#include "lib/profile.h"

struct cli_output {
	char *path;    /* where it will be; NULL: not a file to put in place */
	char *temp;    /* its name until then, beside path */
	bool is_named; /* temp exists */
	int fd;
	FILE *text;
};

/* The temporary that is to be removed if the process ends early. */
static const char *abandoned;

static void
remove_abandoned(void)
{
	if (abandoned)
		unlink(abandoned);
}

static _Noreturn void
die_output(const char *path)
{
	die("%s: %s", path ? path : "<stdout>", strerror(errno));
}

/* Name the temporary: ".NAME.PID-N" in the folder of path. */
static void
temp_name(struct cli_output *out, unsigned n)
{
	char *dir = strdup(out->path), *base = strdup(out->path);

	free(out->temp);
	if (!dir || !base ||
	    asprintf(&out->temp, "%s/.%s.%ld-%u", dirname(dir), basename(base),
		     (long)getpid(), n) < 0)
		die("out of memory");
	free(dir);
	free(base);
}

static void
open_named(struct cli_output *out)
{
	for (unsigned n = 0; n < 100; n++) {
		temp_name(out, n);
		out->fd = open(out->temp,
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (out->fd >= 0) {
			out->is_named = true;
			abandoned = out->temp;
			atexit(remove_abandoned);
			return;
		}
		if (errno != EEXIST)
			break;
	}
	die_output(out->path);
}

static void
open_unnamed(struct cli_output *out)
{
#ifdef O_TMPFILE
	char *dir = strdup(out->path);

	if (!dir)
		die("out of memory");
	out->fd = open(dirname(dir), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	free(dir);
	if (out->fd >= 0)
		return;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		die_output(out->path);
#endif
	open_named(out);
}

static struct cli_output *
output_open(struct cli *cli)
{
	struct cli_output *out = calloc(1, sizeof(*out));
	struct stat sb;

	if (!out)
		die("out of memory");
	cli->out = out;
	if (!cli->output || !strcmp(cli->output, "-")) {
		out->fd = STDOUT_FILENO;
		return out;
	}
	/* A device or a pipe is written to, not replaced. */
	if (stat(cli->output, &sb) == 0 && !S_ISREG(sb.st_mode)) {
		out->fd = open(cli->output, O_WRONLY | O_CLOEXEC);
		if (out->fd < 0)
			die_output(cli->output);
		return out;
	}
	/* The file behind a link is replaced, not the link. */
	out->path = realpath(cli->output, NULL);
	if (!out->path)
		out->path = strdup(cli->output);
	if (!out->path)
		die("out of memory");
	open_unnamed(out);
	return out;
}

/* Give the finished file its name. */
static void
put_in_place(struct cli_output *out)
{
	char self[40];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
	for (unsigned n = 0; !out->is_named; n++) {
		temp_name(out, n);
		if (linkat(AT_FDCWD, self, AT_FDCWD, out->temp,
			   AT_SYMLINK_FOLLOW) == 0) {
			out->is_named = true;
			abandoned = out->temp;
			atexit(remove_abandoned);
		} else if (errno != EEXIST || n == 100) {
			die_output(out->path);
		}
	}
	if (rename(out->temp, out->path) < 0)
		die_output(out->path);
	abandoned = NULL;
}

void
cli_output_close(struct cli *cli)
{
	struct cli_output *out = cli->out;

	if (!out)
		return;
	if (out->text && (fflush(out->text) != 0 || ferror(out->text)))
		die("%s: write error: %s",
		    cli->output ? cli->output : "<stdout>", strerror(errno));
	if (out->path)
		put_in_place(out);
	if (out->text && out->text != stdout)
		fclose(out->text);
	else if (out->fd != STDOUT_FILENO && close(out->fd) < 0)
		die_output(cli->output);
	free(out->path);
	free(out->temp);
	free(out);
	cli->out = NULL;
}

FILE *
cli_text(struct cli *cli)
{
	struct cli_output *out = cli->out ? cli->out : output_open(cli);

	if (out->text)
		return out->text;
	out->text = out->fd == STDOUT_FILENO ? stdout : fdopen(out->fd, "w");
	if (!out->text)
		die_output(cli->output);
	/* A page at a time would be a system call for each 40 lines. */
	setvbuf(out->text, NULL, _IOFBF, 1 << 17);
	return out->text;
}

static void
refuse_terminal(int fd)
{
	if (isatty(fd))
		die("a profile is not written to a terminal; use -o FILE, or "
		    "pipe it into prof-text");
}

void
cli_check_output(const struct cli *cli)
{
	struct stat sb;
	char *dir;

	if (!cli->output || !strcmp(cli->output, "-")) {
		refuse_terminal(STDOUT_FILENO);
		return;
	}
	dir = strdup(cli->output);
	if (!dir)
		die("out of memory");
	if (stat(dirname(dir), &sb) < 0)
		die_output(cli->output);
	free(dir);
}

void
cli_write(struct cli *cli, const struct profile *p)
{
	struct cli_output *out = output_open(cli);
	struct stream_format format = { STREAM_GZIP, 6 };
	struct prof_err err;
	struct stat sb;

	refuse_terminal(out->fd);
	if (fstat(out->fd, &sb) == 0 && S_ISFIFO(sb.st_mode)) {
		format.level = 0;
#ifdef F_SETPIPE_SZ
		fcntl(out->fd, F_SETPIPE_SZ, 1 << 20);
#endif
	}
	if (cli->has_format)
		format = cli->format;
	if (profile_write(out->fd, p, format, &err) != PROF_OK)
		die("%s: write error: %s",
		    cli->output ? cli->output : "<stdout>", err.msg);
}

void
cli_bytes(struct cli *cli, const void *data, size_t n, bool is_text)
{
	struct cli_output *out = output_open(cli);
	struct prof_err err;

	if (!is_text && isatty(out->fd))
		die("a picture is not written to a terminal; use -o FILE");
	if (write_all(out->fd, data, n, &err) != PROF_OK)
		die("%s: write error: %s",
		    cli->output ? cli->output : "<stdout>", err.msg);
}
