/* run.c - see run.h. */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands.h"
#include "lib/base/budget.h"
#include "lib/base/retry.h"
#include "lib/model/profile.h"
#include "request.h"
#include "session.h"
#include "viewer.h"

/* --- the child --- */

static _Noreturn void
print_report(const struct session *s, const struct request *r, int fd,
	     bool is_announced)
{
	struct cli_cmd cmd = { .name = r->command->name,
			       .args = "",
			       .brief = r->command->brief,
			       .opts = r->command->opts,
			       .groups = r->command->groups };
	struct cli cli;
	char **argv;
	int argc, status;

	signal(SIGINT, SIG_DFL);
	if (fd >= 0 && dup2(fd, STDOUT_FILENO) < 0)
		die("%s", strerror(errno));
	argv = request_argv(r, &argc);
	if (!argv)
		die_nomem();
	cli_init(&cli, &cmd, argc, argv);
	cli_voice("", s->is_red);
	request_argv_free(argv);
	cli.max_size = s->max_size;
	cli.output = r->output;
	status = r->command->compare ? r->command->compare(&cli, s)
				     : r->command->report(&cli, s->p);
	if (is_announced && !s->is_quiet)
		session_say("Generating report in %s", r->output);
	exit(cli_finish(&cli, status));
}

static pid_t
fork_report(const struct session *s, const struct request *r, int fd,
	    bool is_announced)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0)
		print_report(s, r, fd, is_announced);
	return child;
}

/* --- the parent --- */

/* Count the status of the report; true: it was printed. */
static bool
count_status(struct session *s, const struct request *r, int status)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (WIFEXITED(status)) {
		if (WEXITSTATUS(status) > s->status)
			s->status = WEXITSTATUS(status);
		return WEXITSTATUS(status) < CLI_TROUBLE;
	}
	/* SIGPIPE is no error: the reader has seen enough. */
	if (signal == SIGPIPE)
		return true;
	if (signal == SIGINT && s->is_terminal)
		fputc('\n', stderr);
	session_error(s, "%s: %s", r->command->name, strsignal(signal));
	return false;
}

static bool
cannot(struct session *s, const char *what)
{
	session_error(s, "%s: %s", what, strerror(errno));
	return false;
}

/* Pipe the report into the consumer, a program with argv. */
static bool
run_piped(struct session *s, const struct request *r, char *const *argv)
{
	int pipefd[2], status;
	pid_t reader, report;

	if (pipe(pipefd) < 0)
		return cannot(s, "pipe");
	fflush(NULL);
	reader = fork();
	if (reader == 0) {
		signal(SIGINT, SIG_DFL);
		dup2(pipefd[0], STDIN_FILENO);
		close(pipefd[0]);
		close(pipefd[1]);
		budget_end();
		execvp(argv[0], argv);
		complain("%s: %s", argv[0], strerror(errno));
		_exit(CLI_TROUBLE);
	}
	close(pipefd[0]);
	report = reader < 0 ? -1 : fork_report(s, r, pipefd[1], false);
	close(pipefd[1]);
	if (report < 0)
		cannot(s, "fork");
	status = wait_child(report);
	wait_child(reader);
	return report >= 0 && count_status(s, r, status);
}

/* Print the report to standard output, or to r->output. */
static bool
run_here(struct session *s, const struct request *r, bool is_announced)
{
	pid_t report = fork_report(s, r, -1, is_announced);

	if (report < 0)
		return cannot(s, "fork");
	return count_status(s, r, wait_child(report));
}

/* profile001.svg, or the first such name that does not exist. */
static char *
new_name(const char *extension)
{
	char *name = NULL;

	for (int i = 1; i < 10000; i++) {
		free(name);
		if (asprintf(&name, "profile%03d.%s", i, extension) < 0)
			die_nomem();
		if (access(name, F_OK) != 0)
			break;
	}
	return name;
}

static void
show_report(struct session *s, struct request *r)
{
	struct prof_err err;

	if (viewer_temporary(s, r->command->extension, &r->output, &err) !=
	    PROF_OK) {
		session_error(s, "%s", err.msg);
		return;
	}
	if (run_here(s, r, false) &&
	    viewer_start(s, r->command->viewer, r->output, &err) != PROF_OK)
		session_error(s, "%s", err.msg);
}

void
run_request(struct session *s, struct request *r)
{
	char *sh[] = { (char[]){ "sh" }, (char[]){ "-c" }, r->consumer, NULL };
	const char *wish = r->settings.value[SET_OUTPUT];
	char **pager;

	if (r->consumer) {
		run_piped(s, r, sh);
		return;
	}
	if (!r->output && *wish && !(r->output = strdup(wish)))
		die_nomem();
	if (!r->output && r->command->to == TO_VIEWER) {
		show_report(s, r);
		return;
	}
	if (!r->output && r->command->to == TO_FILE)
		r->output = new_name(r->command->extension);
	pager = r->output ? NULL : viewer_pager(s);
	if (pager)
		run_piped(s, r, pager);
	else
		run_here(s, r, r->output != NULL);
	viewer_free_words(pager);
}

bool
run_into_memory(struct session *s, const struct request *r,
		struct profile **out)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);
	struct prof_err err;
	pid_t report;
	bool ok;

	if (fd < 0)
		return cannot(s, "memfd_create");
	report = fork_report(s, r, fd, false);
	if (report < 0) {
		close(fd);
		return cannot(s, "fork");
	}
	ok = count_status(s, r, wait_child(report));
	if (ok && (lseek(fd, 0, SEEK_SET) < 0 ||
		   profile_read(fd, s->max_size, out, &err) != PROF_OK)) {
		session_error(s, "%s", err.msg);
		ok = false;
	}
	close(fd);
	return ok;
}
