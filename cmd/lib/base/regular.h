/* regular.h - opening files with untrusted names. */
#ifndef REGULAR_H
#define REGULAR_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "status.h"

/*
 * Open the regular file path for reading. Returns a descriptor, for the caller
 * to close, with the result of fstat() in *sb. A profile may name a device, and
 * drivers act on open(): a watchdog starts, a tape rewinds. So other kinds of
 * files are never opened, nor are those of /proc, /sys and tracing: reading
 * kmsg waits, and takes lines away from the daemon that logs them. With
 * no_link, path itself must not be a symbolic link. -1, errno and *err:
 * PROF_EIO, PROF_EFORMAT if it is not a regular file, or PROF_ELIMIT if most of
 * it is a hole.
 */
int regular_open(const char *path, bool no_link, struct stat *sb,
		 struct prof_err *err) MUST_USE;

/* The same for a path that is relative to the folder dir. */
int regular_open_at(int dir, const char *path, bool no_link, struct stat *sb,
		    struct prof_err *err) MUST_USE;

/* The same, also of /proc and /sys: not for a name that was read. */
int regular_kernels_at(int dir, const char *path, struct stat *sb,
		       struct prof_err *err) MUST_USE;

/* Open a folder, to list it or as the dir of another call; -1 and errno. In a
 * dir it must be no link. */
int regular_folder(const char *path) MUST_USE;
int regular_folder_at(int dir, const char *path) MUST_USE;

/* A folder in dir that need not be readable: only as the dir of a call.
 */
int regular_place_at(int dir, const char *path, bool no_link) MUST_USE;

/* regular_folder() as opendir(), for closedir(). */
DIR *regular_list(const char *path) MUST_USE;

/*
 * Open for reading what this user named: a file, or a pipe, for which it may
 * wait, or a device. Not for a name that was read.
 */
int regular_named(const char *path) MUST_USE;

#endif
