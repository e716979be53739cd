/* folder.c - see folder.h. */
#include "config.h"

#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/filename.h"
#include "lib/base/regular.h"

#define MAX_DEPTH 64

int
folder_open(int dir, const char *name, struct prof_err *err)
{
	int fd = regular_folder_at(dir, name);
	struct stat sb;

	if (fd < 0 || fstat(fd, &sb) < 0)
		prof_fail(err, PROF_EIO, "%s", strerror(errno));
	else if (sb.st_uid != geteuid())
		prof_fail(err, PROF_EUSAGE, "it belongs to another user");
	else if (sb.st_mode & S_IWOTH)
		prof_fail(err, PROF_EUSAGE, "all users may write in it");
	else
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = EPERM;
	}
	return -1;
}

/* --- names --- */

enum prof_status
folder_add_name(struct folder_names *x, const char *name, size_t n,
		struct prof_err *err)
{
	char *copy = strndup(name, n);

	if (!copy ||
	    array_reserve(&x->name, &x->cap, x->n + 1, sizeof(*x->name)) < 0) {
		free(copy);
		return prof_nomem(err);
	}
	x->name[x->n++] = copy;
	return PROF_OK;
}

static int
name_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
folder_sort_names(struct folder_names *x)
{
	if (x->n)
		qsort(x->name, x->n, sizeof(*x->name), name_cmp);
}

enum prof_status
folder_list(int fd, struct folder_names *x, struct prof_err *err)
{
	int own = regular_folder_at(fd, ".");
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	enum prof_status st = PROF_OK;
	struct dirent *d;

	*x = (struct folder_names){ 0 };
	if (!dir) {
		prof_fail(err, PROF_EIO, "%s", strerror(errno));
		if (own >= 0)
			close(own);
		return PROF_EIO;
	}
	while (st == PROF_OK && (errno = 0, d = readdir(dir)))
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			st = folder_add_name(x, d->d_name, strlen(d->d_name),
					     err);
	if (st == PROF_OK && errno)
		st = prof_fail(err, PROF_EIO, "%s", strerror(errno));
	closedir(dir);
	folder_sort_names(x);
	return st;
}

void
folder_release_names(struct folder_names *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->name[i]);
	free(x->name);
	*x = (struct folder_names){ 0 };
}

/* --- trees --- */

/* What is done to the entries of a tree. */
struct tree {
	enum prof_status (*visit)(void *ctx, const struct folder_file *f,
				  struct prof_err *err); /* NULL: remove all */
	void *ctx;
};

static enum prof_status walk_tree(const struct tree *t, int fd,
				  const char *path, unsigned depth,
				  struct prof_err *err);

static enum prof_status
fail_at(const char *path, const char *why, struct prof_err *err)
{
	return prof_fail(err, PROF_EIO, "%s: %s", path, why);
}

/* A folder `name` in dir. */
static enum prof_status
walk_below(const struct tree *t, int dir, const char *name, const char *path,
	   unsigned depth, struct prof_err *err)
{
	enum prof_status st;
	struct prof_err why;
	int fd;

	if (t->visit && !strcmp(name, ".prof-history"))
		return PROF_OK;
	fd = folder_open(dir, name, &why);
	if (fd < 0)
		return fail_at(path, why.msg, err);
	st = walk_tree(t, fd, path, depth + 1, err);
	close(fd);
	if (st == PROF_OK && !t->visit && unlinkat(dir, name, AT_REMOVEDIR) < 0)
		st = fail_at(path, strerror(errno), err);
	return st;
}

static enum prof_status
walk_entry(const struct tree *t, int dir, const char *name, const char *path,
	   unsigned depth, struct prof_err *err)
{
	bool is_done = *name == '.' && filename_ends_in(name, ".done");
	struct stat sb;

	if (fstatat(dir, name, &sb, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_at(path, strerror(errno), err);
	is_done &= S_ISDIR(sb.st_mode);
	if (S_ISDIR(sb.st_mode) && !(t->visit && is_done))
		return walk_below(t, dir, name, path, depth, err);
	if (t->visit && (*name != '.' || is_done)) {
		const struct folder_file f = { dir, name, path, &sb };

		return t->visit(t->ctx, &f, err);
	}
	if (!t->visit && unlinkat(dir, name, 0) < 0)
		return fail_at(path, strerror(errno), err);
	return PROF_OK;
}

/* The entries of the open folder fd, at path below the first ("": that). */
static enum prof_status
walk_tree(const struct tree *t, int fd, const char *path, unsigned depth,
	  struct prof_err *err)
{
	struct folder_names x;
	struct prof_err why;
	enum prof_status st;

	if (depth > MAX_DEPTH)
		return fail_at(path, "too deep", err);
	st = folder_list(fd, &x, &why);
	if (st != PROF_OK)
		prof_fail(err, st, "%s%s%s", path, *path ? ": " : "", why.msg);
	for (size_t i = 0; i < x.n && st == PROF_OK; i++) {
		char *below;

		if (asprintf(&below, "%s%s%s", path, *path ? "/" : "",
			     x.name[i]) < 0) {
			st = prof_nomem(err);
			break;
		}
		st = walk_entry(t, fd, x.name[i], below, depth, err);
		free(below);
	}
	folder_release_names(&x);
	return st;
}

enum prof_status
folder_visit(int fd,
	     enum prof_status (*visit)(void *ctx, const struct folder_file *f,
				       struct prof_err *err),
	     void *ctx, struct prof_err *err)
{
	const struct tree t = { visit, ctx };

	return walk_tree(&t, fd, "", 0, err);
}

enum prof_status
folder_remove(int dir, const char *name, struct prof_err *err)
{
	const struct tree t = { 0 };

	return walk_below(&t, dir, name, name, 0, err);
}
