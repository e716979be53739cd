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

struct debug_search {
	const struct object *o; /* the object whose debug file is searched */
	struct object *debug;
	const char *link; /* name in .gnu_debuglink, or NULL */
	uint32_t crc;
	char *dir; /* absolute, of that file */
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
	if (object_has_dwarf(o)) {
		if (*d->o->build_id && *o->build_id
			    ? !strcmp(d->o->build_id, o->build_id)
			    : d->link && object_has_crc(o, d->crc))
			return true;
	}
	object_close(o);
	return false;
}

static bool
search_by_id(struct debug_search *d, const char *dir)
{
	const char *id = d->o->build_id;

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
	static const char global[] = "/usr/lib/debug";

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

enum prof_status
debug_find(const struct object *o, const char *const *dir, size_t n,
	   struct object *debug, struct prof_err *err)
{
	struct debug_search d = { .o = o, .debug = debug };
	uint32_t crc = 0;

	d.dir = broker_real(o->path);
	if (!d.dir)
		return errno == ENOMEM ? prof_nomem(err) : PROF_OK;
	*strrchr(d.dir, '/') = '\0';
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
