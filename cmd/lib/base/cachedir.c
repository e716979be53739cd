/* cachedir.c - see cachedir.h. */
#include "config.h"

#include "cachedir.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"

enum prof_status
cachedir_check(const char *path, struct prof_err *err)
{
	struct stat sb;

	if (stat(path, &sb) != 0)
		return prof_fail(err, PROF_EIO, "%s: %s", path,
				 strerror(errno));
	if (!S_ISDIR(sb.st_mode) || sb.st_uid != geteuid() ||
	    (sb.st_mode & (S_IWGRP | S_IWOTH)))
		return prof_fail(err, PROF_EIO,
				 "%s: not a directory that this user owns",
				 path);
	return PROF_OK;
}

/* This user must own the last folder. */
static enum prof_status
make_folders(char *path, struct prof_err *err)
{
	if (outfile_folders(path, 0700) < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", path,
				 strerror(errno));
	return cachedir_check(path, err);
}

char *
cachedir_at(const char *path, struct prof_err *err)
{
	char *copy = strdup(path);

	if (!copy)
		prof_nomem(err);
	else if (*path != '/')
		prof_fail(err, PROF_EIO, "%s: not an absolute path", path);
	else if (make_folders(copy, err) == PROF_OK)
		return copy;
	free(copy);
	return NULL;
}

/* A path below the folder in the variable or, if it is unset, below that part
 * of the home folder. */
static char *
user_path(const char *variable, const char *below_home, const char *name,
	  struct prof_err *err)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	bool has_base = base && *base == '/';
	char *path, *out = NULL;
	struct stat sb;

	/* Create nothing in the home folder of another user: sudo keeps
	 * $HOME. */
	if (!has_base && (!home || *home != '/' || stat(home, &sb) != 0 ||
			  sb.st_uid != geteuid())) {
		prof_fail(err, PROF_EIO,
			  "no home directory that this user owns");
		return NULL;
	}
	if (asprintf(&path, "%s%s/%s", has_base ? base : home,
		     has_base ? "" : below_home, name) < 0) {
		prof_nomem(err);
		return NULL;
	}
	out = cachedir_at(path, err);
	free(path);
	return out;
}

char *
cachedir_path(const char *name, struct prof_err *err)
{
	return user_path("XDG_CACHE_HOME", "/.cache", name, err);
}

char *
statedir_path(const char *name, struct prof_err *err)
{
	return user_path("XDG_STATE_HOME", "/.local/state", name, err);
}
