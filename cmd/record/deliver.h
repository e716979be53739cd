/*
 * deliver.h - write the profile of a program: to a file or a pipe, or to one
 * file for each process.
 */
#ifndef DELIVER_H
#define DELIVER_H

#include <stdbool.h>

struct cli;
struct launch;
struct recording;

enum deliver_how {
	DELIVER_NONE, /* no output: it was served */
	DELIVER_ONE,
	DELIVER_EACH, /* one for each process; "{}" in the name is the pid */
};

/*
 * Die now, before the program runs, if its profile could not be written.
 * Returns true if the program's standard output must go to standard error,
 * because the profile goes to ours: without a name from the user it does so
 * into a pipe, if that is not for the report (see recording.h).
 */
bool deliver_prepare(const struct cli *cli, const char *program,
		     enum deliver_how how, const char *report);

/*
 * Write the recorded profile. Without a name from the user, the file is named
 * after the program and announced; cli->output is then its name, which is
 * returned, for free(). NULL: the name is the user's, or there is none. If
 * writing fails, the profile then is in a file of that default name in the
 * working folder, or in that of temporary files, which is announced, too.
 * *is_bad is set if that was so, or there is no report. Dies.
 */
char *deliver(struct cli *cli, struct recording *r, const struct launch *l,
	      enum deliver_how how, bool *is_bad);

#endif
