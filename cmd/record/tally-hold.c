/*
 * tally-hold.c - files that have names for a profile, held open. A program may
 * be deleted or replaced while it runs, live in a memfd or in another mount
 * namespace: then its path leads nowhere, or to another file, once its process
 * has ended. So the file of each module is opened when the module is first
 * heard of, through the process itself, and whether that was needed is seen at
 * the end. Files in the system's folders stay where they are, and are many: of
 * these only what is not the same file here is held.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/fdpass.h"
#include "lib/base/now.h"
#include "lib/model/profile.h"
#include "procfs.h"
#include "tally-int.h"

enum {
	MAX_HELD = 512,
	MAX_NS = 50000000, /* for looks at all processes, and ... */
	SHARE = 50,        /* ... of the time, one part in so many */
};

static const char *
path_of(const struct tally *t, const struct module *m)
{
	return t->strings.str[m->file].s;
}

static bool
is_below(const char *path, const char *const *folder)
{
	for (; *folder; folder++)
		if (!strncmp(path, *folder, strlen(*folder)))
			return true;
	return false;
}

static bool
is_installed(const char *path)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/",
					       "/sbin/", NULL };

	return is_below(path, folders);
}

static bool
is_temporary(const char *path)
{
	static const char *const folders[] = { "/tmp/", "/var/tmp/",
					       "/dev/shm/", "/run/", NULL };

	return is_below(path, folders);
}

/* Does the path, of process pid or an unknown one, lead to the open file? */
static bool
leads_to(int32_t pid, const char *path, uint64_t dev, uint64_t ino)
{
	struct stat here;

	return procfs_place(pid, path, &here) && here.st_dev == dev &&
	       here.st_ino == ino;
}

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Does the row show module m? Its path may differ, which may be a link, or
 * below another root. Without a build-id, to be compared later, at least the
 * file's name must be the same. */
static bool
is_row_of(const struct tally *t, const struct procfs_map *row,
	  const struct module *m)
{
	const char *name = base_of(path_of(t, m));

	return *row->path == '/' && m->start >= row->start &&
	       m->start < row->limit &&
	       m->offset - row->offset == m->start - row->start &&
	       (*t->strings.str[m->build_id].s ||
		!strncmp(base_of(row->path), name, strlen(name)));
}

static const struct procfs_map *
row_of(const struct tally *t, const struct module *m)
{
	for (size_t i = 0; i < t->maps.n; i++)
		if (is_row_of(t, &t->maps.row[i], m))
			return &t->maps.row[i];
	return NULL;
}

static void
read_rows(struct tally *t, int32_t pid)
{
	struct maps *maps = &t->maps;
	char *line, *rest;
	size_t n;

	free(maps->text);
	maps->pid = pid;
	maps->n = 0;
	maps->text = rest = procfs_read(pid, "maps", &n);
	while ((line = strsep(&rest, "\n")) &&
	       array_reserve(&maps->row, &maps->room, maps->n + 1,
			     sizeof(*maps->row)) == 0)
		maps->n += procfs_map(line, &maps->row[maps->n]);
}

/*
 * Find module m in the mappings of process pid, which may be another one by
 * now, or always have been. Modules come process by process, in hundreds, and
 * reading the mappings waits for a processor: so they are kept, and read again
 * only for a module that is not there.
 */
static const struct procfs_map *
find_row(struct tally *t, int32_t pid, const struct module *m)
{
	const struct procfs_map *row = t->maps.pid == pid ? row_of(t, m) : NULL;

	if (row)
		return row;
	read_rows(t, pid);
	return row_of(t, m);
}

/* The same among the processes of other namespaces, which libsample knows by
 * their numbers there. */
