/* help.h - the command "help" of a session. */
#ifndef SHELL_HELP_H
#define SHELL_HELP_H

#include <stddef.h>

struct session;

/* Print an overview, or the help for `word`, on standard error. */
void help_print(struct session *s, const char *word);

/* The commands that are not reports, for completion: NULL past the last. */
const char *help_own(size_t i);

#endif
