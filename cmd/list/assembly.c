/*
 * assembly.c - see assembly.h: which functions of which files; objects.c opens
 * those, decode.c reads their code.
 */
#include "config.h"

#include "assembly.h"

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "lib/base/arena.h"
#include "lib/base/search.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/report/rowsum.h"
#include "objects.h"
#include "symbols/binary/binary.h"
#include "symbols/code/code.h"
#include "symbols/code/disasm.h"
#include "symbols/code/extent.h"
#include "symbols/names/demangle.h"
#include "symbols/resolve/resolve.h"
#include "windows.h"

#define NEAR 256 /* bytes around a sample, in a function that is too large */

struct builder {
	struct report *r;
	const struct assembly_options *o;
	struct profile *p;
	struct frames *f; /* by address: the printed names */
	struct objects objects;
	struct assembly *a;
	struct windows windows; /* with o->marked */
	size_t cap;             /* of a->function */
	struct prof_err *err;
};

/* --- which objects --- */

static bool
wants_string(const struct builder *b, const struct str *s)
{
	return s->len && b->o->wants(s->s, s->len, b->o->ctx);
}

/* Does a name of location l match, or its printed name? */
static bool
wants_location(const struct builder *b, uint32_t l)
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

static bool
is_file(const char *path, const char *want)
{
	size_t n;

	return !strcmp(path, want) || !strcmp(frames_base(path, &n), want);
}

/* Might location l be in a function that is asked for? */
static bool
is_candidate(const struct builder *b, uint32_t l)
{
	const struct location *at = &b->p->location[l];
	const struct mapping *m;

	if (b->o->marked)
		return b->o->marked[l];
	if (!b->o->has_address)
		return wants_location(b, l) ||
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
matching_form(struct builder *b, const char *name)
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
static const struct object_place *
places_in(const struct list_object *object, uint64_t start, uint64_t end,
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
static const char *
profile_name(const struct builder *b, const struct object_place *place,
	     size_t n, bool must_match)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t l = place[i].location;
		uint32_t key = b->f->node[b->f->first[l]];
		const struct str *name =
			&b->f->strings.str[b->f->key[key].name];

		if (name->len && (!must_match || wants_location(b, l)))
			return name->s;
	}
	return "";
}

/* Is the function at e asked for, by address? */
static bool
wants_address(const struct builder *b, const struct list_object *object,
	      const struct extent *e)
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
			       a - object->base >= e->start &&
			       a - object->base < e->end;
		}
	return a >= e->start && a < e->end;
}

/* Under which name is the function at e asked for? NULL: it is not. */
static const char *
title_of(struct builder *b, const struct list_object *object,
	 const struct extent *e)
{
	const struct object_place *place;
	const char *title = NULL;
	size_t n;

	place = places_in(object, e->start, e->end, &n);
	if (!n)
		return NULL;
	if (b->o->has_address && !wants_address(b, object, e))
		return NULL;
	if (b->o->has_address || b->o->marked)
		return e->n_name ? e->name[0]
				 : profile_name(b, place, n, false);
	for (size_t i = 0; i < e->n_name && !title; i++)
		title = matching_form(b, e->name[i]);
	if (!title) {
		title = profile_name(b, place, n, true);
		if (!*title)
			title = NULL;
	}
	return title;
}

