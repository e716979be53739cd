/*
 * locate.c - see locate.h. The layouts of a search path are pprof's. Unlike in
 * pprof, the path in the profile comes before the search path, unless a
 * build-id decides: an older file of the same name must not win.
 */
#include "config.h"

#include "locate.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/buildid.h"
#include "lib/model/runtime.h"
#include "symbols/binary/binary.h"
#include "symbols/elf/broker.h"

int
locate_init(struct locate *l, const char *list)
{
	const char *home = getenv("HOME");
	char *copy, *rest, *word;

	*l = (struct locate){ 0 };
	if (!list)
		list = getenv("PPROF_BINARY_PATH");
	if (list && *list)
		copy = strdup(list);
	else if (asprintf(&copy, "%s/pprof/binaries", home ? home : "") < 0)
		copy = NULL;
	if (!copy)
		return -1;
	l->dir = calloc(strlen(copy) / 2 + 1, sizeof(*l->dir));
	if (!l->dir)
		goto fail;
	for (rest = copy; (word = strsep(&rest, ":"));) {
		if (!*word)
			continue;
		l->dir[l->n_dir] = strdup(word);
		if (!l->dir[l->n_dir++])
			goto fail;
	}
	free(copy);
	return 0;
fail:
	free(copy);
	locate_release(l);
	return -1;
}

void
locate_release(struct locate *l)
{
	for (size_t i = 0; i < l->n_dir; i++)
		free(l->dir[i]);
	free(l->dir);
	*l = (struct locate){ 0 };
}

bool
locate_is_special(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;

	return *base == '[' || !strncmp(base, "linux-vdso", 10) ||
	       !strncmp(file, "/dev/dri/", 9) || runtime_may_own(file);
}

/* A search for one object. */
struct search {
	const struct locate *locate;
	const char *build_id; /* required build-id; "": any */
	struct binary *found;
	char *path;
	/* A debug file for it, found during the search. */
	struct binary *debug;
	bool nomem;
};

static void
drop(struct search *s)
{
	binary_close(s->found);
	binary_close(s->debug);
	free(s->path);
	s->found = s->debug = NULL;
	s->path = NULL;
}

/*
 * Keep o, which matches, if it has more symbols than the object found before.
 * true: nothing can be better. Without a build-id, take the first, as another
 * may be another program.
 */
static bool
keep(struct search *s, struct binary *o, const char *path)
{
	enum binary_worth worth = binary_worth(o);

	if (s->found && worth == WORTH_SPLIT && !s->debug) {
		s->debug = o;
		return false;
	}
	if (s->found && worth <= binary_worth(s->found)) {
		binary_close(o);
		return false;
	}
	if (s->found && binary_worth(s->found) == WORTH_SPLIT && !s->debug) {
		s->debug = s->found;
		s->found = NULL;
	}
	binary_close(s->found);
	free(s->path);
	s->found = o;
	s->path = strdup(path);
	s->nomem = !s->path;
	return s->nomem || worth == WORTH_DWARF || !*s->build_id;
}

static bool
reject(const struct search *s, const char *path, const struct prof_err *why,
       struct prof_err *err)
{
	if (s->locate->tried)
		s->locate->tried(s->locate->ctx, path, why->msg);
	if (err)
		*err = *why;
	return false;
}

/* Try one file. true: stop here. */
static bool
try_path(struct search *s, const char *path, struct prof_err *err)
{
	struct prof_err why;
	struct binary *o;
	const char *id;

	switch (binary_open(path, s->locate->budget, &o, &why)) {
	case PROF_OK:
		break;
	case PROF_ENOMEM:
		s->nomem = true;
		return true;
	default:
		return reject(s, path, &why, err);
	}
	id = binary_build_id(o);
	if (!*s->build_id || binary_has_id(o, s->build_id))
		return keep(s, o, path);
	prof_fail(&why, PROF_EIO, *id ? "its build-id is %s" : "no build-id",
		  id);
	binary_close(o);
	return reject(s, path, &why, err);
}

static bool try_format(struct search *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool
try_format(struct search *s, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return n > 0 && (size_t)n < sizeof(path) && try_path(s, path, NULL);
}

static int
cmp_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every file in dir/id, by name. */
static bool
try_directory(struct search *s, const char *dir, const char *id)
{
	char path[PATH_MAX], **name = NULL;
	size_t cap = 0, n_name = 0;
	const struct dirent *e;
	bool stop = false;
	DIR *folder;
	int n, fd;

	n = snprintf(path, sizeof(path), "%s/%s", dir, id);
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	fd = broker_folder(path);
	folder = fd >= 0 ? fdopendir(fd) : NULL;
	while (folder && (e = readdir(folder)) &&
	       array_reserve(&name, &cap, n_name + 1, sizeof(*name)) == 0 &&
	       (name[n_name] = strdup(e->d_name)))
		n_name++;
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	if (n_name)
		qsort(name, n_name, sizeof(*name), cmp_name);
	for (size_t i = 0; i < n_name; i++) {
		if (!stop)
			stop = try_format(s, "%s/%s", path, name[i]);
		free(name[i]);
	}
	free(name);
	return stop;
}

/*
 * Try the layouts for a build-id: debug trees, also below the root of another
 * system, Fedora's links to programs, and the cache of perf(1).
 */
static bool
try_build_id(struct search *s, const char *dir, const char *id)
{
	static const char *const around[][2] = {
		{ "", ".debug" },
		{ "/.build-id", ".debug" },
		{ "/usr/lib/debug/.build-id", ".debug" },
		{ "/.build-id", "" },
		{ "/.build-id", "/elf" },
		{ "/.build-id", "/debug" },
	};

	if (strlen(id) <= 2)
		return false;
	for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++)
		if (try_format(s, "%s%s/%.2s/%s%s", dir, around[i][0], id,
			       id + 2, around[i][1]))
			return true;
	return false;
}

