/*
 * archive.h - profiles as files of a tree, named by where and when they are
 * from: the -o of prof-fetch with a '%' in it.
 *
 *	prof/%h/%Y-%m-%d/%H%M%S-%t.pb.gz
 *
 * Up to the first part that has a '%' it is the root of the archive, a folder
 * like any other. Below it no symbolic link is followed: %h and %t come from
 * strangers. ROOT/.prof-fetch holds the lock and the index (ledger.h).
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/stream/stream.h"
#include "net/source.h"

struct archive;

/* Is it a name for an archive, rather than for a file? */
bool archive_is_pattern(const char *output);

struct archive_options {
	int64_t now_s;   /* the time that names have */
	int64_t keep_s;  /* how long files are kept; 0: forever, no index */
	unsigned wait_s; /* for another run to end */
};

/*
 * Open the archive of pattern, making its root, and lock it. *out is the
 * caller's. PROF_EUSAGE: the pattern is wrong; PROF_EIO: also when another run
 * has the lock; PROF_ENOMEM.
 */
enum prof_status archive_open(struct archive **out, const char *pattern,
			      const struct archive_options *o,
			      struct prof_err *err) MUST_USE;

/*
 * The file below the root for a profile from source, or if that is NULL for
 * profile p, made on this machine. For free(); NULL without memory.
 */
char *archive_name(const struct archive *a, const struct source *source,
		   const struct profile *p);

/*
 * Write p as the file name, making folders, durably, whole or not at all. If
 * it can't, what is too old is removed first. PROF_EIO, PROF_ENOMEM, and those
 * of profile_encode(); the message names the file.
 */
enum prof_status archive_put(struct archive *a, const char *name,
			     const struct profile *p,
			     struct stream_format format,
			     struct prof_err *err) MUST_USE;

/*
 * Remove what is too old, if anything new was written: a fleet that is down
 * keeps its last profiles. As ledger_prune().
 */
enum prof_status archive_prune(struct archive *a,
			       struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void archive_close(struct archive *a);

#endif
