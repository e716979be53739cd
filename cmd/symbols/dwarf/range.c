/* range.c - see range.h. */
#include "config.h"

#include "range.h"

#include <dwarf.h>

/* Find the beginning of the list that an attribute names. false: it is
 * invalid. */
static bool
list_begin(struct dwarf_ranges *r, const struct dwarf_value *list)
{
	const struct dwarf_unit *u = r->unit;
	uint64_t offset = list->u;

	if (list->kind == VALUE_RNGLIST_INDEX) {
		struct cursor c =
			dwarf_at(u->file, DWARF_RNGLISTS, u->rnglists);

		if (offset > cursor_left(&c) / u->sizes.offset)
			return false;
		cursor_skip(&c, offset * u->sizes.offset);
		offset = cursor_number(&c, u->sizes.offset);
		if (c.bad || offset > UINT64_MAX - u->rnglists)
			return false;
		offset += u->rnglists;
	} else if (list->kind != VALUE_OFFSET && list->kind != VALUE_NUMBER) {
		return false;
	}
	if (u->sizes.version < 5) {
		r->kind = RANGES_OLD;
		/* The base applies to split units, not to the skeleton. */
		if (u->file != u->linked)
			offset += u->ranges;
		r->c = dwarf_at(u->linked, DWARF_RANGES, offset);
	} else {
		r->kind = RANGES_NEW;
		r->c = dwarf_at(u->file, DWARF_RNGLISTS, offset);
	}
	return true;
}

void
ranges_begin(struct dwarf_ranges *r, const struct dwarf_unit *u,
	     const struct dwarf_value *low, const struct dwarf_value *high,
	     const struct dwarf_value *list)
{
	*r = (struct dwarf_ranges){ .unit = u, .base = u->base };
	if (list->kind != VALUE_NONE) {
		if (!list_begin(r, list))
			r->c.bad = true;
		return;
	}
	if (!unit_address(u, low, &r->start) || high->kind == VALUE_NONE)
		return;
	r->kind = RANGES_ONE;
	if (high->kind == VALUE_NUMBER)
		r->end = r->start + high->u;
	else if (!unit_address(u, high, &r->end))
		r->kind = RANGES_DONE;
}

/*
 * Linkers write the largest address for discarded code; as a base, it would
 * wrap around to existing code.
 */
static uint64_t
largest(const struct dwarf_ranges *r)
{
	return UINT64_MAX >> (64 - 8 * r->unit->sizes.addr);
}

static bool
next_old(struct dwarf_ranges *r, uint64_t *start, uint64_t *end)
{
	unsigned size = r->unit->sizes.addr;
	uint64_t max = largest(r);

	for (;;) {
		*start = cursor_number(&r->c, size);
		*end = cursor_number(&r->c, size);
		if (r->c.bad || (*start == 0 && *end == 0))
			return false;
		if (*start == max) {
			r->base = *end;
		} else if (r->base != max) {
			*start += r->base;
			*end += r->base;
			return true;
		}
	}
}

static uint64_t
indexed(struct dwarf_ranges *r)
{
	struct dwarf_value v = { VALUE_ADDR_INDEX, cursor_uleb(&r->c), NULL };
	uint64_t a = 0;

	if (!unit_address(r->unit, &v, &a))
		cursor_fail(&r->c);
	return a;
}

static bool
next_new(struct dwarf_ranges *r, uint64_t *start, uint64_t *end)
{
	unsigned size = r->unit->sizes.addr;

	while (!r->c.bad) {
		switch (cursor_u8(&r->c)) {
		case DW_RLE_end_of_list:
			return false;
		case DW_RLE_base_addressx:
			r->base = indexed(r);
			continue;
		case DW_RLE_base_address:
			r->base = cursor_number(&r->c, size);
			continue;
		case DW_RLE_startx_endx:
			*start = indexed(r);
			*end = indexed(r);
			break;
		case DW_RLE_startx_length:
			*start = indexed(r);
			*end = *start + cursor_uleb(&r->c);
			break;
		case DW_RLE_offset_pair:
			*start = r->base + cursor_uleb(&r->c);
			*end = r->base + cursor_uleb(&r->c);
			if (r->base == largest(r))
				continue;
			break;
		case DW_RLE_start_end:
			*start = cursor_number(&r->c, size);
			*end = cursor_number(&r->c, size);
			break;
		case DW_RLE_start_length:
			*start = cursor_number(&r->c, size);
			*end = *start + cursor_uleb(&r->c);
			break;
		default:
			cursor_fail(&r->c);
		}
		return !r->c.bad;
	}
	return false;
}

bool
ranges_next(struct dwarf_ranges *r, uint64_t *start, uint64_t *end)
{
	bool more = false;

	switch (r->kind) {
	case RANGES_DONE:
		break;
	case RANGES_ONE:
		r->kind = RANGES_DONE;
		*start = r->start;
		*end = r->end;
		return true;
	case RANGES_OLD:
		more = next_old(r, start, end);
		break;
	case RANGES_NEW:
		more = next_new(r, start, end);
		break;
	}
	if (!more)
		r->kind = RANGES_DONE;
	return more;
}
