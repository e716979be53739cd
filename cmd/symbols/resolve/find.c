/* find.c - objects that are not on this machine; see impl.h. */
#include "config.h"

#include <stdlib.h>
#include <strings.h>

#include "impl.h"
#include "locate.h"

/* The result of o->find is untrusted: it must have the build-id. */
static enum prof_status
find_object(const struct resolve *r, const char *build_id, bool want_debug,
	    struct binary **out, struct prof_err *err)
{
	char *path = r->o->find(r->o->find_ctx, build_id, want_debug);
	enum prof_status st;

	*out = NULL;
	if (!path)
		return PROF_OK;
	st = binary_open(path, r->o->locate->budget, out, err);
	if (st == PROF_OK && strcasecmp(binary_build_id(*out), build_id)) {
		st = prof_fail(err, PROF_EFORMAT, "not the build-id %s",
			       build_id);
		binary_close(*out);
		*out = NULL;
	}
	if (st != PROF_OK && st != PROF_ENOMEM) {
		r->o->warn("%s: %s", path, err->msg);
		st = PROF_OK;
	}
	free(path);
	return st;
}

enum prof_status
resolve_find(const struct resolve *r, const char *build_id, struct binary **out,
	     struct prof_err *err)
{
	enum prof_status st;

	*out = NULL;
	if (!r->o->find || !*build_id)
		return PROF_OK;
	st = find_object(r, build_id, false, out, err);
	/* Its debug file has its symbols, too. */
	if (st == PROF_OK && !*out)
		st = find_object(r, build_id, true, out, err);
	return st;
}

enum prof_status
resolve_find_debug(const struct resolve *r, struct binary *s,
		   struct prof_err *err)
{
	const char *build_id = binary_build_id(s);
	struct binary *debug;
	enum prof_status st;

	if (!r->o->find || !*build_id || binary_has_dwarf(s))
		return PROF_OK;
	st = find_object(r, build_id, true, &debug, err);
	if (st == PROF_OK && debug)
		binary_use_debug(s, debug);
	return st;
}
