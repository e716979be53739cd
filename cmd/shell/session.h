/*
 * session.h - a session over one profile, which is read once. Lines change its
 * settings, its profile (filter steps, which can be undone), or print a report.
 */
#ifndef SHELL_SESSION_H
#define SHELL_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"

struct profile;

/* A filter step: its words, and the profile before it. */
struct session_step {
	char *words;
	struct profile *before;
};

/* Begin with zeros, and with settings; end with session_release(). */
struct session {
	struct profile *p; /* the session's */
	size_t max_size;   /* of what is read, inflated */
	bool is_terminal;  /* a person types the lines */
	bool is_red;       /* errors, on a terminal */
	bool is_quiet;     /* only errors are printed */
	struct settings settings;
	struct session_step *step;
	size_t n_step;
	char **temporary; /* n_temporary files to remove at the end */
	size_t n_temporary;
	int status; /* the worst of the commands, 0 to 2 */
};

/* Print on standard error what pprof prints at the start. */
void session_greet(struct session *s);

/*
 * Obey a line. Errors are printed, and counted in s->status. Returns false when
 * the line ends the session. Dies only without memory.
 */
bool session_line(struct session *s, const char *line);

void session_release(struct session *s);

/* A line on standard error, escaped: "Generating report in f". */
void session_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* An error of a command: printed, and counted. */
void session_error(struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
