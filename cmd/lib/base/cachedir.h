/*
 * cachedir.h - folders of the user's cache, below $XDG_CACHE_HOME or ~/.cache,
 * and of lasting state. They must belong to the user, and no other user but
 * root may write in them, or in a folder above, and so replace them.
 */
#ifndef CACHEDIR_H
#define CACHEDIR_H

#include "status.h"

/*
 * The path of the folder `name` ("a/b"), created if needed, for free(). NULL if
 * that fails: no home, no space, or another user owns it, as under sudo.
 */
char *cachedir_path(const char *name, struct prof_err *err);

/* The same for state that is not a cache, below $XDG_STATE_HOME or
 * ~/.local/state. */
char *statedir_path(const char *name, struct prof_err *err);

/*
 * Does this user own the folder at this real path, and may no other user
 * replace it, or write in it? If not, PROF_EIO says so.
 */
enum prof_status cachedir_check(const char *path,
				struct prof_err *err) MUST_USE;

/* The same as cachedir_path() for a folder at this path; the result has no
 * links. */
char *cachedir_at(const char *path, struct prof_err *err);

#endif
