/* regular.h - opening files whose names come from outside. */
#ifndef REGULAR_H
#define REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

#include "status.h"

/*
 * Open the regular file path for reading: the caller's descriptor, and what
 * fstat() says in *sb. A profile may name a device, and drivers act on open():
 * a watchdog starts, a tape rewinds. So nothing else is ever opened. With
 * no_link, path itself is no symbolic link. -1 and *err: PROF_EIO, PROF_EFORMAT
 * if it is something else.
 */
int regular_open(const char *path, bool no_link, struct stat *sb,
		 struct prof_err *err) MUST_USE;

#endif
