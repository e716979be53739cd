/* objects.c - see objects.h. */
#include "config.h"

#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "servers.h"
#include "symbols/binary/binary.h"
#include "symbols/resolve/group.h"

struct list_object *
objects_of(const struct objects *o, const struct profile *p, uint32_t l)
{
	uint32_t m = p->location[l].mapping;

	return &o->object[m == PROF_NONE ? o->n - 1 : o->of[m]];
}

/* Sort the locations by object, once for all objects. */
static void
sort_locations(struct objects *o, const struct profile *p)
{
	size_t *at = o->first + 1;

	for (uint32_t l = 0; l < p->n_location; l++)
		o->first[objects_of(o, p, l) - o->object + 2]++;
	for (size_t i = 1; i < o->n; i++)
		at[i] += at[i - 1];
	for (uint32_t l = 0; l < p->n_location; l++)
		o->location[at[objects_of(o, p, l) - o->object]++] = l;
}

enum prof_status
objects_init(struct objects *o, const struct profile *p, struct prof_err *err)
{
	size_t n = p->n_mapping;
	struct grouped *g = group_mappings(p);

	o->n = 0;
	o->object = calloc(n + 1, sizeof(*o->object));
	o->of = calloc(n + 1, sizeof(*o->of));
	o->location = calloc(p->n_location + 1, sizeof(*o->location));
	o->first = calloc(n + 3, sizeof(*o->first));
	o->base = calloc(n + 1, sizeof(*o->base));
	o->has_base = calloc(n + 1, sizeof(*o->has_base));
	if (!g || !o->object || !o->of || !o->location || !o->first ||
	    !o->base || !o->has_base) {
		free(g);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || g[i - 1].is_last)
			o->object[o->n++].mapping = g[i].mapping;
		o->of[g[i].mapping] = (uint32_t)o->n - 1;
	}
	o->object[o->n++].mapping = PROF_NONE;
	free(g);
	sort_locations(o, p);
	return PROF_OK;
}

void
objects_release(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++) {
		struct list_object *object = &o->object[i];

		binary_close(object->binary);
		free(object->path);
		free(object->why);
		free(object->place);
	}
	free(o->object);
	free(o->of);
	free(o->location);
	free(o->first);
	free(o->base);
	free(o->has_base);
}

static int
cmp_place(const void *a, const void *b)
{
	const struct object_place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->location > y->location) - (x->location < y->location);
}

/* Find the base of each mapping by the first address in it. */
static enum prof_status
find_bases(struct list_object *object, const struct objects *all,
	   const struct profile *p, struct prof_err *err)
{
	const size_t *at = &all->first[object - all->object];
	const char *file = profile_str(p, p->mapping[object->mapping].file);
	enum prof_status st;
	bool first = true;

	for (size_t i = at[0]; i < at[1]; i++) {
		uint32_t l = all->location[i], m = p->location[l].mapping;
		uint64_t a = p->location[l].address;

		if (all->has_base[m])
			continue;
		if (a < p->mapping[m].start || a >= p->mapping[m].limit)
			a = p->mapping[m].start;
		st = resolve_base(&p->mapping[m], file, object->path,
				  object->binary, a, &all->base[m], err);
		if (st != PROF_OK)
			return st;
		all->has_base[m] = true;
		if (first)
			object->base = all->base[m];
		first = false;
	}
	return PROF_OK;
}

/* The object cannot be read, for the reason in err. */
static enum prof_status
give_up(struct list_object *object, const struct resolve_options *r,
	struct prof_err *err)
{
	binary_close(object->binary);
	object->binary = NULL;
	object->why = strdup(err->msg);
	if (!object->why)
		return prof_nomem(err);
	if (*object->path)
		r->warn("%s: %s", object->path, object->why);
	return PROF_OK;
}

static enum prof_status
open_file(struct list_object *object, struct profile *p,
	  const struct resolve_options *r, struct prof_err *err)
{
	const char *file = "";
	enum prof_status st;

	if (object->mapping != PROF_NONE)
		file = profile_str(p, p->mapping[object->mapping].file);
	if (!*file)
		st = prof_fail(err, PROF_EIO, "the mapping names no file");
	else
		st = resolve_open(p, object->mapping, r, &object->binary,
				  &object->path, err);
	if (st == PROF_OK || st == PROF_ENOMEM)
		return st;
	object->binary = NULL;
	object->path = strdup(file);
	return object->path ? give_up(object, r, err) : prof_nomem(err);
}

enum prof_status
object_open_for(struct list_object *object, const struct objects *all,
		struct profile *p, const struct resolve_options *r,
		struct prof_err *err)
{
	const size_t *at = &all->first[object - all->object];
	enum prof_status st;

	object->place = calloc(at[1] - at[0] + 1, sizeof(*object->place));
	if (!object->place)
		st = prof_nomem(err);
	else
		st = open_file(object, p, r, err);
	if (st == PROF_OK && object->binary) {
		st = find_bases(object, all, p, err);
		if (st != PROF_OK && st != PROF_ENOMEM)
			st = give_up(object, r, err);
	}
	for (size_t i = at[0]; st == PROF_OK && i < at[1]; i++) {
		const struct location *l = &p->location[all->location[i]];

		object->place[object->n_place++] = (struct object_place){
			l->address -
				(object->binary ? all->base[l->mapping] : 0),
			all->location[i]
		};
	}
	if (object->n_place)
		qsort(object->place, object->n_place, sizeof(*object->place),
		      cmp_place);
	return st;
}

int
binaries_init(struct binaries *b, const char *search_path,
	      struct servers *servers)
{
	*b = (struct binaries){ .resolve = { .warn = warn } };
	if (locate_init(&b->locate, search_path) < 0)
		return -1;
	b->resolve.locate = &b->locate;
	if (servers) {
		b->resolve.find = servers_binary;
		b->resolve.find_ctx = servers;
	}
	return 0;
}

void
binaries_release(struct binaries *b)
{
	locate_release(&b->locate);
}
