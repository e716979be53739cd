/* warn.c - messages about a mapping; see impl.h. */
#include "config.h"

#include "impl.h"

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
