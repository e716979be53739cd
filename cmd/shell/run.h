/*
 * run.h - the report of a request, printed by a child of fork().
 *
 * The child shares the decoded profile, so it has nothing to read, and its copy
 * to filter and to drop costs only the pages that it changes. It may die of any
 * error, Ctrl-C or a layout without end, and the session goes on. No program is
 * started but the viewers, $PAGER, and sh(1) for "| command", because the user
 * typed it.
 */
#ifndef SHELL_RUN_H
#define SHELL_RUN_H

#include <stdbool.h>

struct profile;
struct request;
struct session;

/* Print the report, or show it in a viewer. Errors are counted in s. */
void run_request(struct session *s, struct request *r);

/*
 * The profile that the report writes, into *out: the caller's. Returns false,
 * with an error counted, if it could not be made.
 */
bool run_into_memory(struct session *s, const struct request *r,
		     struct profile **out);

#endif
