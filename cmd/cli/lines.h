/*
 * lines.h - text reports in the log of a runner of CI. GitHub's takes a line
 * that begins with "::" after blanks as a command, as well as "##[" anywhere,
 * Azure's and TeamCity's "##vso[" and "##teamcity["; a name in a profile must
 * not give them any. Nor may one in a message.
 */
#ifndef LINES_H
#define LINES_H

#include <stdio.h>

/*
 * A stream that writes to fd, which it closes unless it is standard output. The
 * second ':' of such a line is written as \x3a, and the '[' as \x5b. NULL
 * without memory.
 */
FILE *lines_open(int fd);

/* Write n bytes, of whole lines, to fd in this way. */
void lines_write(int fd, const char *s, size_t n);

#endif
