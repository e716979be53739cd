/*
 * session.h - a session over one profile, which is read once: its state and its
 * voice. What its lines do: line.h.
 */
#ifndef SHELL_SESSION_H
#define SHELL_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"

struct cli;
struct profile;
struct source_options;

/* A filter step, and the profile before it. */
struct session_step {
	char *words;
	struct profile *before;
};

/* Initialize with zeros and settings; end with session_release(). */
struct session {
	struct profile *p;                   /* owned */
	const struct source_options *source; /* how p was read */
	/* Read another so, for reports: session_read() of line.h. */
	struct profile *(*read)(const struct session *, struct cli *,
				const char *name);
	size_t max_size;  /* of input, inflated */
	bool is_terminal; /* a person types the lines */
	bool is_red;      /* errors, on a terminal */
	bool is_quiet;    /* only errors are printed */
	struct settings settings;
	struct session_step *step;
	size_t n_step;
	char **temporary; /* n_temporary files to remove at the end */
	size_t n_temporary;
	int status; /* the worst exit status of the commands, 0 to 2 */
};

/* Take the last filter step back; without one, an error. */
void session_undo(struct session *s);

void session_release(struct session *s);

/* Print a line on standard error, escaped: "Generating report in f". */
void session_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print and count an error of a command. */
void session_error(struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
