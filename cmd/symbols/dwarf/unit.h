/*
 * unit.h - units of .debug_info: their headers (DWARF 5, 7.5.1), the attributes
 * of their first entries, and the values that their attributes refer to.
 */
#ifndef DWARF_UNIT_H
#define DWARF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "file.h"
#include "form.h"

struct dwarf_unit {
	const struct dwarf_file *file;
	/* The file with addresses and, up to DWARF 4, ranges of a unit in a
	 * .dwo file; else the same as file. */
	const struct dwarf_file *linked;
	struct dwarf_sizes sizes;
	uint8_t type;     /* DW_UT_*; 0 before DWARF 5 */
	uint64_t offset;  /* of its header in .debug_info */
	uint64_t first;   /* ... of its first entry */
	uint64_t end;     /* ... of its end */
	uint64_t abbrevs; /* of its table in .debug_abbrev */
	uint64_t tag;     /* of its first entry; 0: not read */
	uint64_t dwo_id;  /* links it with its split unit */
	bool has_dwo_id;
	const char *dir;      /* where it was compiled; NULL: unknown */
	const char *dwo_name; /* of a skeleton, else NULL */
	bool has_lines;
	uint64_t lines; /* in .debug_line */

	/* Where its part of these sections begins. */
	uint64_t str_offsets, addr, rnglists, ranges;

	/* Its code; see range.h. */
	struct dwarf_value low, high, range_list;
	uint64_t base; /* of range lists */
};

/*
 * Read the headers, and with roots the first entries, of all units of
 * .debug_info into f->unit. Damaged units are left out, and *damaged set. false
 * without memory.
 */
bool dwarf_units_read(struct dwarf_file *f, bool roots,
		      struct dwarf_budget *budget, bool *damaged) MUST_USE;

/* Read the header of the unit at offset. false: damaged. */
bool unit_read_header(const struct dwarf_file *f, uint64_t offset,
		      struct dwarf_unit *u) MUST_USE;

/*
 * Read the first entry. Set str_offsets and rnglists before, unless they are
 * the beginning of the section.
 */
bool unit_read_root(struct dwarf_unit *u, struct dwarf_budget *budget) MUST_USE;

/* The unit that contains the entry at offset of .debug_info; or NULL. */
const struct dwarf_unit *unit_at(const struct dwarf_file *f, uint64_t offset);

/* The string of an attribute; NULL: none. */
const char *unit_string(const struct dwarf_unit *u,
			const struct dwarf_value *v);

/* The address of an attribute. false: it is none, or invalid. */
bool unit_address(const struct dwarf_unit *u, const struct dwarf_value *v,
		  uint64_t *out);

#endif
