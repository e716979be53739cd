/*
 * archive.h - profiles as files of a tree, named by source and time: the -o of
 * prof-fetch, and of prof-record with --every, with a '%' in it.
 *
 *	prof/%h/%Y-%m-%d/%H%M%S-%t.pb.gz
 *
 * The parts before the first with a '%' are the root of the archive, an
 * ordinary folder. Below it no symbolic link is followed: %h and %t are
 * untrusted. ROOT/.prof-fetch holds the lock and the index (ledger.h).
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger.h"
#include "lib/stream/stream.h"
#include "net/source.h"

struct archive;

/* Does it name an archive, rather than a file? */
bool archive_is_pattern(const char *output);

struct archive_options {
	int64_t now_s;   /* the time used in names */
	int64_t keep_s;  /* how long files are kept; 0: forever, no index */
	unsigned wait_s; /* seconds to wait for another run */
};

/*
 * Open the archive of pattern, create its root, and lock it. *out is the
 * caller's. PROF_EUSAGE: an invalid pattern; PROF_EIO, also if another run has
 * the lock; PROF_ENOMEM.
 */
enum prof_status archive_open(struct archive **out, const char *pattern,
			      const struct archive_options *o,
			      struct prof_err *err) MUST_USE;

/*
 * The file below the root for a profile from source or, if that is NULL, for
 * profile p, made on this machine. For free(); NULL without memory.
 */
char *archive_name(const struct archive *a, const struct source *source,
		   const struct profile *p);

/*
 * Write p to the file name, creating folders, durably and atomically. A file
 * that exists is never replaced: the new one gets -2, -3 and so on before its
 * ending. If that fails, expired files are removed before a second try.
 * PROF_EIO, PROF_ENOMEM, and errors of profile_encode(); the message names the
 * file.
 */
enum prof_status archive_put(struct archive *a, const char *name,
			     const struct profile *p,
			     struct stream_format format,
			     struct prof_err *err) MUST_USE;

/*
 * Remove expired files, if anything new was written: the last profiles of a
 * fleet that is down are kept. note and errors: as ledger_prune().
 */
enum prof_status archive_prune(struct archive *a, char note[LEDGER_NOTE],
			       struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void archive_close(struct archive *a);

#endif
