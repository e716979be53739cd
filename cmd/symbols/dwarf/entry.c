/* entry.c - see entry.h. */
#include "config.h"

#include "entry.h"

#include <dwarf.h>

void
entry_read(const struct abbrevs *a, const struct abbrev *ab, struct cursor *c,
	   struct dwarf_entry *e)
{
	const struct abbrev_attr *attr = &a->attr[ab->attr];
	struct dwarf_value specification = { 0 };

	*e = (struct dwarf_entry){ 0 };
	for (uint32_t i = 0; i < ab->n_attr; i++) {
		struct dwarf_value v =
			form_read(&a->sizes, c, attr[i].form, attr[i].constant);

		switch (attr[i].name) {
		case DW_AT_low_pc:
			e->low = v;
			break;
		case DW_AT_high_pc:
			e->high = v;
			break;
		case DW_AT_ranges:
			e->ranges = v;
			break;
		case DW_AT_linkage_name:
			e->linkage_name = v;
			break;
		case DW_AT_MIPS_linkage_name:
			e->mips_name = v;
			break;
		case DW_AT_name:
			e->name = v;
			break;
		case DW_AT_abstract_origin:
			e->origin = v;
			break;
		case DW_AT_specification:
			specification = v;
			break;
		case DW_AT_decl_line:
			e->decl_line = v;
			break;
		case DW_AT_call_file:
			e->call_file = v;
			break;
		case DW_AT_call_line:
			e->call_line = v;
			break;
		case DW_AT_call_column:
			e->call_column = v;
			break;
		}
	}
	if (e->origin.kind == VALUE_NONE)
		e->origin = specification;
}
