/* archive-walk.c - see archive-walk.h. */
#include "config.h"

#include "archive-walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "lib/base/escape.h"
#include "sum.h"

#define MAX_DEPTH 64

/* Does the name have this shape, of n bytes? 9 is any digit, 1 to 3 at most
 * that. */
static bool
has_shape(const char *name, size_t n, const char *shape)
{
	if (n != strlen(shape))
		return false;
	for (size_t i = 0; i < n; i++)
		if (shape[i] == '-' ? name[i] != '-'
				    : name[i] < '0' || name[i] > shape[i])
			return false;
	return true;
}

static bool
is_hour(const char *name, size_t n)
{
	return has_shape(name, n, "29");
}

static bool
is_day(const char *name, size_t n)
{
	return has_shape(name, n, "9999-19-39");
}

/* Is `name` in the folder `above` due? */
static bool
is_due(const struct walk *w, const char *above, const char *name)
{
	size_t n = strlen(name);

	if (is_hour(name, n))
		return is_day(above, strlen(above)) &&
		       strcmp(above, w->last_minutes) < 0;
	return is_day(name, n) && strcmp(name, w->last_hours) < 0;
}

static void
sum_due(struct walk *w, int parent, const char *path, const char *name)
{
	const struct sum_options o = { w->max_size, cli_processors(),
				       w->is_dry };
	struct prof_err err;
	bool is_done;

	if (sum_folder(parent, name, &o, &is_done, &err) != PROF_OK) {
		complain("%s/%s: not summed: %s", path, name, err.msg);
		w->has_failed = true;
	} else if (is_done && w->is_dry) {
		FILE *out = cli_text(w->cli);

		escape_put(out, ESCAPE_TEXT, path, strlen(path));
		fprintf(out, "/%s\n", name);
	} else if (is_done) {
		warn("%s/%s.pb.gz", path, name);
	}
}

/*
 * The folders in fd, each once and by its own name, also if an interrupted run
 * has renamed it to .NAME.thin or .NAME.done.
 */
static enum prof_status
list_folders(int fd, struct folder_names *out, struct prof_err *err)
{
	struct folder_names all;
	enum prof_status st = folder_list(fd, &all, err);
	struct stat sb;

	*out = (struct folder_names){ 0 };
	for (size_t i = 0; i < all.n && st == PROF_OK; i++) {
		const char *name = all.name[i];
		size_t n = strlen(name);

		if (*name == '.') {
			if (n < 6 || (strcmp(name + n - 5, ".thin") != 0 &&
				      strcmp(name + n - 5, ".done") != 0))
				continue;
			name++;
			n -= 6;
			if (!is_hour(name, n) && !is_day(name, n))
				continue;
		}
		if (fstatat(fd, all.name[i], &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(sb.st_mode))
			st = folder_add_name(out, name, n, err);
	}
	folder_release_names(&all);
	folder_sort_names(out);
	return st;
}

static void walk_folder(struct walk *w, int fd, const char *path,
			const char *name, unsigned depth);

static void
walk_below(struct walk *w, int dir, const char *path, const char *name,
	   unsigned depth)
{
	struct prof_err err;
	char *below;
	int fd;

	if (!strcmp(name, "lost+found")) /* of the file system, and of root */
		return;
	fd = folder_open(dir, name, &err);
	if (fd < 0) {
		/* Renamed by an interrupted run. */
		if (errno == ENOENT)
			return;
		complain("%s/%s: left out: %s", path, name, err.msg);
		w->has_failed = true;
		return;
	}
	if (asprintf(&below, "%s/%s", path, name) < 0)
		die_nomem();
	walk_folder(w, fd, below, name, depth + 1);
	free(below);
	close(fd);
}

static void
walk_folder(struct walk *w, int fd, const char *path, const char *name,
	    unsigned depth)
{
	struct folder_names x = { 0 };
	struct prof_err err;

	if (depth > MAX_DEPTH || list_folders(fd, &x, &err) != PROF_OK) {
		complain("%s: left out: %s", path,
			 depth > MAX_DEPTH ? "too deep" : err.msg);
		w->has_failed = true;
	}
	for (size_t i = 0; i < x.n; i++) {
		if (i && !strcmp(x.name[i], x.name[i - 1]))
			continue;
		walk_below(w, fd, path, x.name[i], depth);
		if (is_due(w, name, x.name[i]))
			sum_due(w, fd, path, x.name[i]);
	}
	folder_release_names(&x);
}

void
walk_due(struct walk *w)
{
	const char *slash = strrchr(w->path, '/');

	walk_folder(w, w->fd, w->path, slash ? slash + 1 : w->path, 0);
}
