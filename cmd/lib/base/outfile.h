/*
 * outfile.h - a file that appears whole or not at all. It is written without a
 * name (O_TMPFILE), so that not even SIGKILL leaves a piece of it behind, and
 * gets its name at the end. File systems that can't do that get a temporary
 * name beside it.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>

#include "status.h"

struct outfile {
	int fd;         /* to write to; the caller closes it */
	int dir;        /* the folder: the caller's */
	char *name;     /* in that folder, in the end */
	char *temp;     /* until then */
	bool has_temp;  /* temp exists */
	unsigned tries; /* of names for it */
};

/*
 * Begin the file name of the open folder dir; a file that has that name is not
 * touched. End with outfile_release(), whatever is returned. PROF_EIO,
 * PROF_ENOMEM.
 */
enum prof_status outfile_open(struct outfile *out, int dir, const char *name,
			      struct prof_err *err) MUST_USE;

/*
 * Give the file its name, in place of a file that has it. is_durable: not
 * before all of it is on the disk, and the name too. PROF_EIO, PROF_ENOMEM;
 * then there is no file, and one that was there still is.
 */
enum prof_status outfile_commit(struct outfile *out, bool is_durable,
				struct prof_err *err) MUST_USE;

/* Remove what is there without its name, and free what *out owns. */
void outfile_release(struct outfile *out);

/* Write the folder itself to the disk: what names there are in it. */
enum prof_status outfile_sync_folder(int dir, struct prof_err *err) MUST_USE;

#endif
