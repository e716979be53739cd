/* sources.c - see sources.h. */
#include "config.h"

#include "sources.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "find.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/base/slurp.h"
#include "lib/base/strtab.h"
#include "lib/wire/compress.h"
#include "zip.h"

#define HEAD 8000 /* bytes in which text has no NUL */

struct sources {
	const struct sources_options *o;
	struct arena *arena;
	struct strtab names;    /* source[i] is called names.str[i] */
	struct source **source; /* NULL: not asked for */
	size_t cap;
	size_t left; /* bytes that sources may still take */
};

/* One search. */
struct search {
	const struct sources_options *o;
	struct source *source;
	size_t *left;
	struct buf tried;
	char *error; /* of the first place that had something unusable */
	bool nomem;
};

/* --- one file --- */

static size_t
count_lines(const struct buf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->n; n++) {
		const uint8_t *nl = memchr(text->data + i, '\n', text->n - i);

		i = nl ? (size_t)(nl - text->data) + 1 : text->n;
	}
	return n;
}

/*
 * Where each line begins, and where the last one ends. The text and its index
 * are charged to *left.
 */
static enum prof_status
index_lines(struct source *f, const struct buf *text, size_t *left,
	    struct prof_err *err)
{
	const char *data = (const char *)text->data, *p = data, *nl;
	size_t n = count_lines(text), cost = text->n + n * sizeof(*f->start);

	if (cost > *left)
		return prof_fail(err, PROF_ELIMIT,
				 "too large together with the other sources");
	f->start = reallocarray(NULL, n + 1, sizeof(*f->start));
	if (!f->start)
		return prof_nomem(err);
	*left -= cost;
	f->n_line = n;
	for (size_t i = 0; i < n; i++) {
		f->start[i] = (uint32_t)(p - data);
		nl = memchr(p, '\n', (size_t)(data + text->n - p));
		p = nl ? nl + 1 : data + text->n;
	}
	f->start[n] = (uint32_t)text->n;
	return PROF_OK;
}

/* Append what the file at path, or its member, holds to out. */
static enum prof_status
read_place(const struct find_place *place, struct buf *out,
	   struct prof_err *err)
{
	struct buf raw = { 0 };
	enum prof_status st;

	st = slurp(place->path, false, &raw, err);
	if (st == PROF_OK && place->member)
		st = zip_read(raw.data, raw.n, place->member, SOURCE_MAX, out,
			      err);
	else if (st == PROF_OK && compress_is_gzip(raw.data, raw.n))
		st = gzip_inflate(raw.data, raw.n, SOURCE_MAX, out, err);
	else if (st == PROF_OK && compress_is_zstd(raw.data, raw.n))
		st = zstd_inflate(raw.data, raw.n, SOURCE_MAX, out, err);
	else if (st == PROF_OK) {
		*out = raw;
		return PROF_OK;
	}
	buf_release(&raw);
	return st;
}

/* Set f to the file at place. The message is "" when there is none. */
static enum prof_status
load_source(struct source *f, const struct find_place *place, size_t *left,
	    struct prof_err *err)
{
	struct buf text = { 0 };
	enum prof_status st;
	struct stat sb;
	size_t head;

	if (stat(place->path, &sb) != 0)
		return prof_fail(err, PROF_EIO, "%s",
				 errno == ENOENT || errno == ENOTDIR
					 ? ""
					 : strerror(errno));
	if (S_ISDIR(sb.st_mode))
		return prof_fail(err, PROF_EFORMAT, "is a directory");
	if (!S_ISREG(sb.st_mode))
		return prof_fail(err, PROF_EFORMAT, "not a regular file");
	if ((uint64_t)sb.st_size > SOURCE_MAX)
		return prof_fail(err, PROF_ELIMIT, "larger than %zu MiB",
				 SOURCE_MAX >> 20);
	/* Files of /proc claim to be empty; kmsg waits for data. */
	st = sb.st_size ? read_place(place, &text, err) : PROF_OK;
	head = text.n < HEAD ? text.n : HEAD;
	if (st == PROF_OK && text.n > SOURCE_MAX)
		st = prof_fail(err, PROF_ELIMIT, "larger than %zu MiB",
			       SOURCE_MAX >> 20);
	if (st == PROF_OK && head && memchr(text.data, 0, head))
		st = prof_fail(err, PROF_EFORMAT, "not a text file");
	if (st == PROF_OK)
		st = index_lines(f, &text, left, err);
	if (st == PROF_OK && !(f->path = strdup(place->path)))
		st = prof_nomem(err);
	if (st != PROF_OK) {
		buf_release(&text);
		return st;
	}
	f->data = (char *)text.data;
	f->mtime = sb.st_mtime;
	return PROF_OK;
}

/* --- the search --- */

static void
note(struct search *s, const struct find_place *place)
{
	struct buf *b = &s->tried;

	if ((b->n && buf_add(b, ", ", 2) < 0) ||
	    buf_add(b, place->path, strlen(place->path)) < 0)
		s->nomem = true;
	s->source->n_tried++;
}

