/*
 * ledger.h - the files that an archive of prof-fetch has written, so that it
 * removes no others. A line for each file or folder, in the file "index":
 *
 *	F TIME SIZE MTIME PATTERN PATH
 *	D TIME INODE 0 PATTERN PATH
 *
 * with tabs between the fields; TIME is in seconds, MTIME the file's own in
 * nanoseconds, PATH is below the root of the archive. A run removes a file only
 * if it is unchanged: a regular file of that size and time, reached without a
 * symbolic link, and only with the same pattern. A folder must have the same
 * inode and be empty. The user may have added other files, and replaced or
 * edited ours.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct ledger {
	int root;            /* folders, owned by the caller: of the files, */
	int state;           /* and of the index */
	const char *pattern; /* the caller's; without tabs and newlines */
	int64_t now_s;
};

/*
 * Record that the open file fd is to be the file path, all written, or is the
 * new folder path. PROF_EIO; PROF_EUSAGE if another user can write the index.
 */
enum prof_status ledger_file(const struct ledger *l, const char *path, int fd,
			     struct prof_err *err) MUST_USE;
enum prof_status ledger_folder(const struct ledger *l, const char *path, int fd,
			       struct prof_err *err) MUST_USE;

#define LEDGER_NOTE 200 /* room for a message */

/*
 * Remove files older than keep_s seconds, and folders that become empty. *n:
 * number of files removed. PROF_EIO: some could not be removed; PROF_EUSAGE as
 * above; PROF_ENOMEM, PROF_ELIMIT.
 *
 * A clock that is wrong removes nothing. If no file was written for longer than
 * keep_s before the newest ones, and for longer than is usual, either the
 * machine was off or the clock jumped: files from before are kept until the
 * newer ones cover keep_s. Files from the future are kept until then. The first
 * run that finds it so says it in note; otherwise that is empty.
 */
enum prof_status ledger_prune(const struct ledger *l, int64_t keep_s, size_t *n,
			      char note[LEDGER_NOTE],
			      struct prof_err *err) MUST_USE;

#endif
