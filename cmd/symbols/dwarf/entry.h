/*
 * entry.h - the attributes of a function, or of an inlined copy of one (DWARF
 * 5, 3.3).
 */
#ifndef DWARF_ENTRY_H
#define DWARF_ENTRY_H

#include "abbrev.h"
#include "form.h"
#include "read.h"

/* The attributes; VALUE_NONE if one is missing. */
struct dwarf_entry {
	struct dwarf_value low, high, ranges;
	struct dwarf_value linkage_name, mips_name, name;
	struct dwarf_value origin; /* its abstract origin or specification */
	struct dwarf_value decl_line, call_file, call_line, call_column;
};

/* Read the attributes of an entry; c is past its code. */
void entry_read(const struct abbrevs *a, const struct abbrev *ab,
		struct cursor *c, struct dwarf_entry *e);

#endif
