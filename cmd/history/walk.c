/* walk.c - see walk.h. */
#include "config.h"

#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/filename.h"
#include "lib/base/now.h"
#include "lib/base/regular.h"

#define MAX_DEPTH 64
#define MAX_AGAIN 100       /* in all: a folder may never be at rest */
#define AT_REST_NS 20000000 /* longer than a tick of the clock of files */

/* A folder of the walk: its two names, and their lengths. */
struct place {
	const char *root;
	char *path, *real; /* "" or with a '/' at the end */
	unsigned depth;
};

static enum prof_status
fail(const struct place *at, const char *name, struct prof_err *err)
{
	return prof_fail(err, PROF_EIO, "%s/%s%s: %s", at->root, at->real, name,
			 strerror(errno));
}

/* Takes path and real. */
static enum prof_status
add_file(struct walk *w, char *path, char *real, const struct stat *sb,
	 struct prof_err *err)
{
	if (!path || !real ||
	    array_reserve(&w->file, &w->cap, w->n + 1, sizeof(*w->file)) < 0) {
		free(path);
		free(real);
		return prof_nomem(err);
	}
	w->file[w->n++] = (struct walk_file){
		.path = path,
		.real = real,
		.size = sb->st_size,
		.mtime_ns = mtime_ns(sb),
		.inode = (int64_t)sb->st_ino,
	};
	return PROF_OK;
}

static char *
join(const char *before, const char *name, size_t n, const char *after)
{
	char *s;

	return asprintf(&s, "%s%.*s%s", before, (int)n, name, after) < 0 ? NULL
									 : s;
}

/* The name between "." and the suffix: F, n bytes, of .F.thin. */
static const char *
between(const char *name, const char *end, size_t *n)
{
	if (*name != '.' || !filename_ends_in(name + 1, end))
		return NULL;
	*n = strlen(name) - 1 - strlen(end);
	return name + 1;
}

static enum prof_status walk_folder(struct walk *w, const struct place *at,
				    int fd, struct prof_err *err);

/* Walk the folder `name` in `at`, whose name in the index is n bytes of `as`.
 */
static enum prof_status
enter(struct walk *w, const struct place *at, int dir, const char *name,
      const char *as, size_t n, struct prof_err *err)
{
	struct place below = { .root = at->root, .depth = at->depth + 1 };
	enum prof_status st;
	int fd;

	if (below.depth > MAX_DEPTH)
		return prof_fail(err, PROF_ELIMIT,
				 "%s/%s%s: more than %d folders deep", at->root,
				 at->real, name, MAX_DEPTH);
	fd = regular_folder_at(dir, name);
	if (fd < 0)
		return errno == ENOENT ? PROF_OK : fail(at, name, err);
	below.path = join(at->path, as, n, "/");
	below.real = join(at->real, name, strlen(name), "/");
	if (below.path && below.real) {
		st = walk_folder(w, &below, fd, err);
	} else {
		st = prof_nomem(err);
		close(fd);
	}
	free(below.path);
	free(below.real);
	return st;
}

