/*
 * commands.h - the commands of a session that print or draw a report: which
 * report, with which options, and where it goes.
 */
#ifndef SHELL_COMMANDS_H
#define SHELL_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct cli_opt;
struct profile;

enum command_to {
	TO_TEXT,   /* standard output */
	TO_FILE,   /* a new file of this folder */
	TO_VIEWER, /* a temporary file that a viewer shows */
};

struct command {
	const char *name;
	const char *brief;
	/*
	 * Print the report that the command line of cli asks for: its options
	 * are those of opts and groups. p is the report's to filter and free.
	 * The exit status; dies.
	 */
	int (*report)(struct cli *cli, struct profile *p);
	const struct cli_opt *opts;
	const struct cli_opt *const *groups;
	const char *fixed; /* an option that is always given, or NULL */
	const char *param; /* the option of the first word, or NULL: none */
	const char *usage; /* of the words after the name; NULL: the usual */
	enum command_to to;
	const char *extension; /* of files, TO_FILE and TO_VIEWER */
	const char *viewer;    /* TO_VIEWER: NULL is a browser */
	int node_count;        /* where the session's is -1 */
	bool takes_words;      /* words are operands, not patterns */
};

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* The i-th in the order of help; NULL past the last. */
const struct command *command_at(size_t i);

/* Does the command know the option of that long name? */
bool command_has(const struct command *c, const char *option);

/* The options of filter steps, of "save" and of "proto". */
extern const struct command command_proto;

#endif
