/* open.c - see resolve.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "kernel.h"
#include "lib/base/buildid.h"
#include "lib/model/loadbase.h"
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
	if (st == PROF_OK && !binary_has_id(*out, build_id)) {
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

/* The object with this build-id, or its debug file, that o->find finds, with
 * its build-id checked; NULL: none. */
static enum prof_status
find_program(const struct resolve *r, const char *build_id, struct binary **out,
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

/* Is file the name of the vDSO? */
static bool
is_vdso(const char *file)
{
	return !strcmp(file, "[vdso]") || !strncmp(file, "linux-vdso", 10);
}

/* Open this machine's vDSO, if it is that of mapping m. */
static enum prof_status
open_vdso(const struct resolve *r, uint32_t m, struct binary **out,
	  struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	enum prof_status st = kernel_vdso(map, out, err);

	if (st != PROF_OK || !map->build_id ||
	    binary_has_id(*out, profile_str(r->p, map->build_id)))
		return st;
	prof_fail(err, PROF_EIO, "this machine's is %s", binary_build_id(*out));
	binary_close(*out);
	*out = NULL;
	return PROF_EIO;
}

/* Open the file of mapping m that the caller holds; it keeps its name. */
static enum prof_status
open_held(const struct resolve *r, uint32_t m, struct binary **out, char **path,
	  struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	const char *id = profile_str(r->p, map->build_id);
	char name[32];
	enum prof_status st;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", r->o->held[m]);
	st = binary_open(name, r->o->locate->budget, out, err);
	if (st != PROF_OK)
		return st;
	*path = strdup(profile_str(r->p, map->file));
	if (!*path)
		st = prof_nomem(err);
	else if (*id && !binary_has_id(*out, id))
		st = prof_fail(err, PROF_EIO, "its build-id is %s",
			       binary_build_id(*out));
	if (st == PROF_OK)
		return st;
	free(*path);
	binary_close(*out);
	return st;
}

/* Open the local object of mapping m. */
static enum prof_status
open_mapping(const struct resolve *r, uint32_t m, struct binary **out,
	     char **path, struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	const char *file = profile_str(r->p, map->file);
	const char *id = profile_str(r->p, map->build_id);
	enum prof_status st;
	char running[BUILD_ID_TEXT];

	if (resolve_holds(r, m)) {
		st = open_held(r, m, out, path, err);
		if (st == PROF_OK || st == PROF_ENOMEM)
			return st;
	}
	if (!strncmp(file, "[kernel.kallsyms]", 17)) {
		/* The caller's list of symbols is enough. */
		if (r->o->kallsyms)
			return prof_fail(err, PROF_EIO, "not looked for");
		kernel_build_id(running);
		return locate_kernel(r->o->locate, id, running, out, path, err);
	}
	st = locate_open(r->o->locate, file, id, out, path, err);
	if (st == PROF_OK || st == PROF_ENOMEM || !is_vdso(file))
		return st;
	st = open_vdso(r, m, out, err);
	if (st != PROF_OK)
		return st;
	*path = strdup(file);
	if (*path)
		return PROF_OK;
	binary_close(*out);
	return prof_nomem(err);
}

/*
 * Find an object that open_mapping() did not; st and err say why. The mapping
 * keeps its file name, as that of a cached file is meaningless.
 */
static enum prof_status
find_elsewhere(const struct resolve *r, uint32_t m, struct binary **out,
	       char **path, enum prof_status st, struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	struct prof_err found_err;

	if (find_program(r, profile_str(r->p, map->build_id), out,
			 &found_err) != PROF_OK)
		return prof_nomem(err);
	if (!*out)
		return st;
	*path = strdup(profile_str(r->p, map->file));
	if (*path)
		return PROF_OK;
	binary_close(*out);
	return prof_nomem(err);
}

enum prof_status
resolve_open_mapping(const struct resolve *r, uint32_t m, struct binary **out,
		     char **path, struct prof_err *err)
{
	enum prof_status st = open_mapping(r, m, out, path, err);

	return st == PROF_OK || st == PROF_ENOMEM
		       ? st
		       : find_elsewhere(r, m, out, path, st, err);
}

enum prof_status
resolve_open_debug(const struct resolve *r, struct binary *s,
		   struct prof_err *err)
{
	const struct locate *l = r->o->locate;
	char *const *dirs = l->dir, id[BUILD_ID_TEXT];
	struct binary *debug;
	enum prof_status st;

	/* A debug file that was found may itself need the common one of dwz. */
	do {
		debug = NULL;
		st = binary_find_debug(s, (const char *const *)dirs, l->n_dir,
				       err);
		if (st == PROF_OK && r->o->find && !r->o->no_lines &&
		    binary_lacks(s, id))
			st = find_object(r, id, true, &debug, err);
	} while (debug && binary_use_debug(s, debug));
	return st;
}

enum prof_status
resolve_open(struct profile *p, uint32_t m, const struct resolve_options *o,
	     struct binary **out, char **path, struct prof_err *err)
{
	const struct resolve r = { .p = p, .o = o };
	enum prof_status st;

	st = resolve_open_mapping(&r, m, out, path, err);
	if (st != PROF_OK)
		return st;
	st = resolve_open_debug(&r, *out, err);
	resolve_warn_unread(&r);
	if (st != PROF_OK) {
		binary_close(*out);
		free(*path);
		*out = NULL;
		*path = NULL;
	}
	return st;
}

/* Is the mapping only a name, without addresses? */
static bool
is_fake(const struct mapping *m)
{
	return m->start == 0 && m->offset == 0 &&
	       (m->limit == 0 || m->limit == UINT64_MAX);
}

enum prof_status
resolve_base(const struct mapping *m, const char *file, const char *path,
	     struct binary *s, uint64_t inside, uint64_t *base,
	     struct prof_err *err)
{
	struct load_mapping at = { .start = m->start,
				   .limit = m->limit,
				   .offset = m->offset };

	if (load_wants_kernel_symbol(path, &at) && !is_fake(m))
		at.has_kernel_symbol = binary_symbol(s, kernel_symbol(file),
						     &at.kernel_symbol);
	return load_base(binary_layout(s), &at, inside, base, err);
}
