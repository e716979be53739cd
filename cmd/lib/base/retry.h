/* retry.h - system calls that are tried again after a signal. */
#ifndef RETRY_H
#define RETRY_H

#include <stddef.h>
#include <sys/types.h>

#include "lib/base/status.h"

/*
 * Write all n bytes to fd, also those that one call leaves. PROF_EIO with the
 * system's message; errno is set, too.
 */
enum prof_status write_all(int fd, const void *data, size_t n,
			   struct prof_err *err) MUST_USE;

/*
 * Wait for the end of a child, also of one of confine_fork(). Returns its
 * status as waitpid() does; -1 if there is none, or pid is that of a fork()
 * that failed.
 */
int wait_child(pid_t pid);

#endif
