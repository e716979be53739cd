/*
 * line.h - the lines of a session: they change its settings or its profile
 * (filter steps, which can be undone), or print a report.
 */
#ifndef SHELL_LINE_H
#define SHELL_LINE_H

#include <stdbool.h>

struct session;

/* Print pprof's greeting on standard error. */
void session_greet(struct session *s);

/*
 * Execute a line. Errors are printed, and counted in s->status. Returns false
 * if the line ends the session. Dies only without memory.
 */
bool session_line(struct session *s, const char *line);

#endif
