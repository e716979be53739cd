/* slurp.h - a small file as a whole. */
#ifndef SLURP_H
#define SLURP_H

#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * Append the file path to out. With ours, only one that nobody else can have
 * made: it belongs to this user or to root, and is no symbolic link. PROF_EIO,
 * PROF_ELIMIT past a gigabyte, PROF_ENOMEM.
 */
enum prof_status slurp(const char *path, bool ours, struct buf *out,
		       struct prof_err *err) MUST_USE;

#endif
