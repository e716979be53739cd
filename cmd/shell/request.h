/*
 * request.h - parse a line of a session that asks for a report, as pprof does:
 * WORD [PARAM] ARGUMENT..., without quoting.
 *
 * An argument is a number (the node count), -cum, -REGEX (ignore), >FILE or >
 * FILE, or else REGEX (focus); patterns of one kind are joined by '|'. Beyond
 * pprof, an argument that begins with '|' is, with the rest of the line, a
 * command for sh(1), which reads the report.
 */
#ifndef SHELL_REQUEST_H
#define SHELL_REQUEST_H

#include <stddef.h>

#include "lib/base/status.h"
#include "settings.h"

struct command;

struct request {
	const struct command *command;
	char *param; /* or NULL */
	char **word; /* n_word operands, if the command takes_words */
	size_t n_word;
	struct settings settings; /* the session's, changed by the line */
	char *output;             /* the file, or NULL */
	char *consumer;           /* after '|', or NULL */
};

/*
 * Parse the line. Always end with request_release(). PROF_EUSAGE with pprof's
 * message, PROF_ENOMEM.
 */
enum prof_status request_parse(struct request *r, const char *line,
			       const struct settings *s,
			       struct prof_err *err) MUST_USE;
void request_release(struct request *r);

/*
 * Parse the words of a filter step into s, which has default values: REGEX,
 * -REGEX, or NAME=VALUE for the settings that select a part of the profile.
 */
enum prof_status request_filter(struct settings *s, const char *words,
				const struct profile *p,
				struct prof_err *err) MUST_USE;

/*
 * The command line of the report: n strings and NULL. The caller frees the
 * strings and the array; NULL without memory.
 */
char **request_argv(const struct request *r, int *n);
void request_argv_free(char **argv);

#endif
