/* unit.c - see unit.h. */
#include "config.h"

#include "unit.h"

#include <dwarf.h>
#include <stdlib.h>

#include "abbrev.h"
#include "lib/base/array.h"
#include "lib/base/search.h"

bool
unit_read_header(const struct dwarf_file *f, uint64_t offset,
		 struct dwarf_unit *u)
{
	const uint8_t *start = f->section[DWARF_INFO].data;
	struct cursor c = dwarf_at(f, DWARF_INFO, offset);
	uint64_t length;
	uint16_t version;

	*u = (struct dwarf_unit){ .file = f, .linked = f, .offset = offset };
	length = cursor_length(&c, &u->sizes.offset);
	if (c.bad || length > cursor_left(&c))
		return false;
	c.end = c.p + length;
	u->end = (uint64_t)(c.end - start);
	version = cursor_u16(&c);
	if (version < 2 || version > 5)
		return false;
	u->sizes.version = (uint8_t)version;
	if (u->sizes.version == 5) {
		u->type = cursor_u8(&c);
		u->sizes.addr = cursor_u8(&c);
		u->abbrevs = cursor_number(&c, u->sizes.offset);
		/* A table of offsets begins with its own header. */
		u->str_offsets = u->sizes.offset == 8 ? 16 : 8;
		u->rnglists = u->sizes.offset == 8 ? 20 : 12;
		u->addr = u->sizes.offset == 8 ? 16 : 8;
	} else {
		u->abbrevs = cursor_number(&c, u->sizes.offset);
		u->sizes.addr = cursor_u8(&c);
	}
	switch (u->type) {
	case DW_UT_skeleton:
	case DW_UT_split_compile:
		u->dwo_id = cursor_u64(&c);
		u->has_dwo_id = true;
		break;
	case DW_UT_type:
	case DW_UT_split_type:
		cursor_skip(&c, 8u + u->sizes.offset);
		break;
	}
	u->first = (uint64_t)(c.p - start);
	return !c.bad && u->sizes.addr >= 1 && u->sizes.addr <= 8;
}

static bool
is_offset(const struct dwarf_value *v)
{
	/* DW_FORM_data4 and data8 before DWARF 4. */
	return v->kind == VALUE_OFFSET || v->kind == VALUE_NUMBER;
}

/* String attributes depend on DW_AT_str_offsets_base, which may come last. */
struct root_strings {
	struct dwarf_value dir, dwo_name;
};

static void
take_root(struct dwarf_unit *u, uint64_t name, const struct dwarf_value *v,
	  struct root_strings *s)
{
	switch (name) {
	case DW_AT_comp_dir:
		s->dir = *v;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		s->dwo_name = *v;
		break;
	case DW_AT_GNU_dwo_id:
		u->dwo_id = v->u;
		u->has_dwo_id = true;
		break;
	case DW_AT_stmt_list:
		u->has_lines = is_offset(v);
		u->lines = v->u;
		break;
	case DW_AT_low_pc:
		u->low = *v;
		break;
	case DW_AT_high_pc:
		u->high = *v;
		break;
	case DW_AT_ranges:
		u->range_list = *v;
		break;
	case DW_AT_str_offsets_base:
		u->str_offsets = v->u;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr = v->u;
		break;
	case DW_AT_rnglists_base:
		u->rnglists = v->u;
		break;
	case DW_AT_GNU_ranges_base:
		u->ranges = v->u;
		break;
	}
}

bool
unit_read_root(struct dwarf_unit *u, struct dwarf_budget *budget)
{
	struct cursor c = dwarf_at(u->file, DWARF_INFO, u->first), attrs;
	struct root_strings s = { 0 };
	uint64_t name, form, code;
	const uint8_t *start;
	int64_t constant;

	c.end = u->file->section[DWARF_INFO].data + u->end;
	code = cursor_uleb(&c);
	if (!code ||
	    !abbrev_find(u->file, u->abbrevs, code, budget, &u->tag, &attrs))
		return false;
	start = attrs.p;
	while (abbrev_next_attr(&attrs, &name, &form, &constant)) {
		struct dwarf_value v = form_read(&u->sizes, &c, form, constant);

		take_root(u, name, &v, &s);
	}
	u->dir = unit_string(u, &s.dir);
	u->dwo_name = unit_string(u, &s.dwo_name);
	if (!unit_address(u, &u->low, &u->base))
		u->base = 0;
	return budget_spend(budget, (uint64_t)(attrs.p - start)) && !c.bad &&
	       !attrs.bad;
}

bool
dwarf_units_read(struct dwarf_file *f, bool roots, struct dwarf_budget *budget,
		 bool *damaged)
{
	uint64_t offset = 0, end = f->section[DWARF_INFO].n;
	size_t cap = 0;

	while (offset < end) {
		struct dwarf_unit u;
		bool ok;

		ok = unit_read_header(f, offset, &u);
		if (u.end <= offset) {
			*damaged = true;
			break;
		}
		offset = u.end;
		if (!ok || (roots && !unit_read_root(&u, budget))) {
			*damaged = true;
			continue;
		}
		if (array_reserve(&f->unit, &cap, f->n_unit + 1, sizeof(u)) < 0)
			return false;
		f->unit[f->n_unit++] = u;
	}
	return true;
}

const struct dwarf_unit *
unit_at(const struct dwarf_file *f, uint64_t offset)
{
	size_t lo = search_above(f->unit, f->n_unit, sizeof(*f->unit),
				 offsetof(struct dwarf_unit, end), offset);

	return lo < f->n_unit && f->unit[lo].first <= offset ? &f->unit[lo]
							     : NULL;
}

/* The index-th number of a table in section s that begins at base. */
static bool
table_number(const struct dwarf_file *f, enum dwarf_section s, uint64_t base,
	     uint64_t index, unsigned size, uint64_t *out)
{
	struct cursor c = dwarf_at(f, s, base);

	if (index > cursor_left(&c) / size)
		return false;
	cursor_skip(&c, index * size);
	*out = cursor_number(&c, size);
	return !c.bad;
}

const char *
unit_string(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	uint64_t offset;

	switch (v->kind) {
	case VALUE_STRING:
		return v->string;
	case VALUE_STR:
		return dwarf_string(u->file, DWARF_STR, v->u);
	case VALUE_LINE_STR:
		return dwarf_string(u->file, DWARF_LINE_STR, v->u);
	case VALUE_STR_SUP:
		return u->file->sup
			       ? dwarf_string(u->file->sup, DWARF_STR, v->u)
			       : NULL;
	case VALUE_STR_INDEX:
		if (!table_number(u->file, DWARF_STR_OFFSETS, u->str_offsets,
				  v->u, u->sizes.offset, &offset))
			return NULL;
		return dwarf_string(u->file, DWARF_STR, offset);
	default:
		return NULL;
	}
}

bool
unit_address(const struct dwarf_unit *u, const struct dwarf_value *v,
	     uint64_t *out)
{
	if (v->kind == VALUE_ADDR_INDEX)
		return table_number(u->linked, DWARF_ADDR, u->addr, v->u,
				    u->sizes.addr, out);
	*out = v->u;
	return v->kind == VALUE_ADDR;
}
