/*
 * cachedir.h - folders of the user's cache: below $XDG_CACHE_HOME, or else
 * ~/.cache; and of what programs remember. They belong to the user; a folder
 * that others may write to is not used.
 */
#ifndef CACHEDIR_H
#define CACHEDIR_H

#include "status.h"

/*
 * The path of the folder called name ("a/b"), created if needed, for free().
 * NULL if that fails: no home, no space, or another user owns it, as under
 * sudo.
 */
char *cachedir_path(const char *name, struct prof_err *err);

/* The same below $XDG_STATE_HOME or ~/.local/state: what is no cache. */
char *statedir_path(const char *name, struct prof_err *err);

/* The same for a folder at this path. */
char *cachedir_at(const char *path, struct prof_err *err);

#endif
