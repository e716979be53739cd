/*
 * cachedir.h - folders of the user's cache: below $XDG_CACHE_HOME, or else
 * ~/.cache. What is in them is the user's own; a folder that others may write
 * to is not used.
 */
#ifndef CACHEDIR_H
#define CACHEDIR_H

#include "status.h"

/*
 * The path of the folder called name ("a/b"), made if need be, for free().
 * NULL if there can be none: no home, no space, or it is somebody else's, as
 * it is under sudo.
 */
char *cachedir_path(const char *name, struct prof_err *err);

/* The same for a folder at this path. */
char *cachedir_at(const char *path, struct prof_err *err);

#endif
