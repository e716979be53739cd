/* regular.c - see regular.h. */
#include "config.h"

#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "budget.h"

static int
fail(int fd, struct prof_err *err)
{
	prof_fail(err, PROF_EIO, "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Is most of the file a hole? Holes cost nothing to make, and memory and time
 * to read. File systems that compress show fewer blocks, as do some until they
 * have written them, but no hole then.
 */
static bool
is_hollow(int fd, const struct stat *sb)
{
	enum { MAX_HOLE = 1 << 20, MAX_RATIO = 8 };
	off_t on_disk = (off_t)sb->st_blocks * 512;
	off_t hole = -1;

	if (sb->st_size > MAX_HOLE && sb->st_size / MAX_RATIO > on_disk)
		hole = lseek(fd, 0, SEEK_HOLE);
	return hole >= 0 && lseek(fd, 0, SEEK_SET) == 0 && hole < sb->st_size;
}

/* Does the kernel make it up when it is read? Such a file takes no blocks. */
static bool
is_kernels(int fd, const struct stat *sb)
{
	struct statfs fs;

	return !sb->st_blocks &&
	       (fstatfs(fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC ||
		fs.f_type == SYSFS_MAGIC || fs.f_type == TRACEFS_MAGIC ||
		fs.f_type == DEBUGFS_MAGIC);
}

/*
 * Stat a descriptor that does not open the file (O_PATH), then open that inode.
 * Without /proc the path is opened again, and may be a pipe by then: do not
 * wait for a writer.
 */
static int
open_one(int dir, const char *path, bool no_link, bool may_be_kernels,
	 struct stat *sb, struct prof_err *err)
{
	int flags = O_CLOEXEC | (no_link ? O_NOFOLLOW : 0), fd;
	int place = openat(dir, path, O_PATH | flags);
	char link[32];

	if (place < 0 || fstat(place, sb) != 0)
		return fail(place, err);
	if (!S_ISREG(sb->st_mode) ||
	    (!may_be_kernels && is_kernels(place, sb))) {
		prof_fail(err, PROF_EFORMAT,
			  S_ISLNK(sb->st_mode) ? "a symbolic link"
					       : "not a regular file");
		close(place);
		return -1;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		fd = openat(dir, path,
			    O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
	if (fd < 0)
		return fail(place, err);
	close(place);
	if (fstat(fd, sb) != 0)
		return fail(fd, err);
	if (S_ISREG(sb->st_mode) && !is_hollow(fd, sb)) {
		budget_file(sb);
		return fd;
	}
	if (S_ISREG(sb->st_mode))
		prof_fail(err, PROF_ELIMIT,
			  "of its %jd bytes only %jd are on disk",
			  (intmax_t)sb->st_size, (intmax_t)sb->st_blocks * 512);
	else
		prof_fail(err, PROF_EFORMAT, "not a regular file");
	close(fd);
	errno = S_ISREG(sb->st_mode) ? EFBIG : 0;
	return -1;
}

int
regular_open_at(int dir, const char *path, bool no_link, struct stat *sb,
		struct prof_err *err)
{
	return open_one(dir, path, no_link, false, sb, err);
}

int
regular_open(const char *path, bool no_link, struct stat *sb,
	     struct prof_err *err)
{
	return open_one(AT_FDCWD, path, no_link, false, sb, err);
}

int
regular_kernels_at(int dir, const char *path, struct stat *sb,
		   struct prof_err *err)
{
	return open_one(dir, path, false, true, sb, err);
}

int
regular_folder_at(int dir, const char *path)
{
	return openat(dir, path,
		      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int
regular_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int
regular_place_at(int dir, const char *path, bool no_link)
{
	return openat(dir, path,
		      O_PATH | O_DIRECTORY | O_CLOEXEC |
			      (no_link ? O_NOFOLLOW : 0));
}

DIR *
regular_list(const char *path)
{
	return opendir(path);
}

int
regular_named(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}