/* Is the file at place the source? If not, remember what is wrong with it. */
static bool
try_file(struct search *s, const struct find_place *place)
{
	struct prof_err err;
	enum prof_status st;

	if (s->o->may_show && !s->o->may_show(s->o->may_show_ctx, place->path))
		st = prof_fail(&err, PROF_EIO,
			       "not below the working folder; --source-path "
			       "allows other folders");
	else
		st = load_source(s->source, place, s->left, &err);
	if (st == PROF_ENOMEM)
		s->nomem = true;
	if (st == PROF_OK || st == PROF_ENOMEM)
		return true;
	if (s->error || !*err.msg)
		return false;
	/* The system's error message, as Go spells it. */
	err.msg[0] = (char)tolower((unsigned char)err.msg[0]);
	if (asprintf(&s->error, "open %s: %s", place->path, err.msg) < 0) {
		s->error = NULL;
		s->nomem = true;
	}
	return false;
}

/* A callback of find_source(): the place as it is, or packed. */
static bool
try_place(void *ctx, const struct find_place *place)
{
	static const char *const ends[] = { ".gz", ".zst" };
	struct search *s = ctx;
	struct find_place packed = { 0 };
	bool found;
	char *path;

	note(s, place);
	if (try_file(s, place))
		return true;
	for (size_t i = 0; i < 2 && !place->member; i++) {
		if (asprintf(&path, "%s%s", place->path, ends[i]) < 0) {
			s->nomem = true;
			return true;
		}
		packed.path = path;
		found = try_file(s, &packed);
		free(path);
		if (found)
			return true;
	}
	return false;
}

/* Ask servers. The cache has the time of the answer, not that of the source. */
static void
source_fetch(struct search *s, const struct sources_options *o,
	     const char *file, const char *build_id)
{
	struct find_place place = { .path = "debuginfod" };
	char *path;

	if (!o->fetch || *file != '/' || !*build_id)
		return;
	note(s, &place);
	path = o->fetch(o->fetch_ctx, build_id, file);
	place.path = path;
	if (path && try_file(s, &place))
		s->source->mtime = 0;
	free(path);
}

/* Why there is no source, in pprof's words. */
static char *
why_not(struct search *s, const struct sources_options *o, const char *file)
{
	char *text = s->error, *dirs;
	int n;

	if (text) {
		s->error = NULL;
		return text;
	}
	if (*file == '/') {
		n = asprintf(&text, "open %s: no such file or directory", file);
		return n < 0 ? NULL : text;
	}
	errno = 0;
	dirs = find_directories(o);
	if (!dirs && errno == ENOMEM)
		return NULL;
	n = asprintf(&text, "could not find file %s on path %s", file,
		     dirs ? dirs : "");
	free(dirs);
	return n < 0 ? NULL : text;
}

static void
source_free(struct source *f)
{
	if (!f)
		return;
	free(f->file);
	free(f->path);
	free(f->error);
	free(f->tried);
	free(f->data);
	free(f->start);
	free(f);
}

static struct source *
look_for(struct sources *all, const char *file, const char *build_id)
{
	const struct sources_options *o = all->o;
	struct source *f = calloc(1, sizeof(*f));
	struct search s = { .o = o, .source = f, .left = &all->left };

	if (!f)
		return NULL;
	f->file = strdup(file);
	if (!find_source(o, file, try_place, &s))
		source_fetch(&s, o, file, build_id);
	if (!f->path)
		f->error = why_not(&s, o, file);
	if (buf_add(&s.tried, "", 1) < 0 || !f->file || (!f->path && !f->error))
		s.nomem = true;
	f->tried = (char *)s.tried.data;
	free(s.error);
	if (!s.nomem)
		return f;
	source_free(f);
	return NULL;
}

/* --- all of them --- */

struct sources *
sources_new(const struct sources_options *o)
{
	struct sources *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->o = o;
	s->left = o->max_bytes && o->max_bytes < SOURCES_MAX ? o->max_bytes
							     : SOURCES_MAX;
	s->arena = arena_new();
	if (s->arena && strtab_init(&s->names, s->arena) == 0)
		return s;
	sources_free(s);
	return NULL;
}

void
sources_free(struct sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->cap; i++)
		source_free(s->source[i]);
	free(s->source);
	arena_free(s->arena);
	free(s);
}

static bool
make_room(struct sources *s)
{
	size_t had = s->cap;

	if (array_reserve(&s->source, &s->cap, s->names.n_str,
			  sizeof(*s->source)) < 0)
		return false;
	for (size_t i = had; i < s->cap; i++)
		s->source[i] = NULL;
	return true;
}

const struct source *
sources_get(struct sources *s, const char *file, const char *build_id)
{
	uint32_t i = strtab_addz(&s->names, file);

	if (i == STRTAB_NONE || !make_room(s))
		return NULL;
	if (!s->source[i])
		s->source[i] = look_for(s, file, build_id);
	return s->source[i];
}

const struct source *
sources_next(const struct sources *s, size_t *at)
{
	while (*at < s->cap && !s->source[*at])
		(*at)++;
	return *at < s->cap ? s->source[(*at)++] : NULL;
}

const char *
source_line(const struct source *f, int64_t line, size_t *n)
{
	const char *from, *to;

	*n = 0;
	if (line < 1 || (uint64_t)line > f->n_line)
		return NULL;
	from = f->data + f->start[line - 1];
	to = f->data + f->start[line];
	if (to > from && to[-1] == '\n')
		to--;
	if (to > from && to[-1] == '\r')
		to--;
	*n = (size_t)(to - from);
	return from;
}
