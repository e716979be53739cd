/*
 * ledger.h - what an archive of prof-fetch has written, so that it can remove
 * just that. One line a file or folder, in the file "index":
 *
 *	F TIME SIZE MTIME PATTERN PATH
 *	D TIME INODE 0 PATTERN PATH
 *
 * with tabs between the fields; TIME is in seconds, MTIME the file's own in
 * nanoseconds, PATH is below the root of the archive. A file is removed only
 * if it is still what was written: a regular file of that size and time, that
 * is reached without a symbolic link, by a run with the same pattern. A folder
 * must be the one that was made, and empty. The user may have put anything else
 * there, and may have replaced or edited ours.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct ledger {
	int root;            /* folders, the caller's: of the files, */
	int state;           /* and of the index */
	const char *pattern; /* the caller's; without tabs and newlines */
	int64_t now_s;
};

/*
 * Note that fd, which is open, was written as the file path, or made as the
 * folder path. PROF_EIO; PROF_EUSAGE if somebody else could write the index.
 */
enum prof_status ledger_file(const struct ledger *l, const char *path, int fd,
			     struct prof_err *err) MUST_USE;
enum prof_status ledger_folder(const struct ledger *l, const char *path, int fd,
			       struct prof_err *err) MUST_USE;

/*
 * Remove what is older than keep_s seconds, and folders that are then empty.
 * *n: how many files were removed. PROF_EIO: some could not be; PROF_EUSAGE as
 * above; PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status ledger_prune(const struct ledger *l, int64_t keep_s, size_t *n,
			      struct prof_err *err) MUST_USE;

#endif
