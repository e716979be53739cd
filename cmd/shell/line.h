/*
 * line.h - the lines of a session: they change its settings or its profile
 * (filter steps, which can be undone), or print a report.
 */
#ifndef SHELL_LINE_H
#define SHELL_LINE_H

#include <stdbool.h>

struct cli;
struct session;

/* Print pprof's greeting on standard error. */
void session_greet(struct session *s);

/*
 * Execute a line. Errors are printed, and counted in s->status. Returns false
 * if the line ends the session. Dies only without memory.
 */
bool session_line(struct session *s, const char *line);

/*
 * Read another profile as that of the session was read, and take its filter
 * steps on it: the caller's, for profile_free(). Dies.
 */
struct profile *session_read(const struct session *s, struct cli *cli,
			     const char *name);

#endif
