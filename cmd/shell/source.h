/*
 * source.h - read the profile of a session, with the help of other commands:
 * prof-fetch for URLs of servers, prof-import for foreign formats, and
 * prof-symbolize if names are missing; once, at the start.
 */
#ifndef SHELL_SOURCE_H
#define SHELL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct profile;

struct source_options {
	const char **base; /* n_base operands */
	size_t n_base;
	bool is_diff;          /* keep both sides separate */
	bool is_normalized;    /* scale to the totals of the base */
	const char *symbolize; /* options for prof-symbolize, or NULL */
	bool is_quiet;
};

/* Read one operand; symbolized, if names are missing. For profile_free(). Dies.
 */
struct profile *source_read(struct cli *cli, const char *name,
			    const struct source_options *o);

/* Read the operands of cli as one profile, for profile_free(). Dies. */
struct profile *source_open(struct cli *cli, const struct source_options *o);

#endif
