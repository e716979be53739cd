/*
 * deliver.h - where the profile of a program goes: into a file or a pipe, or,
 * a process each, into several files.
 */
#ifndef DELIVER_H
#define DELIVER_H

#include <stdbool.h>

struct cli;
struct launch;
struct recording;

enum deliver_how {
	DELIVER_NONE, /* nowhere: it was served */
	DELIVER_ONE,
	DELIVER_EACH, /* process; "{}" in the name is its number */
};

/*
 * Die now if the profile could not be written. Otherwise say where the
 * program's standard output goes: true: to standard error, as the profile goes
 * into the pipe.
 */
bool deliver_prepare(const struct cli *cli, enum deliver_how how);

/*
 * Write what was recorded. A file that nobody named is called after the program
 * and announced; cli->output is then its name, which is returned, for free().
 * NULL: the name is the user's, or there is none. Dies.
 */
char *deliver(struct cli *cli, struct recording *r, const struct launch *l,
	      enum deliver_how how);

#endif
