/* symcache.c - see symcache.h. The bytes are in symcache-image.c. */
#include "config.h"

#include "symcache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/cachedir.h"
#include "lib/base/filename.h"
#include "lib/base/outfile.h"
#include "lib/base/regular.h"
#include "lib/base/retry.h"
#include "symbols/elf/broker.h"
#include "symcache-image.h"

#define MAX_ENTRY                                                              \
	((size_t)64 << 20) /* bytes of a file; a new one begins then */
#define MAX_CACHE ((uint64_t)512 << 20)
#define TOUCH_AGE 3600   /* seconds: when an entry that is used is touched */
#define LEFTOVER_AGE 600 /* ... when an unfinished file is removed */

struct symcache {
	char *folder;

	/* Of symcache_apart(). */
	void (*keep)(void *ctx, const char *key, const struct buf *entry);
	void *ctx;
};

static char *
find_folder(struct prof_err *err)
{
	const char *base = getenv("PROF_CACHE");
	char *path, *out;

	if (!base)
		base = getenv("PROFPIPE_CACHE"); /* its old name */
	if (!base)
		return cachedir_path("profpipe/symbols", err);
	if (!*base)
		return NULL;
	if (asprintf(&path, "%s/symbols", base) < 0) {
		prof_nomem(err);
		return NULL;
	}
	out = cachedir_at(path, err);
	free(path);
	return out;
}

struct symcache *
symcache_open(struct prof_err *err)
{
	char *folder = find_folder(err);
	struct symcache *c = folder ? calloc(1, sizeof(*c)) : NULL;

	if (c) {
		c->folder = folder;
	} else if (folder) {
		prof_nomem(err);
		free(folder);
	}
	return c;
}

void
symcache_free(struct symcache *c)
{
	if (!c)
		return;
	free(c->folder);
	free(c);
}

struct symcache *
symcache_apart(const struct symcache *c,
	       void (*keep)(void *ctx, const char *key,
			    const struct buf *entry),
	       void *ctx)
{
	struct symcache *copy = calloc(1, sizeof(*copy));

	if (copy)
		*copy = (struct symcache){ strdup(c->folder), keep, ctx };
	return copy;
}

/* --- one file --- */

/* An entry in memory. */
struct entry {
	void *data; /* NULL: there is none */
	size_t n;
	struct image image;
};

enum { MAX_NAME = 17 };

/* The name of the entry of key: a hash, which may collide. */
static void
entry_name(const char *key, char name[MAX_NAME])
{
	snprintf(name, MAX_NAME, "%016" PRIx64, filename_fnv(key, strlen(key)));
}

static void
entry_close(struct entry *e)
{
	if (e->data)
		munmap(e->data, e->n);
	e->data = NULL;
}

int
symcache_entry(const struct symcache *c, const char *name)
{
	struct stat sb;
	char *path;
	int fd = -1;

	if (name[strspn(name, "0123456789abcdef")] == '\0' &&
	    asprintf(&path, "%s/%s", c->folder, name) >= 0) {
		fd = regular_open(path, true, &sb, NULL);
		free(path);
	}
	if (fd >= 0 && sb.st_uid != 0 && sb.st_uid != geteuid()) {
		close(fd);
		return -1;
	}
	/* The least recently used files are removed first: mtime is the last
	 * use. */
	if (fd >= 0 && time(NULL) - sb.st_mtime > TOUCH_AGE)
		futimens(fd, NULL);
	return fd;
}

