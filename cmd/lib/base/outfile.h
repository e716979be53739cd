/*
 * outfile.h - a file that appears whole or not at all. It is written without a
 * name (O_TMPFILE), so that not even SIGKILL leaves a partial file behind, and
 * gets its name at the end. On file systems without O_TMPFILE it has a
 * temporary name until then.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "status.h"

struct outfile {
	int fd;         /* to write to; the caller closes it */
	int dir;        /* the folder; the caller closes it */
	char *name;     /* the final name, in that folder */
	char *temp;     /* the temporary name */
	bool has_temp;  /* temp exists */
	unsigned tries; /* temporary names tried */
};

/*
 * Begin the file name of the open folder dir; an existing file of that name is
 * not touched. Always end with outfile_release(), even after an error.
 * PROF_EIO, PROF_ENOMEM.
 */
enum prof_status outfile_open(struct outfile *out, int dir, const char *name,
			      struct prof_err *err) MUST_USE;

/*
 * Give the file its name, replacing an existing file. is_durable: sync the data
 * before that, and the folder after it. On PROF_EIO or PROF_ENOMEM the file
 * does not appear and an existing one stays.
 */
enum prof_status outfile_commit(struct outfile *out, bool is_durable,
				struct prof_err *err) MUST_USE;

/* Remove the file if it has no name yet, and free the contents of *out. */
void outfile_release(struct outfile *out);

/* Make the empty file name in dir, which must be new; -1 and errno. */
int outfile_create(int dir, const char *name) MUST_USE;

/*
 * Open a file that stays and is changed, an index or a lock, in dir or, if that
 * is AT_FDCWD, at the path name: flags are O_RDONLY or O_RDWR, and O_CREAT with
 * this mode. Links are not followed, and pipes not waited for. The caller
 * checks its owner. -1 and errno.
 */
int outfile_kept(int dir, const char *name, int flags, mode_t mode) MUST_USE;

/* Open for writing, with flags, what this user named: it is not replaced. */
int outfile_named(const char *path, int flags) MUST_USE;

/* Make the folder `path` and those above it, unless they are there. It is
 * changed meanwhile. -1 and errno. */
int outfile_folders(char *path, mode_t mode) MUST_USE;

/* Sync the folder with its file names to the disk. */
enum prof_status outfile_sync_folder(int dir, struct prof_err *err) MUST_USE;

#endif
