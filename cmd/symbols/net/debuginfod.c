/*
 * debuginfod.c - see debuginfod.h. The cache of elfutils, in short: files
 * ID/executable, ID/debuginfo and, for the source /a/b.c, ID/source-HASH-#a#b.c
 * (ID/source##a##b.c before elfutils 0.192). An empty file says that no server
 * had it at that time. Files unused for a week are removed, once a day.
 */
#include "config.h"

#include "debuginfod.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/ascii.h"
#include "lib/base/cachedir.h"
#include "lib/base/now.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"

#define MISS_AGE 600           /* seconds for which a miss is valid */
#define CLEAN_INTERVAL 86400   /* ... between two cleanings */
#define UNUSED_AGE (7 * 86400) /* ... until an unused file is removed */
#define MAX_ID 128             /* digits */
#define SOURCE "source"        /* prefix of the names of sources */
#define MAX_TAIL 117           /* bytes of a path in such a name */

struct server {
	char *url;
	bool is_bad;
};

struct debuginfod {
	const struct debuginfod_options *o;
	char *folder;
	char *words; /* holds the URLs */
	struct server *server;
	size_t n_server;
	time_t deadline; /* of CLOCK_MONOTONIC; 0: before the first request */
};

/* --- servers and folder --- */

static enum prof_status
read_urls(struct debuginfod *d, struct prof_err *err)
{
	char *rest, *word;

	d->words = rest = strdup(d->o->urls);
	d->server = calloc(strlen(d->o->urls) / 2 + 1, sizeof(*d->server));
	if (!d->words || !d->server)
		return prof_nomem(err);
	while ((word = strsep(&rest, " \t\n"))) {
		struct source s;
		size_t n = strlen(word);

		if (n == 0)
			continue;
		if (source_parse(&s, word, err) != PROF_OK)
			return prof_fail(err, PROF_EUSAGE, "%s: not a URL",
					 word);
		source_release(&s);
		while (word[n - 1] == '/')
			word[--n] = '\0';
		d->server[d->n_server++].url = word;
	}
	return PROF_OK;
}

static char *
find_folder(struct prof_err *err)
{
	const char *path = getenv("DEBUGINFOD_CACHE_PATH");

	return path && *path ? cachedir_at(path, err)
			     : cachedir_path("debuginfod_client", err);
}

/* Is this the name of a file that elfutils or we keep for a build-id? */
static bool
is_kept(const char *name)
{
	return !strcmp(name, "executable") || !strcmp(name, "debuginfo") ||
	       !strncmp(name, SOURCE, strlen(SOURCE));
}

/* Remove files of one build-id that were not used for long. */
static void
clean_one(int folder, const char *id, time_t now)
{
	int fd = regular_folder_at(folder, id);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat sb;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir)))
		if (is_kept(e->d_name) &&
		    fstatat(fd, e->d_name, &sb, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now - sb.st_atime > UNUSED_AGE &&
		    now - sb.st_mtime > MISS_AGE)
			unlinkat(fd, e->d_name, 0);
	closedir(dir);
	unlinkat(folder, id, AT_REMOVEDIR); /* fails unless it is empty */
}

static void
clean(const char *path)
{
	static const char stamp[] = "cache_clean_interval_s";
	time_t now = time(NULL);
	struct dirent *e;
	struct stat sb;
	DIR *dir = regular_list(path);
	int fd;

	if (!dir)
		return;
	fd = outfile_kept(dirfd(dir), stamp, O_RDWR | O_CREAT, 0600);
	if (fd >= 0 && fstat(fd, &sb) == 0 &&
	    (sb.st_size == 0 || now - sb.st_mtime > CLEAN_INTERVAL)) {
		/* As elfutils does: the content is the interval. */
		if (sb.st_size == 0)
			dprintf(fd, "%d", CLEAN_INTERVAL);
		futimens(fd, NULL);
		while ((e = readdir(dir)))
			if (e->d_name[strspn(e->d_name, "0123456789abcdef")] ==
			    '\0')
				clean_one(dirfd(dir), e->d_name, now);
	}
	if (fd >= 0)
		close(fd);
	closedir(dir);
}

enum prof_status
debuginfod_new(const struct debuginfod_options *o, struct debuginfod **out,
	       struct prof_err *err)
{
	struct debuginfod *d = calloc(1, sizeof(*d));
	enum prof_status st;

