/*
 * cli-output.c - the output of a command; see cli.h. A file of -o appears whole
 * or not at all (lib/base/outfile.h).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "lib/base/retry.h"
#include "lib/model/profile.h"
#include "lines.h"

struct cli_output {
	struct outfile file; /* a file that will replace that of -o */
	int dir;             /* its folder; -1: there is no such file */
	int fd;
	FILE *text;
};

/* The output to remove if the process ends early. */
static const struct cli_output *abandoned;

/* The text that is not closed yet. */
static FILE *unfinished;

void
cli_output_drop(void)
{
	if (unfinished)
		__fpurge(unfinished);
}

static void
remove_abandoned(void)
{
	if (abandoned && abandoned->file.has_temp)
		unlinkat(abandoned->dir, abandoned->file.temp, 0);
}

static _Noreturn void
die_output(const char *path)
{
	die("%s: %s", path ? path : "<stdout>", strerror(errno));
}

static bool
stat_folder(const char *path, struct stat *dir)
{
	char *copy = strdup(path);
	bool ok;

	if (!copy)
		die_nomem();
	ok = stat(dirname(copy), dir) == 0;
	free(copy);
	return ok;
}

/*
 * Who has a file in a folder where all may write would get what is written, or
 * say by a link where it goes. The kernel can refuse that, too
 * (fs.protected_symlinks), but does not see links that are followed here.
 */
static void
refuse_strangers(const char *path)
{
	struct stat sb, dir;

	if (lstat(path, &sb) == 0 && stat_folder(path, &dir) &&
	    dir.st_mode & S_IWOTH && sb.st_uid != geteuid() &&
	    sb.st_uid != dir.st_uid)
		die("%s: it belongs to another user, in a folder where all may "
		    "write; remove it, or use another name",
		    path);
}

/*
 * The number of our descriptor that this link stands for, as /proc/self/fd/1
 * does, to which /dev/stdout leads; -1: none. Its text is the name that the
 * file had when it was opened.
 */
static int
descriptor_of(const char *link)
{
	struct stat ours, dir;
	bool is_ours = stat("/proc/self/fd", &ours) == 0 &&
		       stat_folder(link, &dir) && dir.st_dev == ours.st_dev &&
		       dir.st_ino == ours.st_ino;

	return is_ours ? atoi(strrchr(link, '/') + 1) : -1;
}

char *
cli_real_path(const char *path, int *fd)
{
	char *at = strdup(path), *dir, *next;
	char link[PATH_MAX];
	struct stat sb;
	ssize_t n;

	*fd = -1;
	for (int i = 0; at && i < 40; i++) {
		refuse_strangers(at);
		if (lstat(at, &sb) != 0 || !S_ISLNK(sb.st_mode))
			return at;
		*fd = descriptor_of(at);
		if (*fd >= 0) {
			free(at);
			return NULL;
		}
		n = readlink(at, link, sizeof(link) - 1);
		if (n < 0)
			die_output(path);
		link[n] = '\0';
		dir = *link == '/' ? NULL : strrchr(at, '/');
		if (dir)
			dir[1] = '\0';
		if (asprintf(&next, "%s%s", dir ? at : "", link) < 0)
			die_nomem();
		free(at);
		at = next;
	}
	if (at) {
		errno = ELOOP;
		die_output(path);
	}
	return NULL;
}

/*
 * Give the new file the owner, group and mode of the old one. A file without
 * write permission is not replaced, even if its folder would allow it.
 */
static void
keep_owner(const struct cli_output *out, const char *path, const char *real)
{
	struct stat sb, new;

	if (stat(real, &sb) != 0)
		return;
	if (access(real, W_OK) != 0)
		die_output(path);
	if (fstat(out->file.fd, &new) != 0)
		die_output(path);
	/* With another owner, the bits for others would apply to other
	 * users. */
	if ((sb.st_uid != new.st_uid || sb.st_gid != new.st_gid) &&
	    fchown(out->file.fd, sb.st_uid, sb.st_gid) != 0 &&
	    fchown(out->file.fd, (uid_t)-1, sb.st_gid) != 0)
		sb.st_mode &= ~(mode_t)(S_IRWXG | S_ISUID | S_ISGID);
	if (fchmod(out->file.fd, sb.st_mode & 0777) != 0)
		die_output(path);
}

static void
open_file(struct cli_output *out, const char *path)
{
	char *real = NULL, *copy, *name, *base;
	struct prof_err err;
	int fd;

	errno = EISDIR;
	if (!*path || path[strlen(path) - 1] == '/')
		die_output(path);
	real = cli_real_path(path, &fd);
	copy = real ? strdup(real) : NULL;
	name = real ? strdup(real) : NULL;
	if (!copy || !name)
		die_nomem();
	out->dir = regular_place_at(AT_FDCWD, dirname(real), false);
	if (out->dir < 0 && errno == ENOENT)
		die("%s: %s; make the folder %s first", path, strerror(errno),
		    real);
	if (out->dir < 0)
		die_output(path);
	base = basename(copy);
	if (outfile_open(&out->file, out->dir, base, &err) != PROF_OK)
		die("%s: %s", path, err.msg);
	abandoned = out;
	atexit(remove_abandoned);
	keep_owner(out, path, name);
	out->fd = out->file.fd;
	free(real);
	free(name);
	free(copy);
}

/*
 * Devices, pipes and our own descriptors are written to, not replaced. Sets *fd
 * to the descriptor: what it already wrote stays, so it is not opened again.
 */
static bool
is_written_to(const char *path, int *fd)
{
	struct stat sb;

	free(cli_real_path(path, fd));
	return *fd >= 0 || (stat(path, &sb) == 0 && !S_ISREG(sb.st_mode));
}

