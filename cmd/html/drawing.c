/* drawing.c - see drawing.h. */
#include "config.h"

#include "drawing.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/report-open.h"
#include "lib/report/dot.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/wire/compress.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The child: the SVG goes into the pipe, the status is the exit status. */
static _Noreturn void
draw(drawing_render *render, const struct buf *dot, int fd)
{
	struct buf svg = { 0 };
	struct prof_err err;
	enum prof_status st =
		render((const char *)dot->data, dot->n, "svg", &svg, &err);

	if (st == PROF_OK)
		st = write_all(fd, svg.data, svg.n, &err);
	_exit((int)st);
}

/* Read fd to its end, but not past the deadline (0: none). */
static enum prof_status
collect(int fd, double deadline, struct buf *out, struct prof_err *err)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double left = deadline ? deadline - now() : 1;
		int ms = deadline ? (int)(left * 1000) + 1 : -1;
		ssize_t n;

		if (left <= 0)
			return prof_fail(err, PROF_ELIMIT, "timed out");
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

static enum prof_status
lay_out(drawing_render *render, const struct buf *dot, double seconds,
	struct buf *out, struct prof_err *err)
{
	size_t before = out->n;
	enum prof_status st;
	int fd[2], status = 0;
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
		draw(render, dot, fd[1]);
	}
	close(fd[1]);
	st = collect(fd[0], seconds > 0 ? now() + seconds : 0, out, err);
	close(fd[0]);
	if (st != PROF_OK)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (st == PROF_OK && !WIFEXITED(status))
		st = prof_fail(err, PROF_EIO, "the layout crashed");
	else if (st == PROF_OK && WEXITSTATUS(status))
		st = prof_fail(err, (enum prof_status)WEXITSTATUS(status),
			       "the graph could not be drawn");
	if (st != PROF_OK)
		out->n = before;
	return st;
}

enum prof_status
drawing_make(struct report *r, struct report_options *o, drawing_render *render,
	     double seconds, struct buf *out, struct prof_err *err)
{
	struct graph_options saved = o->graph;
	struct buf dot = { 0 };
	enum prof_status st;
	struct frames *f;
	struct graph *g;

	o->graph.order = GRAPH_BY_ENTROPY;
	o->graph.is_drawing = true;
	o->graph.edges = GRAPH_ALL_EDGES;
	report_open_graph(r, &f, &g);
	st = dot_write(r, g, true, &dot, err);
	if (st == PROF_OK)
		st = lay_out(render, &dot, seconds, out, err);
	graph_free(g);
	frames_free(f);
	buf_release(&dot);
	o->graph = saved;
	report_choose_unit(r, NULL);
	return st;
}
