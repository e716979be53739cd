/* source.c - see source.h. */
#include "config.h"

#include "source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/budget.h"
#include "lib/base/retry.h"
#include "lib/formats/exchange/foreign.h"
#include "lib/model/profile.h"
#include "lib/ops/diff.h"

/* --- the other commands --- */

/* Exec another prof- command: the one beside this program, or else on PATH. */
static _Noreturn void
become(char *const *argv)
{
	char path[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
		if (slash &&
		    (size_t)(slash + 1 - path) + strlen(argv[0]) < PATH_MAX) {
			strcpy(slash + 1, argv[0]);
			execv(path, argv);
		}
	}
	budget_end();
	execvp(argv[0], argv);
	die("%s: %s", argv[0], strerror(errno));
}

/*
 * Run the command argv with the input p (NULL: none) and return its output. On
 * failure the command has printed why.
 */
static struct profile *
run_child(struct cli *cli, char *const *argv, const struct profile *p)
{
	const struct stream_format stored = { .kind = STREAM_GZIP };
	int in = p ? memfd_create("profile", MFD_CLOEXEC) : -1;
	int pipefd[2], status;
	enum prof_status st = PROF_OK;
	struct profile *out = NULL;
	struct prof_err err;
	pid_t child;

	if (p && in < 0)
		die("memfd_create: %s", strerror(errno));
	if (p && (profile_write(in, p, stored, &err) != PROF_OK))
		die("%s", err.msg);
	if (pipe(pipefd) < 0 || (p && lseek(in, 0, SEEK_SET) < 0))
		die("%s", strerror(errno));
	child = fork();
	if (child < 0)
		die("fork: %s", strerror(errno));
	if (child == 0) {
		if (in >= 0)
			dup2(in, STDIN_FILENO);
		dup2(pipefd[1], STDOUT_FILENO);
		close(pipefd[0]);
		close(pipefd[1]);
		become(argv);
	}
	close(pipefd[1]);
	if (in >= 0)
		close(in);
	st = profile_read(pipefd[0], cli->max_size, &out, &err);
	close(pipefd[0]);
	status = wait_child(child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) == CLI_TROUBLE)
		exit(CLI_TROUBLE);
	if (st != PROF_OK)
		die("%s: %s", argv[0], err.msg);
	return out;
}

static struct profile *
run_on(struct cli *cli, const char *command, const char *operand)
{
	char *argv[] = { strdup(command), (char[]){ "--" }, strdup(operand),
			 NULL };
	struct profile *p;

	if (!argv[0] || !argv[2])
		die_nomem();
	p = run_child(cli, argv, NULL);
	free(argv[0]);
	free(argv[2]);
	return p;
}

/* --- one operand --- */

/* As in prof-fetch, the name of an existing file is a file. */
static bool
is_server(const char *name)
{
	return strcmp(name, "-") != 0 && strchr(name, ':') &&
	       access(name, F_OK) != 0;
}

static struct profile *
read_one(struct cli *cli, const char *name)
{
	struct buf raw = { 0 };
	struct prof_err err;
	struct profile *p;
	int fd;

	if (is_server(name))
		return run_on(cli, "prof-fetch", name);
	fd = cli_open(name);
	if (stream_read(fd, cli->max_size, &raw, &err) != PROF_OK)
		die("%s: %s", cli_name(name), err.msg);
	cli_close(fd);
	if (strcmp(name, "-") != 0 &&
	    foreign_sniff(raw.data, raw.n) != FOREIGN_NONE)
		p = run_on(cli, "prof-import", name);
	else if (profile_parse(raw.data, raw.n, &p, &err) != PROF_OK)
		die("%s: %s", cli_name(name), err.msg);
	buf_release(&raw);
	return p;
}

/* Does any location that could have a name lack one? */
static bool
lacks_names(const struct profile *p)
{
	for (size_t i = 0; i < p->n_location; i++)
		if (!p->location[i].n_line)
			return true;
	return false;
}

static struct profile *
symbolized(struct cli *cli, struct profile *p, const struct source_options *o)
{
	char *words = NULL;
	char *argv[] = { (char[]){ "prof-symbolize" }, (char[]){ "-q" }, NULL,
			 NULL };
	struct profile *out;

	if (o->symbolize ? !strcmp(o->symbolize, "none") : !lacks_names(p))
		return p;
	if (o->symbolize &&
	    asprintf(&words, "--symbolize=%s", o->symbolize) < 0)
		die_nomem();
	if (o->is_quiet || !words)
		argv[2] = words;
	else
		argv[1] = words; /* requested by the user: print messages */
	out = run_child(cli, argv, p);
	free(words);
	profile_free(p);
	return out;
}

struct profile *
source_read(struct cli *cli, const char *name, const struct source_options *o)
{
	return symbolized(cli, read_one(cli, name), o);
}

/* --- all of them --- */

/* The sum of the profiles of these names; compact: as prof-merge writes even a
 * single one. */
static struct profile *
read_side(struct cli *cli, const char *const *name, size_t n,
	  const struct source_options *o, bool compact)
{
	struct merge *sum;

	if (n == 1 && !compact)
		return source_read(cli, name[0], o);
	sum = cli_sum_begin();
	for (size_t i = 0; i < n; i++)
		cli_sum_add(sum, source_read(cli, name[i], o), name[i]);
	return cli_sum_end(sum);
}

struct profile *
source_open(struct cli *cli, const struct source_options *o)
{
	const struct diff_opts how = {
		.kind = o->is_diff ? DIFF_LABEL : DIFF_SUBTRACT,
		.scale =
			o->is_normalized ? DIFF_SCALE_COLUMNS : DIFF_SCALE_NONE,
	};
	struct profile *p, *base, *out;
	struct diff_notes notes;
	struct prof_err err;

	p = read_side(cli, (const char *const *)cli->operand,
		      (size_t)cli->n_operand, o, o->is_normalized);
	if (!o->n_base)
		return p;
	base = read_side(cli, o->base, o->n_base, o, o->is_normalized);
	if (profile_diff(base, p, &how, &out, &notes, &err) != PROF_OK)
		die("%s", err.msg);
	if (notes.dropped[0])
		warn("dropped sample types that only one side has: %s",
		     notes.dropped);
	if (notes.scaled[0])
		warn("scaled the new profile %s", notes.scaled);
	profile_free(base);
	profile_free(p);
	return out;
}