	*out = NULL;
	if (!d)
		return prof_nomem(err);
	d->o = o;
	st = read_urls(d, err);
	if (st == PROF_OK) {
		d->folder = find_folder(err);
		st = d->folder ? PROF_OK : err->status;
	}
	if (st != PROF_OK) {
		debuginfod_free(d);
		return st;
	}
	clean(d->folder);
	*out = d;
	return PROF_OK;
}

void
debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	free(d->folder);
	free(d->words);
	free(d->server);
	free(d);
}

/* --- files --- */

/* The remaining time, at least a second. */
static unsigned
time_left(struct debuginfod *d)
{
	time_t now = now_ns(CLOCK_MONOTONIC) / 1000000000;

	if (!d->deadline)
		d->deadline = now + d->o->fetch.timeout;
	return d->deadline > now ? (unsigned)(d->deadline - now) : 0;
}

/*
 * Get page from one server into fd: 1; 0 if it has none; -1 on failure, after
 * which the server is not asked or reported again.
 */
static int
ask(struct debuginfod *d, struct server *s, const char *page, int fd)
{
	struct fetch f = { .to_fd = fd };
	struct fetch_options o = d->o->fetch;
	struct prof_err err;
	char *url = NULL;
	int r = -1;

	o.timeout = time_left(d);
	if (asprintf(&url, "%s%s", s->url, page) < 0 ||
	    source_parse(&f.source, url, &err) != PROF_OK) {
		free(url);
		return -1;
	}
	if (o.timeout)
		fetch_all(&f, 1, &o);
	if (!o.timeout)
		d->o->warn("debuginfod: no time is left for %s (--timeout)",
			   page);
	else if (f.status == PROF_OK)
		r = 1;
	else if (f.code == 404)
		r = 0;
	else
		d->o->warn("%s: %s", f.url ? f.url : s->url, f.err.msg);
	/* A file that is too large is no failure of the server. */
	s->is_bad = r < 0 && f.status != PROF_ELIMIT;
	fetch_release(&f);
	free(url);
	return r;
}

/* ask() for all servers in order. */
static int
ask_all(struct debuginfod *d, const char *page, int fd)
{
	int found = 0;

	for (size_t i = 0; i < d->n_server; i++) {
		int r = -1;

		if (!d->server[i].is_bad && ftruncate(fd, 0) == 0 &&
		    lseek(fd, 0, SEEK_SET) == 0)
			r = ask(d, &d->server[i], page, fd);
		if (r == 1)
			return 1;
		if (r < 0)
			found = -1;
	}
	return ftruncate(fd, 0) == 0 ? found : -1;
}

/*
 * Get page into the file at path. It appears whole or not at all; another
 * process may put it there at the same time.
 */
static bool
get_page(struct debuginfod *d, const char *page, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *folder = strndup(path, (size_t)(name - path));
	int dir = folder ? regular_place_at(AT_FDCWD, folder, false) : -1;
	struct outfile out = { .fd = -1 };
	struct prof_err err;
	bool ok = false;
	int found = -1;

	if (dir < 0)
		prof_fail(&err, PROF_EIO, "%s", strerror(errno));
	if (dir < 0 || outfile_open(&out, dir, name, &err) != PROF_OK) {
		d->o->warn("%s: %s", path, err.msg);
		goto out;
	}
	found = ask_all(d, page, out.fd);
	/* Keep an empty file if all servers said that they have none. */
	ok = found >= 0 && fchmod(out.fd, found ? 0400 : 0600) == 0 &&
	     outfile_commit(&out, false, NULL) == PROF_OK && found;
out:
	if (out.fd >= 0)
		close(out.fd);
	if (dir >= 0) {
		outfile_release(&out);
		close(dir);
	}
	free(folder);
	return ok;
}

/* 1: it is there; 0: no server had it lately; -1: servers must be asked. */
static int
look(const char *path)
{
	struct stat sb;

	if (stat(path, &sb) != 0)
		return -1;
	if (sb.st_size)
		return 1;
	if (time(NULL) - sb.st_mtime < MISS_AGE)
		return 0;
	return -1;
}

/*
 * The path of ID/file in the cache, or of ID/older if that is there (NULL: no
 * other name), fetched as /buildid/ID/page unless one is. For free(); NULL: not
 * found.
 */
