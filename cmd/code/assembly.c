/*
 * assembly.c - see assembly.h: which functions of which files; objects.c opens
 * those, decode.c reads their code.
 */
#include "config.h"

#include "assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly-apart.h"
#include "assembly-impl.h"
#include "decode.h"
#include "lib/base/arena.h"
#include "lib/base/confine.h"
#include "lib/base/search.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/report.h"
#include "symbols/binary/binary.h"
#include "symbols/code/bytes.h"
#include "symbols/code/disasm.h"
#include "symbols/code/extent.h"
#include "symbols/names/demangle.h"
#include "symbols/resolve/resolve.h"

#define NEAR 256 /* bytes around a sample, in a function that is too large */

/* --- which objects --- */

static bool
wants_string(const struct assembly_builder *b, const struct str *s)
{
	return s->len && b->o->wants(s->s, s->len, b->o->ctx);
}

/* Does a name of location l match, or its printed name? */
static bool
matches(const struct assembly_builder *b, uint32_t l)
{
	const struct location *at = &b->p->location[l];
	const struct str *str = b->p->strings.str;
	uint32_t key = b->f->node[b->f->first[l]];

	if (wants_string(b, &b->f->strings.str[b->f->key[key].name]) ||
	    wants_string(b, frames_text(b->f, key)))
		return true;
	if (!at->n_line)
		return false;
	key = profile_line(b->p, at)[at->n_line - 1].function;
	return wants_string(b, &str[b->p->function[key].system_name]);
}

bool
assembly_wants_location(const struct assembly_builder *b, uint32_t l)
{
	if (b->wanted[l] == UNKNOWN)
		b->wanted[l] = matches(b, l) ? YES : NO;
	return b->wanted[l] == YES;
}

static bool
is_file(const char *path, const char *want)
{
	size_t n;

	return !strcmp(path, want) || !strcmp(frames_base(path, &n), want);
}

/* Might location l be in a function that is asked for? */
static bool
is_candidate(const struct assembly_builder *b, uint32_t l)
{
	const struct location *at = &b->p->location[l];
	const struct mapping *m;

	if (!b->o->has_address)
		return assembly_wants_location(b, l) ||
		       (!at->n_line && at->mapping != PROF_NONE);
	if (at->mapping == PROF_NONE)
		return at->address == b->o->address;
	m = &b->p->mapping[at->mapping];
	return !b->o->object ||
	       is_file(profile_str(b->p, m->file), b->o->object);
}

/* --- which functions --- */

/* The form of the symbol's name that matches, in the arena; NULL: none does. */
static const char *
matching_form(struct assembly_builder *b, const char *name)
{
	static const enum demangle_mode forms[] = { DEMANGLE_FULL,
						    DEMANGLE_TEMPLATES,
						    DEMANGLE_DEFAULT };
	char *text, *copy;

	if (b->o->wants(name, strlen(name), b->o->ctx))
		return name;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		text = demangle_name(name, forms[i]);
		if (!text)
			return NULL;
		copy = NULL;
		if (b->o->wants(text, strlen(text), b->o->ctx)) {
			copy = arena_alloc(b->a->arena, strlen(text) + 1);
			if (copy)
				strcpy(copy, text);
		}
		free(text);
		if (copy)
			return copy;
	}
	return NULL;
}

/* The places of object in start to end - 1: from *at on, *n of them. */
const struct object_place *
assembly_places(const struct list_object *object, uint64_t start, uint64_t end,
		size_t *n)
{
	size_t lo = search_from(object->place, object->n_place,
				sizeof(*object->place),
				offsetof(struct object_place, address), start);

	for (*n = 0;
	     lo + *n < object->n_place && object->place[lo + *n].address < end;
	     (*n)++)
		;
	return object->place + lo;
}

