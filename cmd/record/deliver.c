/* deliver.c - see deliver.h. */
#include "config.h"

#include "deliver.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "launch.h"
#include "lib/base/retry.h"
#include "lib/model/interpreter.h"
#include "lib/model/profile.h"
#include "lib/model/runtime.h"
#include "lib/model/unnamed.h"
#include "recording.h"

#define WORTH 0.1 /* least share of samples for a message */

static bool
stdout_is_pipe(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* "prof.NAME.PID.pb.gz"; NAME is untrusted. */
static char *
default_name(const char *program, int pid)
{
	const char *slash = strrchr(program, '/');
	char *name;

	program = slash ? slash + 1 : program;
	if (asprintf(&name, "prof.%s.%d.pb.gz", program, pid) < 0)
		die_nomem();
	for (char *c = name; *c; c++)
		if (*c == '/' || iscntrl((unsigned char)*c))
			*c = '_';
	return name;
}

bool
deliver_prepare(const struct cli *cli, const char *program,
		enum deliver_how how, const char *report)
{
	bool into_stdout = cli->output ? !strcmp(cli->output, "-")
				       : !report && stdout_is_pipe();
	struct cli like = *cli;
	char *name;

	if (how == DELIVER_EACH && cli->output && !strstr(cli->output, "{}"))
		die("--children=separate needs a {} in the name of -o, for the "
		    "number of the process");
	if (how == DELIVER_NONE)
		return false;
	if (into_stdout && how == DELIVER_ONE) {
		cli_check_output(cli, CLI_PROFILE);
		/* Then the program's own output must go elsewhere. */
		return true;
	}
	name = cli->output ? strdup(cli->output) : default_name(program, 0);
	if (!name)
		die_nomem();
	like.output = name;
	cli_check_output(&like, CLI_PROFILE);
	free(name);
	return false;
}

/* The name with "{}" replaced by pid. */
static char *
name_of(const char *pattern, int pid)
{
	const char *at = strstr(pattern, "{}");
	char *name;

	if (asprintf(&name, "%.*s%d%s", (int)(at - pattern), pattern, pid,
		     at + 2) < 0)
		die_nomem();
	return name;
}

static struct profile *
profile_of(struct recording *r, int pid)
{
	struct profile *p = recording_profile(r, pid);

	if (!p)
		die_nomem();
	names_add(r, p);
	return p;
}

/*
 * Run the command on the file, if there are both; false: it failed. A pipe or a
 * device has no second reader.
 */
static bool
print_report(const char *command, const char *file)
{
	struct stat st;
	pid_t pid;

	if (!command || stat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return true;
	pid = fork();
	if (pid == 0) {
		launch_hand_on();
		execlp(command, command, "--", file, (char *)NULL);
		complain("%s: %s", command, strerror(errno));
		_exit(CLI_TROUBLE);
	}
	return wait_child(pid) == 0;
}

/* Write the file of one process; false: there is no report of it. */
static bool
deliver_process(struct cli *cli, struct recording *r, const char *pattern,
		const struct tally_process *p)
{
	struct profile *profile = profile_of(r, p->pid);
	char *name = pattern ? name_of(pattern, p->pid)
			     : default_name(p->name, p->pid);
	bool done;

	cli->output = name;
	cli_write(cli, profile);
	cli_output_close(cli);
	if (!pattern)
		warn("profile: %s", name);
	profile_free(profile);
	done = print_report(r->report, name);
	free(name);
	return done;
}

/* Write a file for each process with enough CPU time to be sampled, and for the
 * first one. */
static bool
deliver_each(struct cli *cli, struct recording *r, const struct launch *l)
{
	struct tally_process first = { (int32_t)l->pid, l->path };
	struct tally_process *process;
	const char *pattern = cli->output;
	bool has_first = false, done = true;
	size_t n;

	if (!tally_processes(r->tally, &process, &n))
		die_nomem();
	for (size_t i = 0; i < n; i++)
		has_first |= process[i].pid == first.pid;
	if (!has_first)
		done &= deliver_process(cli, r, pattern, &first);
	for (size_t i = 0; i < n; i++)
		done &= deliver_process(cli, r, pattern, &process[i]);
	cli->output = pattern;
	free(process);
	return done;
}

/* Warn about code compiled at run time, whose names only the runtime can
 * provide. */
static void
warn_of_runtime(const struct profile *p, const struct launch *l)
{
	const struct runtime *runtime = runtime_of(p);
	bool can = runtime && runtime->variable;
	bool is_asked =
		can && launch_asks(l, runtime) && !getenv(runtime->variable);
	struct prof_err err;
	struct unnamed u;
	double share;
	char map[64];

	if (!runtime)
		return;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)l->pid);
	/* Java writes them last. Of a child of the program there may be some.
	 */
	if (is_asked && WIFSIGNALED(l->status) && access(map, F_OK) != 0)
		warn("--jit: %s was killed and left no names: let it end by "
		     "itself",
		     runtime->name);
	else if (is_asked)
		warn("--jit: %s ran with %s=%s; it leaves %s%s", runtime->name,
		     runtime->variable, runtime->value,
		     access(map, F_OK) == 0 ? map : "/tmp/perf-*.map",
		     runtime->leaves);
	if (is_asked || access(map, F_OK) == 0)
		return;
	if (unnamed_count(&u, p, &err) != PROF_OK) {
		warn("%s", err.msg); /* the profile is written */
		return;
	}
	share = runtime_share(p, u.mapping);
	if (share > WORTH && can && launch_asks(l, runtime))
		warn("--jit: %s is set and kept; for the names of %.0f %% of "
		     "the samples, add %s",
		     runtime->variable, 100 * share, runtime->value);
	else if (share > WORTH)
		warn("%.0f %% of the samples are in code that %s made while it "
		     "ran: %s%s%s",
		     100 * share, runtime->name,
		     can ? "for names, run it with " : "without names: ",
		     runtime->how, can ? ", or use --jit" : "");
	unnamed_release(&u);
}