/* .F.done: the sum in it, as F.pb.gz. */
static enum prof_status
take_done(struct walk *w, const struct place *at, int dir, const char *name,
	  const char *as, size_t n, struct prof_err *err)
{
	char *in = join(name, "/sum", 4, "");
	enum prof_status st = PROF_OK;
	struct stat sb;

	if (!in)
		return prof_nomem(err);
	if (fstatat(dir, in, &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(sb.st_mode))
		st = add_file(w, join(at->path, as, n, ".pb.gz"),
			      join(at->real, in, strlen(in), ""), &sb, err);
	free(in);
	return st;
}

static enum prof_status
take_name(struct walk *w, const struct place *at, int dir, const char *name,
	  struct prof_err *err)
{
	const char *as;
	struct stat sb;
	size_t n;

	if ((as = between(name, ".done", &n)))
		return take_done(w, at, dir, name, as, n, err);
	as = between(name, ".thin", &n);
	if (!as) {
		if (*name == '.')
			return PROF_OK;
		as = name;
		n = strlen(name);
	}
	/* A file that is gone by now has another name in the next walk. */
	if (fstatat(dir, name, &sb, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? PROF_OK : fail(at, name, err);
	if (S_ISDIR(sb.st_mode))
		return enter(w, at, dir, name, as, n, err);
	if (as != name || !S_ISREG(sb.st_mode) || !filename_ending(name))
		return PROF_OK;
	return add_file(w, join(at->path, name, n, ""),
			join(at->real, name, n, ""), &sb, err);
}

static void
free_file(struct walk_file *f)
{
	free(f->path);
	free(f->real);
}

/* When was the folder changed? If that is so recent that a further change
 * would have the same time, wait. */
static int64_t
changed_at(struct walk *w, int fd)
{
	static const struct timespec rest = { .tv_nsec = AT_REST_NS };
	struct stat sb;

	while (fstat(fd, &sb) == 0) {
		int64_t at = mtime_ns(&sb), age = now_ns(CLOCK_REALTIME) - at;

		if (age < 0 || age >= AT_REST_NS || w->n_again >= MAX_AGAIN)
			return at;
		w->n_again++;
		nanosleep(&rest, NULL);
	}
	return 0;
}

/*
 * prof-thin renames what is listed: a folder has another name by the time it
 * is opened, or neither its old nor its new name is seen. So a folder that
 * changed meanwhile is listed again, with what is below it. Closes fd.
 */
static enum prof_status
walk_folder(struct walk *w, const struct place *at, int fd,
	    struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	DIR *dir = fdopendir(fd);
	size_t n = w->n;
	struct dirent *d;
	int64_t changed;

	if (!dir) {
		st = fail(at, "", err);
		close(fd);
		return st;
	}
	do {
		while (w->n > n)
			free_file(&w->file[--w->n]);
		changed = changed_at(w, fd);
		rewinddir(dir);
		while (st == PROF_OK && (errno = 0, d = readdir(dir)))
			st = take_name(w, at, fd, d->d_name, err);
		if (st == PROF_OK && errno)
			st = fail(at, "", err);
	} while (st == PROF_OK && w->n_again < MAX_AGAIN &&
		 changed != changed_at(w, fd));
	closedir(dir);
	return st;
}

/* Compare by path; files that prof-thin has renamed are first. */
static int
by_path(const void *a, const void *b)
{
	const struct walk_file *x = a, *y = b;
	int c = strcmp(x->path, y->path);
	bool p = strcmp(x->path, x->real) != 0, q = strcmp(y->path, y->real);

	return c ? c : p != q ? q - p : strcmp(x->real, y->real);
}

/*
 * Two files with one path. The sum of .F.done replaces F.pb.gz. Parts with one
 * name in F and .F.thin both stay, one under its real name. Returns whether to
 * drop next.
 */
static enum prof_status
settle_equal(struct walk_file *first, const struct walk_file *next, bool *goes,
	     struct prof_err *err)
{
	char *copy;

	*goes = filename_ends_in(first->real, "/sum") ||
		!strcmp(first->real, next->real);
	if (*goes)
		return PROF_OK;
	copy = strdup(first->real);
	if (!copy)
		return prof_nomem(err);
	free(first->path);
	first->path = copy;
	return PROF_OK;
}

enum prof_status
walk_sort(struct walk *w, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	size_t n = 0;

	if (w->n)
		qsort(w->file, w->n, sizeof(*w->file), by_path);
	for (size_t i = 0; i < w->n; i++) {
		bool goes = false;

		if (st == PROF_OK && n &&
		    !strcmp(w->file[n - 1].path, w->file[i].path))
			st = settle_equal(&w->file[n - 1], &w->file[i], &goes,
					  err);
		if (goes)
			free_file(&w->file[i]);
		else
			w->file[n++] = w->file[i];
	}
	w->n = n;
	if (n)
		qsort(w->file, n, sizeof(*w->file), by_path);
	return st;
}

enum prof_status
walk_archive(struct walk *w, const char *root, struct prof_err *err)
{
	char none[] = "";
	struct place at = { root, none, none, 0 };
	enum prof_status st;
	int fd = regular_folder(root);

	memset(w, 0, sizeof(*w));
	if (fd < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", root,
				 strerror(errno));
	st = walk_folder(w, &at, fd, err);
	return st == PROF_OK ? walk_sort(w, err) : st;
}

enum prof_status
walk_add(struct walk *w, const char *path, struct prof_err *err)
{
	struct stat sb;

	if (stat(path, &sb) < 0)
		return prof_fail(err, PROF_EIO, "%s: %s", path,
				 strerror(errno));
	return add_file(w, strdup(path), strdup(path), &sb, err);
}

void
walk_release(struct walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		free_file(&w->file[i]);
	free(w->file);
	memset(w, 0, sizeof(*w));
}