/* The name under which the profile has the code of these places, or "". */
const char *
assembly_profile_name(const struct assembly_builder *b,
		      const struct object_place *place, size_t n,
		      bool must_match)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t l = place[i].location;
		uint32_t key = b->f->node[b->f->first[l]];
		const struct str *name =
			&b->f->strings.str[b->f->key[key].name];

		if (name->len && (!must_match || assembly_wants_location(b, l)))
			return name->s;
	}
	return "";
}

bool
assembly_wants_address(const struct assembly_builder *b,
		       const struct list_object *object, uint64_t start,
		       uint64_t end)
{
	uint64_t a = b->o->address;
	const struct mapping *m;

	if (!b->o->object)
		for (size_t i = 0; i < b->p->n_mapping; i++) {
			m = &b->p->mapping[i];
			if (a < m->start || a >= m->limit)
				continue;
			/* An address of the process. */
			return object == &b->objects.object[b->objects.of[i]] &&
			       a - object->base >= start &&
			       a - object->base < end;
		}
	return a >= start && a < end;
}

/*
 * The name for a function that neither its file nor the profile names, as
 * prof-symbolize --symbolize=ranges makes it; NULL: it is not asked for.
 */
static const char *
range_title(struct assembly_builder *b, const struct list_object *object,
	    const struct extent *e, const struct object_place *place, size_t n)
{
	char name[288];
	size_t len;
	const char *base = frames_base(object->path, &len);
	bool is_wanted = b->o->has_address;

	snprintf(name, sizeof(name), "[%.255s+0x%" PRIx64 "]", base, e->start);
	if (!is_wanted)
		is_wanted = b->o->wants(name, strlen(name), b->o->ctx);
	for (size_t i = 0; i < n && !is_wanted; i++)
		is_wanted = assembly_wants_location(b, place[i].location);
	return is_wanted ? assembly_keep(b, name) : NULL;
}

/* Under which name is the function at e asked for? NULL: it is not. */
static const char *
title_of(struct assembly_builder *b, const struct list_object *object,
	 const struct extent *e)
{
	const struct object_place *place;
	const char *title = NULL;
	size_t n;

	place = assembly_places(object, e->start, e->end, &n);
	if (!n)
		return NULL;
	if (b->o->has_address &&
	    !assembly_wants_address(b, object, e->start, e->end))
		return NULL;
	if (!e->n_name && !*assembly_profile_name(b, place, n, false))
		return range_title(b, object, e, place, n);
	if (b->o->has_address)
		return e->n_name ? e->name[0]
				 : assembly_profile_name(b, place, n, false);
	for (size_t i = 0; i < e->n_name && !title; i++)
		title = matching_form(b, e->name[i]);
	if (!title) {
		title = assembly_profile_name(b, place, n, true);
		if (!*title)
			title = NULL;
	}
	return title;
}

