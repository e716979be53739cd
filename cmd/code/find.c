/* find.c - see find.h. */
#include "config.h"

#include "find.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/report/frames.h"

#define USR_SRC "/usr/src"
#define MAX_SUFFIXES 64 /* of one path */

struct find {
	const struct sources_options *o;
	const char *file;
	char *dirs; /* of the source path */
	bool (*try)(void *ctx, const struct find_place *place);
	void *ctx;
};

/* Print a path and try it. Paths that are too long are skipped. */
static bool try_at(const struct find *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool
try_at(const struct find *f, const char *fmt, ...)
{
	struct find_place place = { 0 };
	char path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	place.path = path;
	return n > 0 && (size_t)n < sizeof(path) && f->try(f->ctx, &place);
}

char *
find_directories(const struct sources_options *o)
{
	return o->source_path && *o->source_path ? strdup(o->source_path)
						 : getcwd(NULL, 0);
}

/* The next directory of a list, of *n bytes; "" is the current one. */
static const char *
next_dir(const char **list, size_t *n)
{
	const char *dir = *list;

	if (!dir)
		return NULL;
	*n = strcspn(dir, ":");
	*list = dir[*n] ? dir + *n + 1 : NULL;
	if (*n)
		return dir;
	*n = 1;
	return ".";
}

/* --- directories of the user --- */

static bool
find_mapped(const struct find *f)
{
	for (size_t i = 0; i < f->o->n_map; i++) {
		const char *map = f->o->map[i], *to = strchr(map, '=');
		size_t n = to ? (size_t)(to - map) : 0;

		while (n && map[n - 1] == '/')
			n--;
		if (!to || strncmp(f->file, map, n) ||
		    (f->file[n] != '/' && f->file[n] && n))
			continue;
		if (try_at(f, "%s%s%s", to + 1, n || *f->file == '/' ? "" : "/",
			   f->file + n))
			return true;
	}
	return false;
}

/* file, relative, below dir and its parents; "." has none. */
static bool
find_below(const struct find *f, const char *dir, size_t n, const char *file)
{
	while (n > 1 && dir[n - 1] == '/')
		n--;
	for (;;) {
		bool is_root = n == 1 && *dir == '/';

		if (try_at(f, "%.*s/%s", is_root ? 0 : (int)n, dir, file))
			return true;
		if (is_root || (n == 1 && *dir == '.'))
			return false;
		while (n && dir[n - 1] != '/')
			n--;
		while (n > 1 && dir[n - 1] == '/')
			n--;
		if (n == 0) {
			dir = ".";
			n = 1;
		}
	}
}

/* The rest of file, after its first part with the name of dir. */
static const char *
cut_after(const char *file, const char *dir, size_t n)
{
	char path[PATH_MAX];
	const char *base;
	size_t len;

	if (n >= sizeof(path))
		return NULL;
	memcpy(path, dir, n);
	path[n] = '\0';
	base = frames_base(path, &len);
	for (const char *at = file; len && (at = strchr(at, '/')); at++)
		if (!strncmp(at + 1, base, len) && at[len + 1] == '/')
			return at + len + 2;
	return NULL;
}

static bool
find_in_path(const struct find *f)
{
	const char *list = f->dirs, *dir, *rest;
	size_t n;

	while ((dir = next_dir(&list, &n))) {
		rest = *f->file == '/' ? cut_after(f->file, dir, n) : f->file;
		if (rest && *rest && find_below(f, dir, n, rest))
			return true;
	}
	return false;
}

/* The suffixes of file with at least min parts, longest first, below dir. */
static bool
find_suffixes(const struct find *f, const char *dir, size_t n, unsigned min)
{
	const char *suffix = f->file + strspn(f->file, "/");

	for (unsigned i = 0; i < MAX_SUFFIXES; i++) {
		unsigned parts = 1;

		for (const char *p = suffix; *p; p++)
			parts += *p == '/';
		if (parts < min || !*suffix)
			return false;
		if (try_at(f, "%.*s/%s", (int)n, dir, suffix))
			return true;
		suffix = strchr(suffix, '/');
		if (!suffix)
			return false;
		suffix += strspn(suffix, "/");
	}
	return false;
}

static bool
find_suffixes_in_path(const struct find *f)
{
	const char *list = f->o->source_path, *dir;
	size_t n;

	if (!list || !*list)
		return false;
	while ((dir = next_dir(&list, &n)))
		if (find_suffixes(f, dir, n, 1))
			return true;
	return false;
}

/* --- Go --- */

/* Module paths in file names: an upper-case letter is '!' and the lower one. */
static bool
escape_module(const char *s, char *out, size_t size)
{
	size_t n = 0;

	for (; *s && n + 3 < size; s++) {
		bool is_upper = *s >= 'A' && *s <= 'Z';

		if (is_upper)
			out[n++] = '!';
		out[n++] = is_upper ? (char)(*s - 'A' + 'a') : *s;
	}
	out[n] = '\0';
	return !*s;
}

/*
 * "module@version/rest" in the cache at root: unpacked, or in the archive that
 * was downloaded. In the cache's own paths, letters are escaped already.
 */
static bool
find_in_cache(const struct find *f, const char *root, const char *file)
{
	const char *at = strchr(file, '@');
	const char *rest = at ? strchr(at, '/') : NULL;
	char name[PATH_MAX], path[PATH_MAX], zip[PATH_MAX];
	struct find_place place = { zip, file };
	int n;

	if (!rest || (size_t)(rest - file) >= sizeof(name) / 2)
		return false;
	memcpy(name, file, (size_t)(rest - file));
	name[rest - file] = '\0';
	if (!escape_module(name, path, sizeof(path)))
		return false;
	if (try_at(f, "%s/%s%s", root, path, rest))
		return true;
	at = strchr(path, '@');
	n = snprintf(zip, sizeof(zip), "%s/cache/download/%.*s/@v/%s.zip", root,
		     (int)(at - path), path, at + 1);
	return n > 0 && (size_t)n < sizeof(zip) && f->try(f->ctx, &place);
}

static bool
find_module(const struct find *f)
{
	static const char mod[] = "/pkg/mod/";
	const char *in = strstr(f->file, mod), *env = getenv("GOMODCACHE");
	const char *file = in ? in + strlen(mod) : f->file, *list, *dir;
	const char *home = getenv("HOME");
	char root[PATH_MAX];
	size_t n;

	if (!strchr(file, '@') || *file == '/')
		return false;
	if (env && *env && find_in_cache(f, env, file))
		return true;
	list = getenv("GOPATH");
	while (list && *list && (dir = next_dir(&list, &n)))
		if (snprintf(root, sizeof(root), "%.*s/pkg/mod", (int)n, dir) <
			    (int)sizeof(root) &&
		    find_in_cache(f, root, file))
			return true;
	if (in &&
	    snprintf(root, sizeof(root), "%.*s/pkg/mod", (int)(in - f->file),
		     f->file) < (int)sizeof(root) &&
	    find_in_cache(f, root, file))
		return true;
	return home &&
	       snprintf(root, sizeof(root), "%s/go/pkg/mod", home) <
		       (int)sizeof(root) &&
	       find_in_cache(f, root, file);
}

/* Go's own packages: of -trimpath, or of a Go that is elsewhere. */
static bool
find_goroot(const struct find *f)
{
	const char *root = getenv("GOROOT"), *src = strstr(f->file, "/src/");
	const char *file = *f->file == '/' && src ? src + 5 : f->file;
	size_t n = strlen(file);

	if (*file == '/' || n < 3 || strcmp(file + n - 3, ".go") ||
	    strchr(file, '@'))
		return false;
	return (root && *root && try_at(f, "%s/src/%s", root, file)) ||
	       try_at(f, "/usr/local/go/src/%s", file) ||
	       try_at(f, "/usr/lib/go/src/%s", file);
}

/* --- sources installed by distributions --- */

static bool
find_usr_src(const struct find *f)
{
	struct dirent **entry;
	bool found = false;
	char dir[PATH_MAX];
	int n = scandir(USR_SRC, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		int len = snprintf(dir, sizeof(dir), USR_SRC "/%s",
				   entry[i]->d_name);

		if (!found && entry[i]->d_name[0] != '.')
			found = find_suffixes(f, dir, (size_t)len, 2);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return found;
}

bool
find_source(const struct sources_options *o, const char *file,
	    bool (*try)(void *ctx, const struct find_place *place), void *ctx)
{
	struct find f = { o, file, find_directories(o), try, ctx };
	bool found =
		f.dirs && *file &&
		(find_mapped(&f) || (*file == '/' && try_at(&f, "%s", file)) ||
		 find_in_path(&f) || find_suffixes_in_path(&f) ||
		 find_goroot(&f) || find_module(&f) || find_usr_src(&f));

	free(f.dirs);
	return found;
}
