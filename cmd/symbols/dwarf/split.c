/* split.c - see split.h. */
#include "config.h"

#include "split.h"

#include <dwarf.h>
#include <gelf.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbols/elf/symtab.h"

#define MAX_SECTIONS 64 /* columns of a package's index */

void
dwarf_object_close(struct dwarf_object *o)
{
	dwarf_file_release(&o->file);
	object_close(&o->object);
}

/* Open the file at a path that is printed. */
static bool open_path(struct dwarf_object *o, bool dwo, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool
open_path(struct dwarf_object *o, bool dwo, const char *fmt, ...)
{
	va_list ap;
	bool is_open;

	*o = (struct dwarf_object){ 0 };
	va_start(ap, fmt);
	is_open = object_open_at(&o->object, fmt, ap);
	va_end(ap);
	if (!is_open)
		return false;
	if (dwarf_file_init(&o->file, o->object.elf, dwo))
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

/* --- supplementary files --- */

struct link {
	const char *name;
	char id[NOTE_BUILD_ID_TEXT];
};

static bool
read_link(Elf *elf, struct link *out)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(elf, ".gnu_debugaltlink", 0, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const uint8_t *id;
	size_t n;

	if (!data || !data->d_buf)
		return false;
	out->name = data->d_buf;
	id = memchr(data->d_buf, 0, data->d_size);
	if (!id || !*out->name)
		return false;
	id++;
	n = data->d_size - (size_t)(id - (const uint8_t *)data->d_buf);
	if (n < 2 || n > NOTE_MAX_BUILD_ID)
		return false;
	for (size_t i = 0; i < n; i++)
		snprintf(out->id + 2 * i, 3, "%02x", id[i]);
	return true;
}

/* Open the object of this build-id at a path that is printed. */
static bool open_id(struct object *o, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool
open_id(struct object *o, const char *id, const char *fmt, ...)
{
	va_list ap;
	bool is_open;

	va_start(ap, fmt);
	is_open = object_open_at(o, fmt, ap);
	va_end(ap);
	if (is_open && !strcmp(o->build_id, id))
		return true;
	if (is_open)
		object_close(o);
	return false;
}

bool
split_find_sup(struct object *o, const struct object *main)
{
	const char *path = main->path;
	struct link link;

	*o = (struct object){ .fd = -1 };
	if (!read_link(main->elf, &link))
		return false;
	if (*link.name == '/' ? open_id(o, link.id, "%s", link.name)
			      : open_id(o, link.id, "%.*s%s", dir_length(path),
					path, link.name))
		return true;
	return open_id(o, link.id, "/usr/lib/debug/.build-id/%.2s/%s.debug",
		       link.id, link.id + 2);
}

bool
split_open_sup(struct dwarf_object *o, const struct object *main)
{
	*o = (struct dwarf_object){ 0 };
	if (!split_find_sup(&o->object, main))
		return false;
	if (dwarf_file_init(&o->file, o->object.elf, false))
		return true;
	dwarf_object_close(o);
	return false;
}

/* --- packages --- */

bool
split_open_package(struct dwarf_object *o, const struct object *main)
{
	return open_path(o, true, "%s.dwp", main->path);
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
	/* What a column is, by the numbers of 7.3.5.3. */
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

/* The one unit of a .dwo file that is no type. */
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

/* What a skeleton says for its split unit (3.1.3). */
static void
inherit(struct dwarf_unit *u, const struct dwarf_unit *skeleton)
{
	u->linked = skeleton->file;
	u->addr = skeleton->addr;
	u->ranges = skeleton->ranges;
}

static bool
open_dwo(const struct dwarf_unit *skeleton, struct dwarf_budget *budget,
	 struct dwarf_object *o, struct dwarf_unit *out)
{
	bool damaged = false;

	/* There is more to do than for the linked file alone. */
	budget_add(budget, o->file.size);
	if (dwarf_units_read(&o->file, false, budget, &damaged) &&
	    find_in_file(&o->file, out)) {
		inherit(out, skeleton);
		if (unit_read_root(out, budget) && out->has_dwo_id &&
		    out->dwo_id == skeleton->dwo_id)
			return true;
	}
	dwarf_object_close(o);
	return false;
}

/* Open the file of split units at a path that is printed, if it is the one. */
#define TRY_DWO(...)                                                           \
	(open_path(o, true, __VA_ARGS__) && open_dwo(skeleton, budget, o, out))

static bool
find_dwo(const struct dwarf_unit *skeleton, const char *path,
	 struct dwarf_budget *budget, struct dwarf_object *o,
	 struct dwarf_unit *out)
{
	const char *name = skeleton->dwo_name, *dir = skeleton->dir;
	const char *last = strrchr(name, '/');
	int n = dir_length(path);

	if (*name == '/' && TRY_DWO("%s", name))
		return true;
	if (*name != '/' && ((dir && TRY_DWO("%s/%s", dir, name)) ||
			     TRY_DWO("%.*s%s", n, path, name)))
		return true;
	/* Moved together. */
	return TRY_DWO("%.*s%s", n, path, last ? last + 1 : name);
}

bool
split_find_unit(const struct dwarf_unit *skeleton, const struct object *main,
		const struct dwarf_object *package, struct dwarf_budget *budget,
		struct dwarf_object *o, struct dwarf_unit *out)
{
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
		found = find_dwo(skeleton, main->path, budget, o, out);
	if (found)
		out->base = skeleton->base;
	return found;
}
