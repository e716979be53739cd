/* cachedir.c - see cachedir.h. */
#include "config.h"

#include "cachedir.h"

#include <errno.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"

/* May only this user and root replace what is in the folder? In a sticky one,
 * that holds for what they own. */
static bool
is_kept(const struct stat *sb)
{
	return (sb->st_uid == geteuid() || sb->st_uid == 0) &&
	       (!(sb->st_mode & (S_IWGRP | S_IWOTH)) ||
		(sb->st_mode & S_ISVTX));
}

/* Check the folder at this real path, and each above it. */
static enum prof_status
check_folders(const char *path, struct prof_err *err)
{
	char *copy = strdup(path);
	enum prof_status st = copy ? PROF_OK : prof_nomem(err);
	struct stat sb;

	for (char *at = copy; st == PROF_OK; at = dirname(at)) {
		if (stat(at, &sb) != 0)
			st = prof_fail(err, PROF_EIO, "%s: %s", at,
				       strerror(errno));
		else if (!is_kept(&sb))
			st = prof_fail(err, PROF_EIO,
				       "%s: other users may write in %s, or it "
				       "is another user's",
				       path, at);
		else if (!strcmp(at, "/"))
			break;
	}
	free(copy);
	return st;
}

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
	return check_folders(path, err);
}

/* The path, with what is there of it free of links; for free(). */
static char *
without_links(const char *path, struct prof_err *err)
{
	char *copy = strdup(path), *at = copy, *real = NULL, *out = NULL;

	while (at && !(real = realpath(at, NULL)) && errno == ENOENT)
		at = dirname(at);
	if (!real)
		prof_fail(err, PROF_EIO, "%s: %s", path, strerror(errno));
	else if (check_folders(real, err) == PROF_OK &&
		 asprintf(&out, "%s%s", real, path + strlen(at)) < 0) {
		out = NULL;
		prof_nomem(err);
	}
	free(copy);
	free(real);
	return out;
}

char *
cachedir_at(const char *path, struct prof_err *err)
{
	char *made = NULL, *real = NULL;

	if (*path != '/')
		prof_fail(err, PROF_EIO, "%s: not an absolute path", path);
	else
		made = without_links(path, err);
	if (made) {
		if (outfile_folders(made, 0700) < 0 ||
		    !(real = realpath(made, NULL)))
			prof_fail(err, PROF_EIO, "%s: %s", path,
				  strerror(errno));
		else if (cachedir_check(real, err) != PROF_OK) {
			free(real);
			real = NULL;
		}
	}
	free(made);
	return real;
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
