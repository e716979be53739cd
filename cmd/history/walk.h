/*
 * walk.h - the profiles of an archive: the files below its folder whose names
 * end like those of profiles. Hidden files and folders are left out, symbolic
 * links are not followed.
 *
 * Folders that prof-thin has renamed count as what they stand for, so a profile
 * is never there twice: .F.thin as the folder F; .F.done/sum as F.pb.gz, in
 * place of a file of that name from before, and the parts beside it not at all.
 */
#ifndef HISTORY_WALK_H
#define HISTORY_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct walk_file {
	char *path; /* below the folder, as it is called in the index */
	char *real; /* below the folder, as it is called now */
	int64_t size, mtime_ns;
	int64_t inode;
};

struct walk {
	struct walk_file *file; /* by path, as bytes */
	size_t n, cap;
	unsigned n_again; /* folders that changed while they were listed */
};

/*
 * List the folder root; to end with walk_release(), whatever it returns.
 * PROF_EIO: a folder cannot be read, PROF_ELIMIT: it is too deep, PROF_ENOMEM.
 */
enum prof_status walk_archive(struct walk *w, const char *root,
			      struct prof_err *err) MUST_USE;

/* Add one file; its name may have any ending. PROF_EIO, PROF_ENOMEM. */
enum prof_status walk_add(struct walk *w, const char *path,
			  struct prof_err *err) MUST_USE;

/* Sort what was added, and drop files that are there twice. PROF_ENOMEM. */
enum prof_status walk_sort(struct walk *w, struct prof_err *err) MUST_USE;
void walk_release(struct walk *w);

#endif
