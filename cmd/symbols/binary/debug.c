/* debug.c - see impl.h. */
#include "config.h"

#include "impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/broker.h"
#include "symbols/elf/note.h"

static const char global[] = "/usr/lib/debug";

struct debug_search {
	const struct object *o; /* the object whose debug file is searched */
	struct object *debug;
	const char *id;   /* of that file, or "" */
	bool is_sup;      /* it may have strings alone */
	const char *link; /* name in .gnu_debuglink, or NULL */
	uint32_t crc;
	char *dir; /* absolute, of the object */
};

/*
 * Try one formatted path. Compare build-ids if both files have one, which is
 * faster than the checksum of a large file. true ends the search.
 */
static bool try_debug(struct debug_search *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool
try_debug(struct debug_search *d, const char *fmt, ...)
{
	struct object *o = d->debug;
	va_list ap;
	bool is_open;

	va_start(ap, fmt);
	is_open = object_open_at(o, d->o->budget, fmt, ap);
	va_end(ap);
	if (!is_open)
		return false;
	if (d->is_sup || object_has_dwarf(o)) {
		if (*d->id && *o->build_id
			    ? !strcmp(d->id, o->build_id)
			    : d->link && object_has_crc(o, d->crc))
			return true;
	}
	object_close(o);
	return false;
}

static bool
search_by_id(struct debug_search *d, const char *dir)
{
	const char *id = d->id;

	return strlen(id) > 2 &&
	       (try_debug(d, "%s/.build-id/%.2s/%s.debug", dir, id, id + 2) ||
		try_debug(d, "%s/%.2s/%s.debug", dir, id, id + 2) ||
		try_debug(d, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", dir,
			  id, id + 2));
}

static bool
search_by_link(struct debug_search *d, const char *dir)
{
	return try_debug(d, "%s/%s", dir, d->link) ||
	       try_debug(d, "%s%s/%s", dir, d->dir, d->link) ||
	       try_debug(d, "%s/usr/lib/debug%s/%s", dir, d->dir, d->link);
}

static void
search_debug(struct debug_search *d, const char *const *dir, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (search_by_id(d, dir[i]))
			return;
	if (search_by_id(d, global) || !d->link)
		return;
	if (try_debug(d, "%s/%s", d->dir, d->link) ||
	    try_debug(d, "%s/.debug/%s", d->dir, d->link) ||
	    try_debug(d, "%s%s/%s", global, d->dir, d->link))
		return;
	for (size_t i = 0; i < n; i++)
		if (search_by_link(d, dir[i]))
			return;
}

static void
search_sup(struct debug_search *d, const char *name, const char *const *dir,
	   size_t n)
{
	size_t skip = strlen(global);

	if (*name == '/' ? try_debug(d, "%s", name)
			 : try_debug(d, "%s/%s", d->dir, name))
		return;
	if (strncmp(name, global, skip) != 0 || name[skip] != '/')
		skip = 0;
	/* Below the root of another system, or its tree of debug files. */
	for (size_t i = 0; i < n; i++)
		if (search_by_id(d, dir[i]) ||
		    try_debug(d, "%s/%s", dir[i], name) ||
		    (skip && try_debug(d, "%s%s", dir[i], name + skip)))
			return;
	search_by_id(d, global);
}

/* Set d->dir. false: without memory, or there is no such file. */
static bool
find_dir(struct debug_search *d, enum prof_status *st, struct prof_err *err)
{
	d->dir = broker_real(d->o->path);
	if (d->dir)
		*strrchr(d->dir, '/') = '\0';
	*st = !d->dir && errno == ENOMEM ? prof_nomem(err) : PROF_OK;
	return d->dir;
}

enum prof_status
debug_find(const struct object *o, const char *const *dir, size_t n,
	   struct object *debug, struct prof_err *err)
{
	struct debug_search d = { .o = o, .debug = debug, .id = o->build_id };
	enum prof_status st;
	uint32_t crc = 0;

	if (!find_dir(&d, &st, err))
		return st;
	d.link = note_debuglink(o->elf, &crc);
	d.crc = crc;
	/* A name, not a path: an untrusted file must not choose where to
	 * look. */
	if (d.link && (!*d.link || strchr(d.link, '/')))
		d.link = NULL;
	search_debug(&d, dir, n);
	free(d.dir);
	return PROF_OK;
}

enum prof_status
debug_find_sup(const struct object *o, const char *const *dir, size_t n,
	       struct object *sup, struct prof_err *err)
{
	char id[BUILD_ID_TEXT];
	struct debug_search d = {
		.o = o, .debug = sup, .id = id, .is_sup = true
	};
	const char *name = note_altlink(o->elf, id);
	enum prof_status st;

	if (!name || !find_dir(&d, &st, err))
		return name ? st : PROF_OK;
	search_sup(&d, name, dir, n);
	free(d.dir);
	return PROF_OK;
}