static struct cli_output *
output_open(struct cli *cli)
{
	struct cli_output *out = calloc(1, sizeof(*out));
	int fd;

	if (!out)
		die_nomem();
	cli->out = out;
	out->dir = -1;
	if (!cli->output || !strcmp(cli->output, "-")) {
		out->fd = STDOUT_FILENO;
		return out;
	}
	if (!*cli->output)
		die("--output: the name is empty");
	if (is_written_to(cli->output, &fd)) {
		out->fd = fd < 0 ? outfile_named(cli->output, 0)
				 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (out->fd < 0)
			die_output(cli->output);
		return out;
	}
	open_file(out, cli->output);
	return out;
}

void
cli_output_close(struct cli *cli)
{
	struct cli_output *out = cli->out;
	struct prof_err err;

	if (!out)
		return;
	if (out->text && (fflush(out->text) != 0 || ferror(out->text)))
		die("%s: write error: %s",
		    cli->output ? cli->output : "<stdout>", strerror(errno));
	if (out->dir >= 0 && outfile_commit(&out->file, false, &err) != PROF_OK)
		die("%s: %s", cli->output, err.msg);
	unfinished = NULL;
	if (out->text && out->text != stdout)
		fclose(out->text);
	else if (out->fd != STDOUT_FILENO && close(out->fd) < 0)
		die_output(cli->output);
	abandoned = NULL;
	if (out->dir >= 0) {
		outfile_release(&out->file);
		close(out->dir);
	}
	free(out);
	cli->out = NULL;
}

static FILE *
text_open(struct cli *cli, bool is_report)
{
	/* Static: stdout is used until the process ends. */
	static char buffer[1 << 15];
	struct cli_output *out = cli->out ? cli->out : output_open(cli);

	if (out->text)
		return out->text;
	if (is_report && !isatty(out->fd))
		out->text = lines_open(out->fd);
	else
		out->text = out->fd == STDOUT_FILENO ? stdout
						     : fdopen(out->fd, "w");
	if (!out->text)
		die_output(cli->output);
	unfinished = out->text;
	/*
	 * A page at a time would take a system call for every 40 lines; glibc
	 * uses the size only with a buffer.
	 */
	setvbuf(out->text, buffer, _IOFBF, sizeof(buffer));
	return out->text;
}

FILE *
cli_text(struct cli *cli)
{
	return text_open(cli, false);
}

FILE *
cli_report(struct cli *cli, bool is_text)
{
	return text_open(cli, is_text);
}

/* One rule for all that is not made to be read there. */
static void
refuse_terminal(int fd, enum cli_output_kind kind)
{
	static const char *const what[] = {
		[CLI_PROFILE] = "a profile is not written to a terminal; use "
				"-o FILE, or pipe it into prof-text",
		[CLI_PAGE] = "a page is not written to a terminal; use -o "
			     "FILE, or --open",
		[CLI_PICTURE] = "a picture is not written to a terminal; use "
				"-o FILE",
		[CLI_BINARY] = "this format is not written to a terminal; use "
			       "-o FILE",
	};

	if (kind != CLI_TEXT && isatty(fd))
		die("%s", what[kind]);
}

void
cli_check_output(const struct cli *cli, enum cli_output_kind kind)
{
	static const char page[4096];
	struct cli_output out = { .dir = -1 };
	struct prof_err err;
	struct stat sb;
	int fd;

	if (!cli->output || !strcmp(cli->output, "-")) {
		refuse_terminal(STDOUT_FILENO, kind);
		return;
	}
	if (is_written_to(cli->output, &fd)) {
		errno = EISDIR;
		if ((stat(cli->output, &sb) == 0 && S_ISDIR(sb.st_mode)) ||
		    access(cli->output, W_OK) != 0)
			die_output(cli->output);
		refuse_terminal(fd, kind);
		return;
	}
	/* A file with room for a page, which gets no name. */
	open_file(&out, cli->output);
	if (write_all(out.fd, page, sizeof(page), &err) != PROF_OK)
		die("%s: %s", cli->output, err.msg);
	close(out.fd);
	outfile_release(&out.file);
	close(out.dir);
	abandoned = NULL;
}

unsigned
cli_processors(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > 8 ? 8 : (unsigned)n;
}

void
cli_write(struct cli *cli, const struct profile *p)
{
	struct cli_output *out = output_open(cli);
	struct stream_format format = { .kind = STREAM_GZIP, .level = 6 };
	struct prof_err err;
	struct stat sb;

	refuse_terminal(out->fd, CLI_PROFILE);
	if (fstat(out->fd, &sb) == 0 && S_ISFIFO(sb.st_mode)) {
		format.level = 0;
#ifdef F_SETPIPE_SZ
		fcntl(out->fd, F_SETPIPE_SZ, 1 << 20);
#endif
	}
	if (cli->has_format)
		format = cli->format;
	format.n_thread = cli->n_thread ? cli->n_thread : cli_processors();
	if (profile_write(out->fd, p, format, &err) != PROF_OK)
		die("%s: write error: %s",
		    cli->output ? cli->output : "<stdout>", err.msg);
}

void
cli_bytes(struct cli *cli, const void *data, size_t n,
	  enum cli_output_kind kind)
{
	struct cli_output *out = output_open(cli);
	struct prof_err err;

	refuse_terminal(out->fd, kind);
	if (write_all(out->fd, data, n, &err) != PROF_OK)
		die("%s: write error: %s",
		    cli->output ? cli->output : "<stdout>", err.msg);
}