/* Warn about interpreters of which there are only the C functions. */
static void
warn_of_interpreter(const struct profile *p, const struct launch *l)
{
	/* By that clock, a server waits most of the time. */
	bool is_wall = !strcmp(profile_str(p, p->period_type.type), "wall");
	struct interpreter i;
	struct prof_err err;

	if (interpreter_find(p, &i, &err) != PROF_OK) {
		warn("%s", err.msg);
		return;
	}
	if (i.share <= WORTH || (i.is_readable && l->no_interp))
		return;
	if (i.is_readable && !*l->library)
		warn("%.0f %% of the samples are in %s, whose own functions "
		     "only libsample reads: %s%s%s",
		     100 * i.share, i.name,
		     l->outside ? "record it without "
				: "have prof-record start it",
		     l->outside ? l->outside : "",
		     l->outside && !strcmp(l->outside, "--offcpu")
			     ? "; --clock=wall shows waits"
			     : "");
	else if (i.is_readable && !is_wall)
		warn("%.0f %% of the samples are in %s without functions of "
		     "its own: it compiles, waits, is in other namespaces, or "
		     "they could not be read",
		     100 * i.share, i.name);
	else if (!i.is_readable)
		warn("%.0f %% of the samples are in %s, whose own functions "
		     "are not read: stacks have those of C",
		     100 * i.share, i.name);
}

/*
 * Write p in a child, which may die of it. Returns whether it did not: 0, or
 * what waitpid() says.
 */
static int
try_to_write(struct cli *cli, struct profile *p)
{
	pid_t pid = fork();

	if (pid == 0) {
		cli_write(cli, p);
		cli_output_close(cli);
		profile_free(p); /* for leak checkers */
		_exit(0);
	}
	return wait_child(pid);
}

/*
 * The run must not be lost because its reader is gone, or the disk full: write
 * the profile to the working folder, or that of temporary files.
 */
static char *
rescue(struct cli *cli, struct profile *p, const struct launch *l, int status)
{
	const char *tmp = getenv("TMPDIR");
	char *name = default_name(l->path, (int)l->pid), *path = NULL;
	bool is_gone = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;

	if (!cli->output || strcmp(cli->output, name) != 0) {
		cli->output = name;
		status = try_to_write(cli, p);
	}
	if (status != 0) {
		if (asprintf(&path, "%s/%s", tmp && *tmp ? tmp : "/tmp", name) <
		    0)
			die_nomem();
		free(name);
		cli->output = name = path;
		status = try_to_write(cli, p);
	}
	if (status != 0)
		die("the profile is lost");
	complain("%sprofile: %s", is_gone ? "nobody reads the output; " : "",
		 name);
	return name;
}

char *
deliver(struct cli *cli, struct recording *r, const struct launch *l,
	enum deliver_how how, bool *is_bad)
{
	char *name = NULL;
	struct profile *p;
	int status;

	if (how == DELIVER_EACH)
		*is_bad = !deliver_each(cli, r, l);
	if (how != DELIVER_ONE)
		return NULL;
	p = profile_of(r, 0);
	if (!cli->output && !l->join_stdout) {
		cli->output = name = default_name(l->path, (int)l->pid);
		warn("profile: %s", name);
	}
	status = try_to_write(cli, p);
	*is_bad = status != 0;
	if (*is_bad) {
		free(name);
		name = rescue(cli, p, l, status);
	}
	warn_of_runtime(p, l);
	warn_of_interpreter(p, l);
	profile_free(p);
	*is_bad |= !print_report(r->report, cli->output ? cli->output : "-");
	return name;
}
