/* split.c - see split.h. */
#include "config.h"

#include "split.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#define MAX_SECTIONS 64 /* columns of a package's index */

void
dwarf_object_close(struct dwarf_object *o)
{
	dwarf_file_release(&o->file);
	object_close(&o->object);
}

/* Open the file with the sections of split units at path. */
static bool
open_split(struct dwarf_object *o, const struct object *main, const char *path)
{
	*o = (struct dwarf_object){ 0 };
	if (object_open(&o->object, path, main->budget, NULL) != PROF_OK)
		return false;
	if (dwarf_file_init(&o->file, &o->object, true))
		return true;
	dwarf_object_close(o);
	return false;
}

/* The length of the directory in path, with its slash. */
static int
dir_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash - path < PATH_MAX ? (int)(slash + 1 - path) : 0;
}

/* --- packages --- */

bool
split_open_package(struct dwarf_object *o, const struct object *main)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s.dwp", main->path);

	*o = (struct dwarf_object){ 0 };
	return n > 0 && (size_t)n < sizeof(path) && open_split(o, main, path);
}

/* The index of a package (DWARF 5, 7.3.5.3; GNU's of DWARF 4 is version 2). */
struct index {
	unsigned version;
	uint32_t n_section, n_unit, n_slot;
	struct cursor hash, row, section, offset;
};

static bool
read_index(const struct dwarf_file *f, struct index *x)
{
	struct cursor c = dwarf_at(f, DWARF_CU_INDEX, 0);
	uint64_t cells;

	/* Two bytes and padding, or four: the same but for big-endian. */
	x->version = cursor_u16(&c);
	if (x->version == 0)
		x->version = cursor_u16(&c);
	else
		cursor_u16(&c);
	x->n_section = cursor_u32(&c);
	x->n_unit = cursor_u32(&c);
	x->n_slot = cursor_u32(&c);
	if (c.bad || (x->version != 2 && x->version != 5) || !x->n_slot ||
	    (x->n_slot & (x->n_slot - 1)) || x->n_section > MAX_SECTIONS)
		return false;
	cells = (uint64_t)x->n_section * x->n_unit * 4;
	x->hash = c;
	cursor_skip(&c, (uint64_t)x->n_slot * 8);
	x->row = c;
	cursor_skip(&c, (uint64_t)x->n_slot * 4);
	x->section = c;
	cursor_skip(&c, (uint64_t)x->n_section * 4);
	x->offset = c;
	cursor_skip(&c, 2 * cells);
	return !c.bad;
}

static uint64_t
entry(struct cursor c, uint64_t i, unsigned size)
{
	cursor_skip(&c, i * size);
	return cursor_number(&c, size);
}