const char *
assembly_keep(struct assembly_builder *b, const char *text)
{
	char *copy = arena_alloc(b->a->arena, strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

/* The build-id of an object: that of the file or, without it, of its mapping.
 */
static const char *
build_id_of(const struct assembly_builder *b, const struct list_object *object)
{
	if (object->binary)
		return binary_build_id(object->binary);
	if (object->mapping == PROF_NONE)
		return "";
	return profile_str(b->p, b->p->mapping[object->mapping].build_id);
}

struct asm_function *
assembly_add(struct assembly_builder *b, const struct list_object *object)
{
	struct assembly *a = b->a;
	struct asm_function *grown;
	const char *id = assembly_keep(b, build_id_of(b, object));
	const char *path = assembly_keep(b, object->path);

	grown = arena_grow(a->arena, a->function, &b->cap, a->n_function + 1,
			   sizeof(*grown));
	if (!grown || !id || !path)
		return NULL;
	a->function = grown;
	grown[a->n_function] = (struct asm_function){
		.object = path,
		.build_id = id,
		.of = (size_t)(object - b->objects.object),
	};
	return &grown[a->n_function++];
}

/* List the function at e. */
static enum prof_status
take_extent(struct assembly_builder *b, const struct list_object *object,
	    const struct extent *e, const char *title)
{
	struct asm_function *f = assembly_add(b, object);
	const char **alias;

	if (!f)
		return prof_nomem(b->err);
	f->name = assembly_keep(b, title);
	f->start = e->start;
	f->end = e->end;
	f->base = object->base;
	if (!f->name)
		return prof_nomem(b->err);
	if (!b->o->has_address || e->n_name < 2)
		return PROF_OK;
	f->n_alias = e->n_name - 1;
	f->alias = alias = arena_array(b->a->arena, f->n_alias, sizeof(*alias));
	for (size_t i = 0; alias && i < f->n_alias; i++) {
		alias[i] = assembly_keep(b, e->name[i + 1]);
		if (!alias[i])
			return prof_nomem(b->err);
	}
	return alias ? PROF_OK : prof_nomem(b->err);
}

/* --- one object --- */

/* Around which addresses is code wanted? All that have samples. */
static struct code_range *
ranges_of(const struct list_object *object, size_t *n)
{
	struct code_range *range = calloc(object->n_place + 1, sizeof(*range));

	*n = 0;
	for (size_t i = 0; range && i < object->n_place; i++) {
		uint64_t a = object->place[i].address;

		if (a < UINT64_MAX && (!*n || range[*n - 1].start != a))
			range[(*n)++] = (struct code_range){ a, a + 1 };
	}
	return range;
}

/* Of functions that are too large, keep only the code near samples. */
static struct code_range *
windows_of(struct assembly_builder *b, const struct list_object *object,
	   const struct asm_function *f, size_t n_function, size_t *n)
{
	struct code_range *w;

	*n = 0;
	w = calloc(object->n_place + n_function + 1, sizeof(*w));
	for (size_t i = 0; w && i < n_function; i++, f++) {
		const struct object_place *place;
		size_t n_place;

		if (f->end - f->start <= ASM_MAX_CODE) {
			w[(*n)++] = (struct code_range){ f->start, f->end };
			continue;
		}
		b->a->is_cut = true;
		place = assembly_places(object, f->start, f->end, &n_place);
		for (size_t k = 0; k < n_place; k++) {
			uint64_t a = place[k].address;
			uint64_t from =
				a - f->start > NEAR ? a - NEAR : f->start;
			uint64_t to = f->end - a > NEAR ? a + NEAR : f->end;

			if (k && w[*n - 1].end >= from)
				w[*n - 1].end = to;
			else
				w[(*n)++] = (struct code_range){ from, to };
		}
	}
	return w;
}

static enum prof_status
decode(struct assembly_builder *b, struct list_object *object, struct disasm *d,
       size_t first)
{
	size_t n = b->a->n_function - first, n_window;
	struct asm_function **f = calloc(n + 1, sizeof(struct asm_function *));
	struct code_range *w =
		windows_of(b, object, b->a->function + first, n, &n_window);
	enum prof_status st;

	for (size_t i = 0; f && i < n; i++)
		f[i] = &b->a->function[first + i];
	if (!f || !w)
		st = prof_nomem(b->err);
	else
		st = decode_functions(b->a->arena, object->binary, d, f, n, w,
				      n_window, b->err);
	for (size_t i = 0; st == PROF_OK && i < n; i++) {
		const struct object_place *place;
		size_t n_place;

		if (!f[i]->missing)
			continue;
		place = assembly_places(object, f[i]->start, f[i]->end,
					&n_place);
		st = assembly_fill(b, f[i], place, n_place);
	}
	free(f);
	free(w);
	return st;
}

/* The functions of a file that can be read. */
static enum prof_status
take_code(struct assembly_builder *b, struct list_object *object,
	  struct disasm *d)
{
	size_t n, first = b->a->n_function;
	struct code_range *range = ranges_of(object, &n);
	struct extents e = { 0 };
	enum prof_status st;

	if (!range)
		return prof_nomem(b->err);
	st = extents_find(object->binary, range, n, &e, b->err);
	for (size_t i = 0; st == PROF_OK && i < e.n; i++) {
		const char *title = title_of(b, object, &e.extent[i]);

		if (title)
			st = take_extent(b, object, &e.extent[i], title);
	}
	extents_release(&e);
	if (st == PROF_OK && b->a->n_function > first)
		st = decode(b, object, d, first);
	free(range);
	return st == PROF_OK
		       ? assembly_list_missing(
				 b, object, first,
				 "no symbol and no .eh_frame entry covers it")
		       : st;
}

static enum prof_status
take_object(struct assembly_builder *b, struct list_object *object)
{
	const char *why = object->why;
	struct disasm *d = NULL;
	enum prof_status st;

	if (object->binary) {
		struct disasm_machine m = binary_machine(object->binary);

		st = disasm_new(&m, b->o->intel, &d, b->err);
		if (st == PROF_OK) {
			st = take_code(b, object, d);
			disasm_free(d);
			return st;
		}
		if (st != PROF_EINVALID)
			return st;
		/* An unknown machine: continue with the other objects. */
		why = b->err->msg;
		b->o->resolve->warn("%s: %s", object->path, why);
	}
	return assembly_list_missing(b, object, b->a->n_function, why);
}

/* --- the whole --- */

static enum prof_status
take_objects(struct assembly_builder *b)
{
	bool *want = calloc(b->objects.n + 1, sizeof(*want));
	enum prof_status st = PROF_OK;

	if (!want)
		return prof_nomem(b->err);
	for (uint32_t l = 0; l < b->p->n_location; l++) {
		size_t i = (size_t)(objects_of(&b->objects, b->p, l) -
				    b->objects.object);

		if (!want[i])
			want[i] = is_candidate(b, l);
	}
	for (size_t i = 0; i < b->objects.n && st == PROF_OK; i++) {
		struct list_object *object = &b->objects.object[i];

		if (!want[i])
			continue;
		st = object_open_for(object, &b->objects, b->p, b->o->resolve,
				     b->err);
		if (st == PROF_OK)
			st = take_object(b, object);
	}
	free(want);
	return st;
}

static enum prof_status
assembly_make(struct report *r, const struct assembly_options *o,
	      struct assembly **out, struct prof_err *err)
{
	struct frames_options by = r->o->frames;
	struct assembly_builder b = { .r = r, .o = o, .p = r->p, .err = err };
	struct arena *a = arena_new();
	enum prof_status st;

	*out = NULL;
	b.a = a ? arena_alloc(a, sizeof(*b.a)) : NULL;
	if (!b.a) {
		arena_free(a);
		return prof_nomem(err);
	}
	*b.a = (struct assembly){ .arena = a };
	by.granularity = BY_ADDRESS;
	by.no_inlines = true;
	by.by_object = true;
	b.wanted = calloc(r->p->n_location + 1, sizeof(*b.wanted));
	st = b.wanted ? frames_new(r->p, &by, &b.f, err) : prof_nomem(err);
	if (st == PROF_OK)
		st = objects_init(&b.objects, r->p, err);
	if (st == PROF_OK)
		st = take_objects(&b);
	if (st == PROF_OK)
		st = assembly_add_up(&b);
	objects_release(&b.objects);
	frames_free(b.f);
	free(b.wanted);
	if (st != PROF_OK) {
		assembly_free(b.a);
		return st;
	}
	*out = b.a;
	return PROF_OK;
}

enum prof_status
assembly_new(struct report *r, const struct assembly_options *o,
	     struct assembly **out, struct prof_err *err)
{
	return confine_is_wanted()
		       ? assembly_apart(r, o, assembly_make, out, err)
		       : assembly_make(r, o, out, err);
}

void
assembly_free(struct assembly *a)
{
	if (a)
		arena_free(a->arena);
}
