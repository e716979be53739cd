/* viewer.c - see viewer.h. */
#include "config.h"

#include "viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/budget.h"
#include "lib/base/retry.h"
#include "session.h"

/* Text split at blanks: an array that ends with NULL. */
static char **
split(const char *text)
{
	char **words = calloc(strlen(text) + 3, sizeof(*words));
	char *copy = strdup(text), *rest = copy;
	size_t n = 0;

	if (!words || !copy)
		die_nomem();
	for (char *word; (word = strsep(&rest, " \t"));)
		if (*word && !(words[n++] = strdup(word)))
			die_nomem();
	free(copy);
	return words;
}

void
viewer_free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

enum prof_status
viewer_temporary(struct session *s, const char *extension, char **out,
		 struct prof_err *err)
{
	const char *dir = getenv("TMPDIR");
	char **grown;
	int fd;

	if (asprintf(out, "%s/prof-XXXXXX.%s", dir && *dir ? dir : "/tmp",
		     extension) < 0) {
		*out = NULL;
		return prof_nomem(err);
	}
	fd = mkstemps(*out, (int)strlen(extension) + 1);
	if (fd < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", *out,
				 strerror(errno));
	close(fd);
	if (!s->is_terminal)
		return PROF_OK;
	grown = reallocarray(s->temporary, s->n_temporary + 1, sizeof(*grown));
	if (!grown)
		return prof_nomem(err);
	s->temporary = grown;
	grown[s->n_temporary] = strdup(*out);
	return grown[s->n_temporary++] ? PROF_OK : prof_nomem(err);
}

/* In a child: exec the program; an error is written to fd. */
static _Noreturn void
become(char *const *argv, int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), why;

	signal(SIGINT, SIG_DFL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	budget_end();
	execvp(argv[0], argv);
	why = errno;
	if (write(fd, &why, sizeof(why)) < 0)
		_exit(CLI_TROUBLE);
	_exit(CLI_TROUBLE);
}

/*
 * Start the command `words` on the file. Returns 0, or the errno of exec. At a
 * terminal it is started from a child that exits at once, in its own session,
 * so that Ctrl-C does not reach it.
 */
static int
start_viewer(const struct session *s, char **words, const char *file)
{
	int pipefd[2], why = 0;
	size_t n = 0;
	pid_t child;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return errno;
	while (words[n])
		n++;
	words[n] = strdup(file); /* split() left room for it and NULL */
	if (!words[n])
		die_nomem();
	child = fork();
	if (child == 0) {
		if (s->is_terminal && (setsid(), fork() != 0))
			_exit(0);
		become(words, pipefd[1]);
	}
	close(pipefd[1]);
	if (child < 0 || read(pipefd[0], &why, sizeof(why)) < 0)
		why = errno;
	close(pipefd[0]);
	wait_child(child);
	return why;
}

enum prof_status
viewer_start(struct session *s, const char *viewer, const char *file,
	     struct prof_err *err)
{
	const char *wish = getenv("BROWSER"), *name = viewer;
	char *list, *rest;
	int why = ENOENT;

	if (asprintf(&list, "%s:xdg-open",
		     viewer ? viewer
		     : wish ? wish
			    : "") < 0)
		return prof_nomem(err);
	if (viewer)
		list[strlen(viewer)] = '\0';
	else
		name = "xdg-open";
	rest = list;
	for (char *one; why && (one = strsep(&rest, ":"));) {
		char **words = split(one);

		if (words[0])
			why = start_viewer(s, words, file);
		viewer_free_words(words);
	}
	free(list);
	if (!s->is_terminal && !s->is_quiet)
		session_say("Report in %s", file);
	if (!why)
		return PROF_OK;
	return prof_fail(err, PROF_EIO, "exec: \"%s\": %s", name,
			 why == ENOENT ? "executable file not found in $PATH"
				       : strerror(why));
}

char **
viewer_pager(const struct session *s)
{
	const char *pager = getenv("PAGER");
	char **words;

	if (!s->is_terminal || !pager || !isatty(STDOUT_FILENO))
		return NULL;
	words = split(pager);
	if (!words[0]) {
		viewer_free_words(words);
		return NULL;
	}
	/* As in git, do not page what fits on the screen. */
	setenv("LESS", "FRX", 0);
	return words;
}
