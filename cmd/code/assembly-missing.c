/* assembly-missing.c - see assembly-impl.h: samples whose code is not there. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly-impl.h"
#include "lib/base/arena.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"

static int
cmp_missing(const void *p, const void *q, void *ctx)
{
	const struct assembly_builder *b = ctx;
	const struct object_place *x = p, *y = q;
	const struct frames *f = b->f;
	uint32_t k = f->key[f->node[f->first[x->location]]].name;
	uint32_t m = f->key[f->node[f->first[y->location]]].name;
	int r = strtab_cmp(&f->strings, k, m);

	if (r)
		return r;
	return (x->address > y->address) - (x->address < y->address);
}

enum prof_status
assembly_fill(struct assembly_builder *b, struct asm_function *f,
	      const struct object_place *place, size_t n)
{
	f->n_insn = 0;
	f->insn = arena_array(b->a->arena, n, sizeof(*f->insn));
	if (!f->insn)
		return prof_nomem(b->err);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || place[i].address != place[i - 1].address)
			f->insn[f->n_insn++] =
				(struct asm_insn){ .address = place[i].address,
						   .size = 1 };
	return PROF_OK;
}

/* These places, all of one name, as a function. */
static enum prof_status
list_addresses(struct assembly_builder *b, const struct list_object *object,
	       const struct object_place *place, size_t n, const char *why)
{
	struct asm_function *f = assembly_add(b, object);
	const char *name;
	char file[260];
	size_t len;

	if (!f)
		return prof_nomem(b->err);
	name = assembly_profile_name(b, place, 1, false);
	if (!*name && *object->path) {
		snprintf(file, sizeof(file), "[%.255s]",
			 frames_base(object->path, &len));
		name = file;
	}
	f->name = assembly_keep(b, name);
	f->missing = assembly_keep(b, why);
	if (!f->name || !f->missing)
		return prof_nomem(b->err);
	f->start = place[0].address;
	f->end = place[n - 1].address + 1;
	return assembly_fill(b, f, place, n);
}

static bool
is_asked_for(const struct assembly_builder *b, const struct list_object *object,
	     const struct object_place *place)
{
	uint64_t a = place->address;

	if (b->o->has_address)
		return assembly_wants_address(b, object, a, a + 1);
	return assembly_wants_location(b, place->location);
}

/* Flag the places of object that functions from `first` on have. */
static void
find_listed(const struct assembly_builder *b, const struct list_object *object,
	    size_t first, bool *listed)
{
	for (; first < b->a->n_function; first++) {
		const struct asm_function *f = &b->a->function[first];
		const struct object_place *place;
		size_t n;

		place = assembly_places(object, f->start, f->end, &n);
		memset(listed + (place - object->place), true, n);
	}
}

enum prof_status
assembly_list_missing(struct assembly_builder *b,
		      const struct list_object *object, size_t first,
		      const char *why)
{
	struct object_place *place =
		calloc(object->n_place + 1, sizeof(*place));
	bool *listed = calloc(object->n_place + 1, sizeof(*listed));
	enum prof_status st = PROF_OK;
	size_t n = 0;

	if (!place || !listed) {
		st = prof_nomem(b->err);
		goto out;
	}
	find_listed(b, object, first, listed);
	for (size_t i = 0; i < object->n_place; i++)
		if (!listed[i] && is_asked_for(b, object, &object->place[i]))
			place[n++] = object->place[i];
	if (n)
		qsort_r(place, n, sizeof(*place), cmp_missing, b);
	for (size_t i = 0, next; i < n && st == PROF_OK; i = next) {
		const char *name =
			assembly_profile_name(b, &place[i], 1, false);

		for (next = i + 1;
		     next < n &&
		     !strcmp(name,
			     assembly_profile_name(b, &place[next], 1, false));
		     next++)
			;
		st = list_addresses(b, object, place + i, next - i, why);
	}
out:
	free(place);
	free(listed);
	return st;
}