static const char *
keep(struct builder *b, const char *text)
{
	char *copy = arena_alloc(b->a->arena, strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

/* The build-id of an object: that of the file or, without it, of its mapping.
 */
static const char *
build_id_of(const struct builder *b, const struct list_object *object)
{
	if (object->binary)
		return binary_build_id(object->binary);
	if (object->mapping == PROF_NONE)
		return "";
	return profile_str(b->p, b->p->mapping[object->mapping].build_id);
}

static struct asm_function *
add_function(struct builder *b, const struct list_object *object)
{
	struct assembly *a = b->a;
	struct asm_function *grown;
	const char *id = keep(b, build_id_of(b, object));

	grown = arena_grow(a->arena, a->function, &b->cap, a->n_function + 1,
			   sizeof(*grown));
	if (!grown || !id)
		return NULL;
	a->function = grown;
	grown[a->n_function] = (struct asm_function){ .build_id = id };
	return &grown[a->n_function++];
}

/* List the function at e. */
static enum prof_status
take_extent(struct builder *b, const struct list_object *object,
	    const struct extent *e, const char *title)
{
	struct asm_function *f = add_function(b, object);
	const char **alias;

	if (!f)
		return prof_nomem(b->err);
	f->name = keep(b, title);
	f->object = keep(b, object->path);
	f->start = e->start;
	f->end = e->end;
	f->base = object->base;
	if (!f->name || !f->object)
		return prof_nomem(b->err);
	if (!b->o->has_address || e->n_name < 2)
		return PROF_OK;
	f->n_alias = e->n_name - 1;
	f->alias = alias = arena_array(b->a->arena, f->n_alias, sizeof(*alias));
	for (size_t i = 0; alias && i < f->n_alias; i++) {
		alias[i] = keep(b, e->name[i + 1]);
		if (!alias[i])
			return prof_nomem(b->err);
	}
	return alias ? PROF_OK : prof_nomem(b->err);
}

/* --- code that is not there --- */

static int
cmp_missing(const void *p, const void *q, void *ctx)
{
	const struct builder *b = ctx;
	const struct object_place *x = p, *y = q;
	const struct frames *f = b->f;
	uint32_t k = f->key[f->node[f->first[x->location]]].name;
	uint32_t m = f->key[f->node[f->first[y->location]]].name;
	int r = strtab_cmp(&f->strings, k, m);

	if (r)
		return r;
	return (x->address > y->address) - (x->address < y->address);
}

/* An instruction without text for each address that has samples. */
static enum prof_status
list_addresses(struct builder *b, const struct list_object *object,
	       struct object_place *place, size_t n)
{
	struct asm_function *f = add_function(b, object);

	if (!f)
		return prof_nomem(b->err);
	f->name = keep(b, profile_name(b, place, 1, false));
	f->object = keep(b, object->path);
	f->missing = keep(b, object->why);
	f->insn = arena_array(b->a->arena, n, sizeof(*f->insn));
	if (!f->name || !f->object || !f->missing || !f->insn)
		return prof_nomem(b->err);
	f->start = place[0].address;
	f->end = place[n - 1].address + 1;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || place[i].address != place[i - 1].address)
			f->insn[f->n_insn++] =
				(struct asm_insn){ .address = place[i].address,
						   .size = 1 };
	return PROF_OK;
}

static enum prof_status
list_missing(struct builder *b, struct list_object *object)
{
	struct object_place *place =
		calloc(object->n_place + 1, sizeof(*place));
	enum prof_status st = PROF_OK;
	size_t n = 0;

	if (!place)
		return prof_nomem(b->err);
	for (size_t i = 0; i < object->n_place; i++) {
		uint32_t l = object->place[i].location;

		if (b->o->has_address
			    ? object->place[i].address == b->o->address
		    : b->o->marked ? b->o->marked[l]
				   : wants_location(b, l))
			place[n++] = object->place[i];
	}
	qsort_r(place, n, sizeof(*place), cmp_missing, b);
	for (size_t i = 0, next; i < n && st == PROF_OK; i = next) {
		const char *name = profile_name(b, &place[i], 1, false);

		for (next = i + 1;
		     next < n &&
		     !strcmp(name, profile_name(b, &place[next], 1, false));
		     next++)
			;
		st = list_addresses(b, object, place + i, next - i);
	}
	free(place);
	return st;
}

/* --- one object --- */

/* Around which addresses is code wanted? All that have samples, or windows. */
static struct code_range *
ranges_of(const struct builder *b, const struct list_object *object, size_t *n)
{
	size_t id = (size_t)(object - b->objects.object);
	struct code_range *range;

	*n = 0;
	range = calloc(object->n_place + b->windows.n + 1, sizeof(*range));
	if (!range)
		return NULL;
	if (b->o->marked) {
		for (size_t i = 0; i < b->windows.n; i++)
			if (b->windows.window[i].object == id)
				range[(*n)++] = b->windows.window[i].range;
		return range;
	}
	for (size_t i = 0; i < object->n_place; i++) {
		uint64_t a = object->place[i].address;

		if (a < UINT64_MAX && (!*n || range[*n - 1].start != a))
			range[(*n)++] = (struct code_range){ a, a + 1 };
	}
	return range;
}

/* Of functions that are too large, what is near samples. */
static struct code_range *
windows_of(struct builder *b, const struct list_object *object,
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
		place = places_in(object, f->start, f->end, &n_place);
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
decode(struct builder *b, struct list_object *object,
       const struct code_range *range, size_t n_range, size_t first)
{
	size_t n = b->a->n_function - first, n_window;
	struct asm_function **f = calloc(n + 1, sizeof(struct asm_function *));
	struct code_range *w = NULL;
	struct disasm *d = NULL;
	enum prof_status st;

	for (size_t i = 0; f && i < n; i++)
		f[i] = &b->a->function[first + i];
	if (!b->o->marked) {
		w = windows_of(b, object, b->a->function + first, n, &n_window);
		range = w;
		n_range = n_window;
	}
	if (!f || !range) {
		st = prof_nomem(b->err);
	} else {
		struct disasm_machine m = code_machine(object->binary);

		st = disasm_new(&m, b->o->intel, &d, b->err);
	}
	if (st == PROF_OK)
		st = decode_functions(b->a->arena, object->binary, d, f, n,
				      range, n_range, b->err);
	disasm_free(d);
	free(f);
	free(w);
	return st;
}

static enum prof_status
take_object(struct builder *b, struct list_object *object)
{
	size_t n, first = b->a->n_function;
	struct code_range *range;
	struct extents e = { 0 };
	enum prof_status st;

	if (!object->binary)
		return list_missing(b, object);
	range = ranges_of(b, object, &n);
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
		st = decode(b, object, range, n, first);
	free(range);
	return st;
}

/* --- sums --- */

static int
cmp_function(const void *a, const void *b)
{
	const struct asm_function *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (x->start > y->start) - (x->start < y->start);
}

/* The instruction of f at address a, or ASM_NONE. */
static uint32_t
insn_at(const struct asm_function *f, uint64_t a)
{
	size_t lo = 0, n = f->n_insn;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (f->insn[mid].address + f->insn[mid].size <= a)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo < f->n_insn && f->insn[lo].address <= a ? (uint32_t)lo
							  : ASM_NONE;
}

/* Where the places of each object are. */
static enum prof_status
find_places(struct builder *b)
{
	struct assembly *a = b->a;

	a->place = arena_array(a->arena, b->p->n_location, sizeof(*a->place));
	if (!a->place)
		return prof_nomem(b->err);
	for (size_t l = 0; l < b->p->n_location; l++)
		a->place[l] = (struct asm_place){ ASM_NONE, ASM_NONE };
	for (size_t i = 0; i < b->objects.n; i++) {
		const struct list_object *object = &b->objects.object[i];

		for (uint32_t k = 0; object->path && k < a->n_function; k++) {
			const struct asm_function *f = &a->function[k];
			const struct object_place *place;
			size_t n;

			if (strcmp(f->object, object->path) != 0 ||
			    !f->missing != !object->why)
				continue;
			place = places_in(object, f->start, f->end, &n);
			for (; n; n--, place++) {
				uint32_t at = insn_at(f, place->address);

				if (!f->missing || at != ASM_NONE)
					a->place[place->location] =
						(struct asm_place){ k, at };
			}
		}
	}
	return PROF_OK;
}

static enum prof_status
add_up(struct builder *b)
{
	struct assembly *a = b->a;
	struct graph_options o = b->r->o->graph;
	struct rowsum_entry *entry;
	struct rowsum *row;
	size_t n_row = 0, n = 0;
	uint32_t *first;
	enum prof_status st;

	o.column = b->r->column;
	o.mean = b->r->o->mean;
	first = calloc(a->n_function + 1, sizeof(*first));
	for (size_t i = 0; first && i < a->n_function; i++) {
		first[i] = (uint32_t)n_row;
		n_row += 1 + a->function[i].n_insn;
	}
	entry = calloc(2 * b->p->n_location + 1, sizeof(*entry));
	row = calloc(n_row + 1, sizeof(*row));
	if (!first || !entry || !row || n_row >= ASM_NONE) {
		st = prof_nomem(b->err);
		goto out;
	}
	for (uint32_t l = 0; l < b->p->n_location; l++) {
		const struct asm_place *at = &a->place[l];

		if (at->function == ASM_NONE)
			continue;
		entry[n++] =
			(struct rowsum_entry){ l, first[at->function], true };
		if (at->insn != ASM_NONE)
			entry[n++] = (struct rowsum_entry){
				l, first[at->function] + 1 + at->insn, true
			};
	}
	st = rowsum_run(b->p, &o, entry, n, row, n_row, b->err);
	for (size_t i = 0; st == PROF_OK && i < a->n_function; i++) {
		struct asm_function *f = &a->function[i];
		const struct rowsum *sum = &row[first[i]];

		f->flat = graph_value(sum->flat);
		f->cum = graph_value(sum->cum);
		for (size_t k = 0; k < f->n_insn; k++) {
			sum++;
			f->insn[k].flat = graph_value(sum->flat);
			f->insn[k].cum = graph_value(sum->cum);
		}
	}
out:
	free(first);
	free(entry);
	free(row);
	return st;
}

/* --- the whole --- */

static enum prof_status
take_objects(struct builder *b)
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
	for (size_t i = 0; i < b->objects.n && st == PROF_OK; i++)
		if (want[i])
			st = object_open_for(&b->objects.object[i], &b->objects,
					     b->p, b->o->resolve, b->err);
	if (st == PROF_OK && b->o->marked)
		st = windows_find(&b->windows, b->r, &b->objects, b->o->marked,
				  b->o->max_ranges, b->err);
	for (size_t i = 0; i < b->objects.n && st == PROF_OK; i++)
		if (want[i])
			st = take_object(b, &b->objects.object[i]);
	free(want);
	return st;
}

static bool
has_values(const struct asm_function *f)
{
	for (size_t k = 0; k < f->n_insn; k++)
		if (f->insn[k].flat || f->insn[k].cum)
			return true;
	return f->flat || f->cum;
}

/* Leave out functions whose samples cancel out, or that the filters emptied. */
static enum prof_status
drop_empty(struct assembly *a, const struct profile *p, struct prof_err *err)
{
	uint32_t *now = calloc(a->n_function + 1, sizeof(*now)), n = 0;

	if (!now)
		return prof_nomem(err);
	for (size_t i = 0; i < a->n_function; i++) {
		now[i] = has_values(&a->function[i]) ? n : ASM_NONE;
		if (now[i] != ASM_NONE)
			a->function[n++] = a->function[i];
	}
	for (size_t l = 0; l < p->n_location; l++)
		if (a->place[l].function != ASM_NONE)
			a->place[l].function = now[a->place[l].function];
	a->n_function = n;
	free(now);
	return PROF_OK;
}

enum prof_status
assembly_new(struct report *r, const struct assembly_options *o,
	     struct assembly **out, struct prof_err *err)
{
	struct frames_options by = r->o->frames;
	struct builder b = { .r = r, .o = o, .p = r->p, .err = err };
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
	st = frames_new(r->p, &by, &b.f, err);
	if (st == PROF_OK)
		st = objects_init(&b.objects, r->p, err);
	if (st == PROF_OK)
		st = take_objects(&b);
	if (st == PROF_OK && b.a->n_function)
		qsort(b.a->function, b.a->n_function, sizeof(*b.a->function),
		      cmp_function);
	if (st == PROF_OK)
		st = find_places(&b);
	if (st == PROF_OK)
		st = add_up(&b);
	if (st == PROF_OK)
		st = drop_empty(b.a, r->p, err);
	b.a->n_dropped = b.windows.n_dropped;
	windows_release(&b.windows);
	objects_release(&b.objects);
	frames_free(b.f);
	if (st != PROF_OK) {
		assembly_free(b.a);
		return st;
	}
	*out = b.a;
	return PROF_OK;
}

void
assembly_free(struct assembly *a)
{
	if (a)
		arena_free(a->arena);
}