static const struct procfs_map *
find_elsewhere(struct tally *t, int32_t pid, const struct module *m)
{
	int64_t since = now_ns(CLOCK_MONOTONIC) - t->hold_ns;
	int64_t begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
	const struct procfs_map *row = NULL;
	int32_t number;
	pid_t host;
	DIR *dir;

	if (pid == t->pid)
		return find_row(t, t->host, m);
	if (t->spent_ns > MAX_NS + since / SHARE)
		return NULL;
	t->pid = pid;
	t->host = 0;
	dir = procfs_list("/proc");
	while (dir && !row && (host = procfs_elsewhere(dir, &number)) != 0) {
		row = number == pid ? find_row(t, host, m) : NULL;
		if (row)
			t->host = host;
	}
	if (dir)
		closedir(dir);
	t->spent_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	return row;
}

/* Open the file of module m through the process that has it there. A path may
 * lead to a newer file: its build-id is compared later, else its number now. */
static int
open_module(const struct tally *t, int32_t pid, const struct module *m,
	    const struct procfs_map *row, struct look_file *file)
{
	struct procfs_mapped at = { pid, row->start, row->limit, row->path };
	bool has_id = *t->strings.str[m->build_id].s;
	int fd = -1;

	for (int turn = 0; turn < PROCFS_TURNS && fd < 0; turn++) {
		if (turn == PROCFS_CERTAIN)
			at.path = path_of(t, m);
		else if (turn == PROCFS_OWN)
			at.path = row->path;
		fd = procfs_open_mapped(&at, turn, file);
		if (fd < 0 || turn < PROCFS_CERTAIN || has_id ||
		    file->sb.st_ino == row->ino)
			continue;
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool
same_file(const struct module *a, const struct module *b)
{
	return a->file == b->file && a->build_id == b->build_id;
}

void
tally_hold_file(struct tally *t, const struct space *s, struct module *m)
{
	int32_t pid = t->process[s->process].pid;
	const char *path = path_of(t, m);
	const struct procfs_map *row;
	struct look_file file;
	int parcel = -1;

	m->held = 0;
	if (!t->holds || m->is_self || *path != '/' || path[1] == '/')
		return;
	for (const struct module *other = t->module; other < m; other++)
		if (same_file(other, m))
			return;
	row = find_row(t, pid, m);
	if (row)
		parcel = open_module(t, pid, m, row, &file);
	else if ((row = find_elsewhere(t, pid, m)))
		parcel = open_module(t, t->host, m, row, &file);
	if (parcel < 0)
		return;
	if (!file.in.is_elf ||
	    (is_installed(path) &&
	     leads_to(pid, path, file.sb.st_dev, file.sb.st_ino))) {
		close(parcel);
		return;
	}
	m->held_dev = file.sb.st_dev;
	m->held_ino = file.sb.st_ino;
	/* A stranger's server could keep us, even when we close it. */
	m->held = file.is_fuse || t->n_held == MAX_HELD ? -1
							: fdpass_unwrap(parcel);
	t->n_held += m->held >= 0;
	close(parcel);
}

void
tally_release_files(struct tally *t)
{
	free(t->maps.text);
	free(t->maps.row);
	for (size_t i = 0; i < t->n_module; i++)
		if (t->module[i].held > 0)
			close(t->module[i].held);
}

void
tally_hold(struct tally *t)
{
	t->holds = true;
	t->hold_ns = now_ns(CLOCK_MONOTONIC);
}

size_t
tally_refused(const struct tally *t)
{
	return t->n_refused;
}

int *
tally_held(struct tally *t, const struct profile *p, bool with_temporary)
{
	int *held = calloc(p->n_mapping + 1, sizeof(*held));

	for (size_t i = 0; held && i < p->n_mapping; i++) {
		const char *file = profile_str(p, p->mapping[i].file);
		const char *id = profile_str(p, p->mapping[i].build_id);

		held[i] = -1;
		for (size_t k = 0; k < t->n_module && held[i] < 0; k++) {
			const struct module *m = &t->module[k];
			bool leads = true;

			if (!m->held || strcmp(path_of(t, m), file) != 0 ||
			    strcmp(t->strings.str[m->build_id].s, id) != 0)
				continue;
			leads = leads_to(0, file, m->held_dev, m->held_ino);
			t->n_refused += m->held < 0 && !leads;
			if (!leads || (with_temporary && is_temporary(file)))
				held[i] = m->held;
		}
	}
	return held;
}
