/* slurp.h - read a file into memory. */
#ifndef SLURP_H
#define SLURP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * Append the contents of the file path to out. With ours, the file must belong
 * to this user or root and not be a symbolic link, so no other user can have
 * made it. PROF_EIO, PROF_ELIMIT past a gigabyte, PROF_ENOMEM.
 */
enum prof_status slurp(const char *path, bool ours, struct buf *out,
		       struct prof_err *err) MUST_USE;

/*
 * Append what fd still has, at most max bytes, to out. PROF_EIO, PROF_ELIMIT
 * past max, PROF_ENOMEM; out then has a part of it.
 */
enum prof_status slurp_rest(int fd, size_t max, struct buf *out,
			    struct prof_err *err) MUST_USE;

#endif