/* Try the layouts of one directory of the search path. */
static bool
try_layouts(struct search *s, const char *dir, const char *file,
	    const char *build_id)
{
	const char *slash, *base;
	int n;

	file += strspn(file, "/");
	slash = strrchr(file, '/');
	base = slash ? slash + 1 : file;
	n = slash ? (int)(slash - file) : 0;
	if (*build_id &&
	    (try_format(s, "%s/%s/%s", dir, build_id, base) ||
	     try_directory(s, dir, build_id) ||
	     (*file && try_format(s, "%s/%s/%s", dir, file, build_id)) ||
	     try_build_id(s, dir, build_id)))
		return true;
	return *file &&
	       (try_format(s, "%s/%s", dir, base) ||
		try_format(s, "%s/%s", dir, file) ||
		try_format(s, "%s/%s.debug", dir, file) ||
		try_format(s, "%s/%.*s/.debug/%s.debug", dir, n, file, base) ||
		try_format(s, "%s/usr/lib/debug/%.*s/%s.debug", dir, n, file,
			   base));
}

/* A build-id becomes part of paths; being untrusted, it must have no dots or
 * slashes, and fit. */
static bool
is_hex(const char *id)
{
	size_t n = strspn(id, "0123456789abcdefABCDEF");

	return id[n] == '\0' && n < BUILD_ID_TEXT;
}

/*
 * The kernel says so of a file that was replaced or removed while it ran. Copy
 * the name without that to name.
 */
static bool
is_deleted(const char *file, char name[PATH_MAX])
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(file);

	if (n <= strlen(mark) || n >= PATH_MAX ||
	    strcmp(file + n - strlen(mark), mark) != 0)
		return false;
	snprintf(name, PATH_MAX, "%.*s", (int)(n - strlen(mark)), file);
	return true;
}

static void
search(const struct locate *l, const char *file, const char *build_id,
       struct search *s, struct prof_err *err)
{
	const char *in_path = is_hex(build_id) ? build_id : "";
	bool real = *file && !locate_is_special(file);
	char name[PATH_MAX];

	s->build_id = build_id;
	if (real && try_path(s, file, err))
		return;
	/* Now its path has another file, unless the build-id is the same. */
	if (real && is_deleted(file, name)) {
		file = name;
		real = *build_id;
		if (real && try_path(s, file, err))
			return;
	}
	for (size_t i = 0; i < l->n_dir; i++)
		if (try_layouts(s, l->dir[i], file, in_path))
			return;
	if (s->found || s->nomem || !real || !*build_id)
		return;
	/*
	 * A file without build-id may be right; one with another build-id
	 * cannot, unless any_build_id is set.
	 */
	s->build_id = "";
	if (try_path(s, file, NULL) && s->found && !l->any_build_id &&
	    *binary_build_id(s->found))
		drop(s);
}

/* Try the places of a kernel of this release below dir, which may be "". */
static bool
try_kernel(struct search *s, const char *dir, const char *release)
{
	return try_format(s, "%s/boot/vmlinux-%s", dir, release) ||
	       try_format(s, "%s/usr/lib/debug/boot/vmlinux-%s", dir,
			  release) ||
	       try_format(s, "%s/usr/lib/debug/lib/modules/%s/vmlinux", dir,
			  release) ||
	       try_format(s, "%s/lib/modules/%s/vmlinux", dir, release) ||
	       try_format(s, "%s/lib/modules/%s/build/vmlinux", dir, release);
}

enum prof_status
locate_kernel(const struct locate *l, const char *build_id, const char *running,
	      struct binary **out, char **path, struct prof_err *err)
{
	struct search s = { .locate = l, .build_id = build_id };
	struct utsname name;
	bool stop = false;

	*out = NULL;
	*path = NULL;
	if (uname(&name) != 0)
		*name.release = '\0';
	for (size_t i = 0; i < l->n_dir && !stop; i++)
		stop = (*build_id && is_hex(build_id) &&
			try_layouts(&s, l->dir[i], "", build_id)) ||
		       try_format(&s, "%s/vmlinux", l->dir[i]) ||
		       try_kernel(&s, l->dir[i], name.release);
	/* Kernels of this machine must match. */
	if (!*s.build_id)
		s.build_id = running;
	if (!stop && *s.build_id && is_hex(s.build_id) &&
	    strlen(s.build_id) > 2)
		stop = try_format(&s, "/usr/lib/debug/.build-id/%.2s/%s.debug",
				  s.build_id, s.build_id + 2) ||
		       try_kernel(&s, "", name.release);
	if (s.nomem) {
		drop(&s);
		return prof_nomem(err);
	}
	if (!s.found)
		return prof_fail(err, PROF_EIO, "no vmlinux");
	if (s.debug)
		binary_use_debug(s.found, s.debug);
	*out = s.found;
	*path = s.path;
	return PROF_OK;
}

enum prof_status
locate_open(const struct locate *l, const char *file, const char *build_id,
	    struct binary **out, char **path, struct prof_err *err)
{
	struct search s = { .locate = l };

	*out = NULL;
	*path = NULL;
	prof_fail(err, PROF_EIO, "not in the search path");
	/* No file has such a name: it has only its build-id. */
	search(l, strlen(file) < PATH_MAX ? file : "", build_id, &s, err);
	if (s.nomem) {
		drop(&s);
		return prof_nomem(err);
	}
	if (!s.found)
		return err->status;
	if (s.debug)
		binary_use_debug(s.found, s.debug);
	*out = s.found;
	*path = s.path;
	return PROF_OK;
}
