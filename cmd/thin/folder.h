/*
 * folder.h - folders of an archive by descriptor: each is opened in the one
 * above, never through a link, and only if it belongs to this user and is not
 * open to all. So nothing outside of the archive can be reached, whatever other
 * users rename meanwhile.
 */
#ifndef THIN_FOLDER_H
#define THIN_FOLDER_H

#include <stddef.h>
#include <sys/stat.h>

#include "lib/base/status.h"

/*
 * Open folder `name` in dir: a descriptor for the caller to close, or -1 and
 * the reason, without the name. errno is ENOENT if there is none.
 */
int folder_open(int dir, const char *name, struct prof_err *err);

struct folder_names {
	char **name; /* sorted as bytes */
	size_t n, cap;
};

/* All names in the open folder but "." and "..". PROF_EIO, PROF_ENOMEM. */
enum prof_status folder_list(int fd, struct folder_names *x,
			     struct prof_err *err) MUST_USE;

/* Add a name, unsorted. PROF_ENOMEM. */
enum prof_status folder_add_name(struct folder_names *x, const char *name,
				 size_t n, struct prof_err *err) MUST_USE;
void folder_sort_names(struct folder_names *x);
void folder_release_names(struct folder_names *x);

/* A file (or .HH.done) below a folder: `name` in dir, at `path` below the
 * folder. */
struct folder_file {
	int dir;
	const char *name, *path;
	const struct stat *sb;
};

/*
 * Call visit() for everything below the open folder that is no folder and not
 * hidden, and for each folder .HH.done, which has the sum of an hour. Folders
 * of caches (.prof-history) are passed over. Errors name the path.
 */
enum prof_status
folder_visit(int fd,
	     enum prof_status (*visit)(void *ctx, const struct folder_file *f,
				       struct prof_err *err),
	     void *ctx, struct prof_err *err) MUST_USE;

/* Remove folder `name` in dir with all that is in it. */
enum prof_status folder_remove(int dir, const char *name,
			       struct prof_err *err) MUST_USE;

#endif
