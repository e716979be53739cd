/* outfile.c - see outfile.h. */
#include "config.h"

#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TRIES 100

static enum prof_status
fail_errno(struct prof_err *err)
{
	return prof_fail(err, PROF_EIO, "%s", strerror(errno));
}

/* The next name for the temporary: ".NAME.PID-N", which is a name also if NAME
 * has 255 bytes. */
static enum prof_status
next_temp(struct outfile *out, struct prof_err *err)
{
	free(out->temp);
	if (asprintf(&out->temp, ".%.200s.%ld-%u", out->name, (long)getpid(),
		     out->tries++) >= 0)
		return PROF_OK;
	out->temp = NULL;
	return prof_nomem(err);
}

static enum prof_status
open_named(struct outfile *out, struct prof_err *err)
{
	do {
		if (next_temp(out, err) != PROF_OK)
			return PROF_ENOMEM;
		out->fd = openat(out->dir, out->temp,
				 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (out->fd < 0 && errno == EEXIST && out->tries < MAX_TRIES);
	if (out->fd < 0)
		return fail_errno(err);
	out->has_temp = true;
	return PROF_OK;
}

enum prof_status
outfile_open(struct outfile *out, int dir, const char *name,
	     struct prof_err *err)
{
	*out = (struct outfile){ .fd = -1, .dir = dir, .name = strdup(name) };
	if (!out->name)
		return prof_nomem(err);
#ifdef O_TMPFILE
	out->fd = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	if (out->fd >= 0)
		return PROF_OK;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return fail_errno(err);
#endif
	return open_named(out, err);
}

static enum prof_status
give_temp(struct outfile *out, struct prof_err *err)
{
	char self[40];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
	do {
		if (next_temp(out, err) != PROF_OK)
			return PROF_ENOMEM;
		if (linkat(AT_FDCWD, self, out->dir, out->temp,
			   AT_SYMLINK_FOLLOW) == 0) {
			out->has_temp = true;
			return PROF_OK;
		}
	} while (errno == EEXIST && out->tries < MAX_TRIES);
	return fail_errno(err);
}

int
outfile_folders(char *path, mode_t mode)
{
	for (char *at = path; *at;) {
		char end;

		at += 1 + strcspn(at + 1, "/");
		end = *at;
		*at = '\0';
		/* In this order errno is that of mkdir(). */
		if (access(path, F_OK) < 0 && mkdir(path, mode) < 0 &&
		    errno != EEXIST)
			return -1;
		*at = end;
	}
	return 0;
}

/* A folder with search but no read permission cannot be synced. */
enum prof_status
outfile_sync_folder(int dir, struct prof_err *err)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 && errno != EACCES ? -1 : 0;

	if (fd >= 0) {
		r = fsync(fd) < 0 && errno != EINVAL ? -1 : 0;
		close(fd);
	}
	return r < 0 ? fail_errno(err) : PROF_OK;
}

enum prof_status
outfile_commit(struct outfile *out, bool is_durable, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	if (is_durable && fsync(out->fd) < 0 && errno != EINVAL)
		return fail_errno(err);
	if (!out->has_temp)
		st = give_temp(out, err);
	if (st != PROF_OK)
		return st;
	if (renameat(out->dir, out->temp, out->dir, out->name) < 0)
		return fail_errno(err);
	out->has_temp = false;
	return is_durable ? outfile_sync_folder(out->dir, err) : PROF_OK;
}

void
outfile_release(struct outfile *out)
{
	if (out->has_temp)
		unlinkat(out->dir, out->temp, 0);
	free(out->name);
	free(out->temp);
	*out = (struct outfile){ .fd = -1, .dir = -1 };
}

int
outfile_create(int dir, const char *name)
{
	return openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int
outfile_kept(int dir, const char *name, int flags, mode_t mode)
{
	return openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		      mode);
}

int
outfile_named(const char *path, int flags)
{
	return open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
}