/* The row of the unit of this id; 0: it has none. */
static uint32_t
find_row(const struct index *x, uint64_t id)
{
	uint64_t mask = x->n_slot - 1, at = id & mask;
	uint64_t step = ((id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < x->n_slot; i++) {
		uint32_t row = (uint32_t)entry(x->row, at, 4);

		if (row == 0 || row > x->n_unit)
			return 0;
		if (entry(x->hash, at, 8) == id)
			return row;
		at = (at + step) & mask;
	}
	return 0;
}

static bool
find_in_package(const struct dwarf_file *f, uint64_t id, struct dwarf_unit *out)
{
	/* The meaning of a column, by the numbers of 7.3.5.3. */
	enum { INFO = 1, ABBREV = 3, STR_OFFSETS = 6, RNGLISTS = 8, N };
	uint64_t part[N] = { 0 };
	struct index x;
	uint32_t row;

	if (!read_index(f, &x))
		return false;
	row = find_row(&x, id);
	if (!row)
		return false;
	for (uint32_t i = 0; i < x.n_section; i++) {
		uint64_t cell = (uint64_t)(row - 1) * x.n_section + i;
		uint64_t what = entry(x.section, i, 4);

		if (what < N)
			part[what] = entry(x.offset, cell, 4);
	}
	if (!unit_read_header(f, part[INFO], out))
		return false;
	out->abbrevs += part[ABBREV];
	out->str_offsets += part[STR_OFFSETS];
	if (x.version == 5)
		out->rnglists += part[RNGLISTS];
	return true;
}

/* --- split units --- */

/* Find the compilation unit of a .dwo file, which may have type units, too. */
static bool
find_in_file(const struct dwarf_file *f, struct dwarf_unit *out)
{
	for (size_t i = 0; i < f->n_unit; i++)
		if (f->unit[i].type == DW_UT_split_compile ||
		    (f->unit[i].sizes.version < 5)) {
			*out = f->unit[i];
			return true;
		}
	return false;
}

/* The attributes of a skeleton that apply to its split unit (3.1.3). */
static void
inherit(struct dwarf_unit *u, const struct dwarf_unit *skeleton)
{
	u->linked = skeleton->file;
	u->addr = skeleton->addr;
	u->ranges = skeleton->ranges;
}

/* --- files of split units --- */

struct split_path {
	uint64_t hash;   /* of the path */
	uint64_t dwo_id; /* of the unit in it */
	bool has_id;     /* false: there is no file or no unit */
};

void
split_seen_release(struct split_seen *seen)
{
	free(seen->path);
	hashtab_release(&seen->at);
	pthread_mutex_destroy(&seen->lock);
}

static uint64_t
hash_path(const struct hashtab *t, const char *path)
{
	uint64_t h = 0;

	for (; *path; path++)
		h = hashtab_mix(t, h, (unsigned char)*path + (h << 8));
	return h;
}

/*
 * The earlier answer for a path, or NULL. The table is made on first use, as
 * most programs have no split units.
 */
static const struct split_path *
seen_find(struct split_seen *seen, const char *path, uint64_t *hash)
{
	size_t at;
	uint32_t i;

	if (!seen->at.slot && hashtab_init(&seen->at) < 0)
		return NULL;
	*hash = hash_path(&seen->at, path);
	at = hashtab_start(&seen->at, (uint32_t)*hash);
	while ((i = hashtab_next(&seen->at, (uint32_t)*hash, &at)) !=
	       HASHTAB_NONE)
		if (seen->path[i].hash == *hash)
			return &seen->path[i];
	return NULL;
}

/* May the unit of this id be at path, by earlier answers? */
static bool
seen_may_have(struct split_seen *seen, const char *path, uint64_t id,
	      bool *is_new)
{
	const struct split_path *known;
	uint64_t hash;
	bool may;

	pthread_mutex_lock(&seen->lock);
	known = seen_find(seen, path, &hash);
	*is_new = !known;
	may = !known || (known->has_id && known->dwo_id == id);
	pthread_mutex_unlock(&seen->lock);
	return may;
}

/* Remember an answer. Without memory, path is opened again next time. */
static void
seen_add(struct split_seen *seen, const char *path, bool has_id, uint64_t id)
{
	struct split_path new = { .has_id = has_id, .dwo_id = id };
	size_t n;

	pthread_mutex_lock(&seen->lock);
	n = seen->at.n;
	if (!seen_find(seen, path, &new.hash) && seen->at.slot &&
	    array_reserve(&seen->path, &seen->cap, n + 1, sizeof(new)) == 0 &&
	    hashtab_add(&seen->at, (uint32_t) new.hash, (uint32_t)n) == 0)
		seen->path[n] = new;
	pthread_mutex_unlock(&seen->lock);
}

/* A search for a split unit. */
struct split_search {
	const struct dwarf_unit *skeleton;
	const struct object *main;
	struct split_seen *seen;
	struct dwarf_budget *budget;
	struct dwarf_object *o;
	struct dwarf_unit *out;
};

/* Read the unit of the file, which is open. */
static bool
read_dwo(const struct split_search *s, const char *path, bool is_new)
{
	struct dwarf_object *o = s->o;
	bool damaged = false, found;

	/* Allow the work for this file, once. */
	if (is_new)
		budget_add(s->budget, o->file.size);
	else if (!budget_spend(s->budget, o->file.size))
		return false;
	found = dwarf_units_read(&o->file, false, s->budget, &damaged) &&
		find_in_file(&o->file, s->out);
	if (found) {
		inherit(s->out, s->skeleton);
		found = unit_read_root(s->out, s->budget) && s->out->has_dwo_id;
	}
	seen_add(s->seen, path, found, found ? s->out->dwo_id : 0);
	return found && s->out->dwo_id == s->skeleton->dwo_id;
}

/* Open the .dwo file at a formatted path, if it has the unit. */
static bool try_dwo(const struct split_search *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool
try_dwo(const struct split_search *s, const char *fmt, ...)
{
	char path[PATH_MAX];
	bool is_new;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path) ||
	    !seen_may_have(s->seen, path, s->skeleton->dwo_id, &is_new))
		return false;
	if (!open_split(s->o, s->main, path)) {
		seen_add(s->seen, path, false, 0);
		return false;
	}
	if (read_dwo(s, path, is_new))
		return true;
	dwarf_object_close(s->o);
	return false;
}

static bool
find_dwo(const struct split_search *s)
{
	const char *name = s->skeleton->dwo_name, *dir = s->skeleton->dir;
	const char *last = strrchr(name, '/'), *path = s->main->path;
	int n = dir_length(path);

	if (*name == '/' && try_dwo(s, "%s", name))
		return true;
	if (*name != '/' && ((dir && try_dwo(s, "%s/%s", dir, name)) ||
			     try_dwo(s, "%.*s%s", n, path, name)))
		return true;
	/* The binary and its .dwo files may have been moved together. */
	return try_dwo(s, "%.*s%s", n, path, last ? last + 1 : name);
}

/* Without it all inlined functions are missing, and no sample shows that. */
static void
report_missing(const struct split_search *s)
{
	const char *name = s->skeleton->dwo_name, *dir = s->skeleton->dir;
	bool is_full = *name == '/' || !dir;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s", is_full ? "" : dir,
		 is_full ? "" : "/", name);
	unpack_unread(s->main->budget, path, ENOENT);
}

bool
split_find_unit(const struct dwarf_unit *skeleton, const struct object *main,
		const struct dwarf_object *package, struct split_seen *seen,
		struct dwarf_budget *budget, struct dwarf_object *o,
		struct dwarf_unit *out)
{
	struct split_search s = { skeleton, main, seen, budget, o, out };
	bool found = false;

	*o = (struct dwarf_object){ 0 };
	if (!skeleton->has_dwo_id)
		return false;
	if (package->object.elf &&
	    find_in_package(&package->file, skeleton->dwo_id, out)) {
		inherit(out, skeleton);
		found = unit_read_root(out, budget);
	}
	if (!found)
		found = find_dwo(&s);
	if (found)
		out->base = skeleton->base;
	else
		report_missing(&s);
	return found;
}
