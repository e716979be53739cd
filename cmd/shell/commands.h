/*
 * commands.h - the session commands that print or draw a report: the report,
 * its options and its destination.
 */
#ifndef SHELL_COMMANDS_H
#define SHELL_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct cli_opt;
struct profile;
struct session;

enum command_to {
	TO_TEXT,   /* standard output */
	TO_FILE,   /* a new file of this folder */
	TO_VIEWER, /* a temporary file, opened by a viewer */
};

struct command {
	const char *name;
	const char *brief;
	/*
	 * Print the report for the command line of cli, whose options are opts
	 * and groups. Filters and frees p. Returns the exit status; dies.
	 */
	int (*report)(struct cli *cli, struct profile *p);
	/* Instead: compare the session's profile with others. */
	int (*compare)(struct cli *cli, const struct session *s);
	const struct cli_opt *opts;
	const struct cli_opt *const *groups;
	const char *fixed; /* an option that is always passed, or NULL */
	const char *param; /* the option of the first word, or NULL: none */
	const char *usage; /* for the words after the name; NULL: the usual */
	enum command_to to;
	const char *extension; /* of files, TO_FILE and TO_VIEWER */
	const char *viewer;    /* TO_VIEWER: the program; NULL: a browser */
	int node_count;        /* used if the session's is -1 */
	bool takes_words;      /* words are operands, not patterns */
};

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* The i-th command in the order of help; NULL past the last. */
const struct command *command_at(size_t i);

/* Does the command know the option of that long name? */
bool command_has(const struct command *c, const char *option);

#endif