static char *
find_page(struct debuginfod *d, const char *build_id, const char *page_of_id,
	  const char *file, const char *older)
{
	size_t n = strlen(build_id);
	char *page = NULL, *path = NULL, id[MAX_ID + 1];
	bool ok = false;

	/* It becomes part of a path, and of a URL. */
	if (n < 2 || n > MAX_ID ||
	    build_id[strspn(build_id, "0123456789abcdefABCDEF")])
		return NULL;
	for (size_t i = 0; i <= n; i++) /* digits have this bit set */
		id[i] = build_id[i] >= 'A' ? build_id[i] | 0x20 : build_id[i];
	if (asprintf(&page, "/buildid/%s/%s", id, page_of_id) < 0)
		page = NULL;
	if (asprintf(&path, "%s/%s", d->folder, id) < 0)
		path = NULL;
	if (page && path && (mkdir(path, 0700) == 0 || errno == EEXIST)) {
		char *dir = path;
		int there;

		if (asprintf(&path, "%s/%s", dir, older ? older : file) < 0)
			path = NULL;
		there = path ? look(path) : 0;
		if (older && path && there != 1) {
			free(path);
			if (asprintf(&path, "%s/%s", dir, file) < 0)
				path = NULL;
			there = path ? look(path) : 0;
		}
		ok = there == 1 || (there < 0 && get_page(d, page, path));
		if (!ok)
			rmdir(dir); /* if it is empty */
		free(dir);
	}
	free(page);
	if (ok)
		return path;
	free(path);
	return NULL;
}

char *
debuginfod_find(struct debuginfod *d, const char *build_id, bool want_debug)
{
	const char *kind = want_debug ? "debuginfo" : "executable";

	return find_page(d, build_id, kind, kind, NULL);
}

/* Is c a letter, a digit or one of others? Of ASCII, whatever the locale. */
static bool
is_plain_char(char c, const char *others)
{
	return is_letter(c) || is_digit(c) || (c && strchr(others, c));
}

/* The path of a source in a URL: all but letters, digits and a few characters
 * are escaped. */
static char *
source_page(const char *source)
{
	char *page = malloc(sizeof(SOURCE) + 3 * strlen(source)), *to = page;

	if (!page)
		return NULL;
	to += sprintf(to, SOURCE);
	for (const char *s = source; *s; s++) {
		bool is_plain = is_plain_char(*s, "/-._~");

		to += sprintf(to, is_plain ? "%c" : "%%%02X",
			      is_plain ? *s : (unsigned char)*s);
	}
	return page;
}

/*
 * The name of a source in the cache of elfutils 0.192 and later: a hash of its
 * path (Bernstein's, of 32 bits), and the end of it.
 */
static void
source_file(const char *source, char *file, size_t size)
{
	uint32_t hash = 5381;
	size_t n = strlen(source), at = n > MAX_TAIL ? n - MAX_TAIL : 0;
	int len;

	for (const char *s = source; *s; s++)
		hash = hash * 33 + (unsigned char)*s;
	len = snprintf(file, size, SOURCE "-%08" PRIx32 "-%s", hash,
		       source + at);
	for (char *s = file + len - (n - at); *s; s++)
		if (!is_plain_char(*s, "-._"))
			*s = '#';
}

/* Its name in the cache of older ones; false: the path is too long for it. */
static bool
older_source_file(const char *source, char *file, size_t size)
{
	char *to = file + sprintf(file, SOURCE);
	const char *s = source;

	for (; *s && to + 3 < file + size; s++) {
		bool is_special = *s == '/' || *s == '#';

		*to++ = is_special ? '#' : *s;
		if (is_special)
			*to++ = *s == '/' ? '#' : '_';
	}
	*to = '\0';
	return !*s;
}

char *
debuginfod_find_source(struct debuginfod *d, const char *build_id,
		       const char *source)
{
	char file[NAME_MAX], older[NAME_MAX], *page, *path;

	if (*source != '/')
		return NULL;
	source_file(source, file, sizeof(file));
	page = source_page(source);
	path = page ? find_page(d, build_id, page, file,
				older_source_file(source, older, sizeof(older))
					? older
					: NULL)
		    : NULL;
	free(page);
	return path;
}