/* Map the entry: files are replaced, but never changed. */
static void
entry_open(struct entry *e, const struct symcache *c, const char *name,
	   const char *key)
{
	struct broker_answer a;
	struct stat sb;
	int fd = c->keep ? broker_ask(BROKER_CACHE, name, &a)
			 : symcache_entry(c, name);

	*e = (struct entry){ 0 };
	if (fd < 0)
		return;
	if (fstat(fd, &sb) == 0 && sb.st_size > 0 &&
	    (uint64_t)sb.st_size <= MAX_ENTRY) {
		e->n = (size_t)sb.st_size;
		e->data = mmap(NULL, e->n, PROT_READ,
			       MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (e->data == MAP_FAILED)
			e->data = NULL;
	}
	if (e->data && !image_read(&e->image, e->data, e->n, key, true))
		entry_close(e);
	close(fd);
}

static void
entry_write(const struct symcache *c, const char *name, const void *data,
	    size_t n)
{
	int folder = regular_place_at(AT_FDCWD, c->folder, true);
	struct outfile out;

	if (folder < 0)
		return;
	if (outfile_open(&out, folder, name, NULL) == PROF_OK) {
		if (fchmod(out.fd, 0600) == 0 &&
		    write_all(out.fd, data, n, NULL) == PROF_OK)
			(void)!outfile_commit(&out, false, NULL);
		close(out.fd);
	}
	outfile_release(&out);
	close(folder);
}

/* --- all of them --- */

struct aged {
	struct timespec time;
	uint64_t size;
	char *name;
};

static int
cmp_age(const void *x, const void *y)
{
	const struct aged *a = x, *b = y;

	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
	return (a->time.tv_nsec > b->time.tv_nsec) -
	       (a->time.tv_nsec < b->time.tv_nsec);
}

/* Add a file of the folder to the list; remove those that killed runs have
 * left. */
static void
look_at(int folder, const char *name, struct aged **list, size_t *n)
{
	struct stat sb;
	void *grown;

	if (fstatat(folder, name, &sb, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(sb.st_mode))
		return;
	if (*name == '.') { /* of a process that was killed */
		if (time(NULL) - sb.st_mtime > LEFTOVER_AGE)
			unlinkat(folder, name, 0);
		return;
	}
	grown = reallocarray(*list, *n + 1, sizeof(**list));
	if (!grown)
		return;
	*list = grown;
	(*list)[*n] =
		(struct aged){ sb.st_mtim, (uint64_t)sb.st_size, strdup(name) };
	*n += (*list)[*n].name != NULL;
}

/* Remove the oldest files if there is too much. */
static void
shrink(const struct symcache *c)
{
	DIR *dir = regular_list(c->folder);
	struct aged *list = NULL;
	uint64_t sum = 0;
	struct dirent *e;
	size_t n = 0;

	if (!dir)
		return;
	while ((e = readdir(dir)))
		look_at(dirfd(dir), e->d_name, &list, &n);
	for (size_t i = 0; i < n; i++)
		sum += list[i].size;
	if (sum > MAX_CACHE)
		qsort(list, n, sizeof(*list), cmp_age);
	for (size_t i = 0; i < n; i++) {
		if (sum > MAX_CACHE &&
		    unlinkat(dirfd(dir), list[i].name, 0) == 0)
			sum -= list[i].size;
		free(list[i].name);
	}
	free(list);
	closedir(dir);
}

void
symcache_keep(const struct symcache *c, const char *key, const void *entry,
	      size_t n)
{
	struct image image;
	char name[MAX_NAME];
	void *copy = c && n && n <= MAX_ENTRY ? malloc(n) : NULL; /* aligned */

	if (!copy)
		return;
	memcpy(copy, entry, n);
	entry_name(key, name);
	if (image_read(&image, copy, n, key, true)) {
		entry_write(c, name, copy, n);
		shrink(c);
	}
	free(copy);
}

/* --- answering --- */

struct lookup {
	const uint64_t *addr;
	uint64_t *missing; /* unknown addresses, and their places in addr */
	size_t *index;
	size_t n_missing;
	struct image_maker maker;
	bool nomem; /* nothing is written then */
	symbol_fn *fn;
	void *ctx;
	bool *told; /* by missing address: it has an answer */
};

/* A symbol_fn: pass the frames on, and add them to the next image. */
static void
frame_take(void *ctx, size_t i, const struct symbol_frame *frame, size_t n)
{
	struct lookup *l = ctx;

	l->told[i] = true;
	if (!l->nomem && image_add(&l->maker, l->missing[i], frame, n) < 0)
		l->nomem = true;
	l->fn(l->ctx, l->index[i], frame, n);
}

/* Pass on the answers of the entry, and collect the missing addresses. */
static void
tell_known(struct lookup *l, const struct entry *e, size_t n)
{
	struct symbol_frame frame[SYMCACHE_MAX_FRAMES];

	for (size_t i = 0; i < n; i++) {
		int found = -1;

		if (e->data)
			found = image_find(&e->image, l->addr[i], frame);
		if (found > 0)
			l->fn(l->ctx, i, frame, (size_t)found);
		if (found >= 0)
			continue;
		l->missing[l->n_missing] = l->addr[i];
		l->index[l->n_missing++] = i;
	}
}

/* Keep the answers of the old entry, unless that becomes too large. */
static void
add_known(struct lookup *l, const struct entry *e)
{
	struct symbol_frame frame[SYMCACHE_MAX_FRAMES];
	size_t k = 0;

	if (!e->data || e->n > MAX_ENTRY / 2)
		return;
	for (uint32_t i = 0; i < e->image.n_addr && !l->nomem; i++) {
		uint64_t addr = e->image.addr[i];
		int n = image_find(&e->image, addr, frame);

		while (k < l->n_missing && l->missing[k] < addr)
			k++;
		if (n < 0 || (k < l->n_missing && l->missing[k] == addr))
			continue;
		if (image_add(&l->maker, addr, frame, (size_t)n) < 0)
			l->nomem = true;
	}
}

static void
keep(const struct symcache *c, struct lookup *l, const struct entry *e,
     const char *key)
{
	struct buf bytes = { 0 };

	for (size_t i = 0; i < l->n_missing && !l->nomem; i++)
		if (!l->told[i] &&
		    image_add(&l->maker, l->missing[i], NULL, 0) < 0)
			l->nomem = true;
	add_known(l, e);
	if (l->nomem || image_write(&l->maker, key, &bytes) != 0)
		;
	else if (c->keep)
		c->keep(c->ctx, key, &bytes);
	else
		symcache_keep(c, key, bytes.data, bytes.n);
	buf_release(&bytes);
}

enum prof_status
symcache_run(const struct symcache *c, struct binary *s, const uint64_t *addr,
	     size_t n, bool dwarf, symbol_fn *fn, void *ctx,
	     struct prof_err *err)
{
	char *key = c ? binary_key(s, dwarf) : NULL;
	char name[MAX_NAME];
	struct lookup l = { .addr = addr, .fn = fn, .ctx = ctx };
	enum prof_status st = PROF_OK;
	struct entry e = { 0 };

	if (!key || image_maker_init(&l.maker) < 0) {
		free(key);
		return binary_run(s, addr, n, dwarf, fn, ctx, err);
	}
	l.missing = calloc(n + 1, sizeof(*l.missing));
	l.index = calloc(n + 1, sizeof(*l.index));
	l.told = calloc(n + 1, sizeof(*l.told));
	if (!l.missing || !l.index || !l.told) {
		st = prof_nomem(err);
		goto out;
	}
	entry_name(key, name);
	entry_open(&e, c, name, key);
	tell_known(&l, &e, n);
	if (l.n_missing == 0)
		goto out;
	st = binary_run(s, l.missing, l.n_missing, dwarf, frame_take, &l, err);
	/* If data is damaged or incomplete, warn again in the next run. */
	if (st == PROF_OK && (!dwarf || binary_is_whole(s)))
		keep(c, &l, &e, key);
out:
	entry_close(&e);
	image_maker_release(&l.maker);
	free(l.missing);
	free(l.index);
	free(l.told);
	free(key);
	return st;
}
