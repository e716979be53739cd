/*
 * range.h - the ranges of addresses that an entry covers: DW_AT_low_pc
 * with DW_AT_high_pc, or a list in .debug_ranges (DWARF 4, 2.17.3) or
 * .debug_rnglists (DWARF 5, 2.17.3).
 */
#ifndef DWARF_RANGE_H
#define DWARF_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "unit.h"

struct dwarf_ranges {
	const struct dwarf_unit *unit;
	struct cursor c;
	uint64_t base;
	enum {
		RANGES_DONE,
		RANGES_ONE,
		RANGES_OLD,
		RANGES_NEW,
	} kind;
	uint64_t start, end; /* of RANGES_ONE */
};

/*
 * Begin with the attributes DW_AT_low_pc, DW_AT_high_pc and DW_AT_ranges of an
 * entry; VALUE_NONE if one is missing.
 */
void ranges_begin(struct dwarf_ranges *r, const struct dwarf_unit *u,
		  const struct dwarf_value *low, const struct dwarf_value *high,
		  const struct dwarf_value *list);

/* The next one, its end exclusive. false after the last; r->c.bad: damaged. */
bool ranges_next(struct dwarf_ranges *r, uint64_t *start, uint64_t *end);

#endif
