/*
 * run.h - print the report of a request in a child of fork().
 *
 * The child shares the decoded profile, so it need not read it; filtering it
 * costs only the pages that change. The child may die of any error, Ctrl-C or
 * an endless layout, and the session continues. The only programs started are
 * viewers, $PAGER, and sh(1) for "| command", which the user typed.
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
 * Set *out to the profile that the report writes, the caller's. Returns false,
 * with an error counted, if that failed.
 */
bool run_into_memory(struct session *s, const struct request *r,
		     struct profile **out);

#endif
