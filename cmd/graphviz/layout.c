/* layout.c - see layout.h. */
#include "config.h"

#include "layout.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/now.h"
#include "lib/base/retry.h"
#include "render.h"

/* The child: the picture or the message goes into the pipe, the status is the
 * exit status. It must not outlive its parent, which may be killed. */
static _Noreturn void
draw(const char *dot, size_t n, const char *format, int fd)
{
	struct buf picture = { 0 };
	struct prof_err err, other;
	enum prof_status st;

	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL);
	st = render(dot, n, format, &picture, &err);
	if (st == PROF_OK)
		st = write_all(fd, picture.data, picture.n, &err);
	else
		(void)!write_all(fd, err.msg, strlen(err.msg), &other);
	_exit((int)st);
}

/* Read fd to its end, but not past the deadline (0: none). */
static enum prof_status
collect(int fd, double deadline, struct buf *out, struct prof_err *err)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double left = deadline ? deadline - now_seconds() : 1;
		int ms = deadline ? (int)(fmin(left, 1e6) * 1000) + 1 : -1;
		ssize_t n;

		if (left <= 0)
			return prof_fail(err, PROF_ELIMIT,
					 "the layout takes too long");
		if (poll(&p, 1, ms) <= 0)
			continue;
		if (buf_reserve(out, 65536) < 0)
			return prof_nomem(err);
		n = read(fd, out->data + out->n, 65536);
		if (n == 0)
			return PROF_OK;
		if (n < 0 && errno != EINTR)
			return prof_fail(err, PROF_EIO,
					 "reading the layout: %s",
					 strerror(errno));
		out->n += n > 0 ? (size_t)n : 0;
	}
}

/* What the end of the child says. text: what it wrote. */
static enum prof_status
check_end(int status, const struct buf *text, size_t before,
	  struct prof_err *err)
{
	if (WIFSIGNALED(status))
		return prof_fail(err, PROF_EIO,
				 "graphviz crashed at this graph: %s",
				 strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == PROF_OK)
		return PROF_OK;
	return prof_fail(err, (enum prof_status)WEXITSTATUS(status), "%.*s",
			 (int)(text->n - before),
			 (const char *)text->data + before);
}

enum prof_status
layout(const char *dot, size_t n, const char *format, double seconds,
       struct buf *out, struct prof_err *err)
{
	size_t before = out->n;
	enum prof_status st;
	int fd[2], status;
	pid_t child;

	if (pipe(fd) < 0)
		return prof_fail(err, PROF_EIO, "pipe: %s", strerror(errno));
	child = fork();
	if (child < 0) {
		close(fd[0]);
		close(fd[1]);
		return prof_fail(err, PROF_EIO, "fork: %s", strerror(errno));
	}
	if (child == 0) {
		close(fd[0]);
		draw(dot, n, format, fd[1]);
	}
	close(fd[1]);
	st = collect(fd[0], seconds > 0 ? now_seconds() + seconds : 0, out,
		     err);
	close(fd[0]);
	if (st != PROF_OK)
		kill(child, SIGKILL);
	status = wait_child(child);
	if (st == PROF_OK)
		st = check_end(status, out, before, err);
	if (st != PROF_OK)
		out->n = before;
	return st;
}
