/* warn.c - messages about a mapping or a file; see impl.h. */
#include "config.h"

#include <string.h>

#include "impl.h"
#include "locate.h"
#include "symbols/elf/unpack.h"

void
resolve_warn_unread(const struct resolve *r)
{
	struct unpack_budget *b = r->o->locate->budget;

	if (!b || !b->n_unread)
		return;
	if (b->n_unread == 1)
		r->o->warn("%s: %s; its names are missing", b->path,
			   strerror(b->error));
	else
		r->o->warn("%s: %s; its names and those of %d other files are "
			   "missing",
			   b->path, strerror(b->error), b->n_unread - 1);
	b->n_unread = 0;
}

void
resolve_warn(const struct resolve *r, uint32_t m, const struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	const char *id = profile_str(r->p, map->build_id);

	if (r->o->failed)
		r->o->failed(r->o->report, m, err->msg);
	else
		r->o->warn("%s%s%s%s: %s", profile_str(r->p, map->file),
			   *id ? " (build-id " : "", id, *id ? ")" : "",
			   err->msg);
}
