/* form.c - see form.h. */
#include "config.h"

#include "form.h"

#include <dwarf.h>

bool
form_shape(const struct dwarf_sizes *s, uint64_t form, enum form_kind *kind,
	   uint32_t *size)
{
	*kind = FORM_FIXED;
	*size = 0;
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		*size = 1;
		break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		*size = 2;
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		*size = 3;
		break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		*size = 4;
		break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		*size = 8;
		break;
	case DW_FORM_data16:
		*size = 16;
		break;
	case DW_FORM_addr:
		*size = s->addr;
		break;
	case DW_FORM_ref_addr: /* an address in DWARF 2 only */
		*size = s->version <= 2 ? s->addr : s->offset;
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		*size = s->offset;
		break;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		*kind = FORM_LEB;
		break;
	case DW_FORM_string:
		*kind = FORM_STRING;
		break;
	case DW_FORM_block1:
		*kind = FORM_BLOCK1;
		break;
	case DW_FORM_block2:
		*kind = FORM_BLOCK2;
		break;
	case DW_FORM_block4:
		*kind = FORM_BLOCK4;
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		*kind = FORM_BLOCK_LEB;
		break;
	case DW_FORM_indirect:
		*kind = FORM_INDIRECT;
		break;
	default:
		return false;
	}
	return true;
}

void
form_skip(const struct dwarf_sizes *s, struct cursor *c, enum form_kind kind)
{
	uint32_t size;

	switch (kind) {
	case FORM_FIXED:
		break;
	case FORM_LEB:
		while (c->p < c->end)
			if (!(*c->p++ & 0x80))
				return;
		c->bad = true;
		break;
	case FORM_STRING:
		cursor_string(c);
		break;
	case FORM_BLOCK1:
		cursor_skip(c, cursor_u8(c));
		break;
	case FORM_BLOCK2:
		cursor_skip(c, cursor_u16(c));
		break;
	case FORM_BLOCK4:
		cursor_skip(c, cursor_u32(c));
		break;
	case FORM_BLOCK_LEB:
		cursor_skip(c, cursor_uleb(c));
		break;
	case FORM_INDIRECT:
		/* Not nested, which would make the depth unbounded. */
		if (!form_shape(s, cursor_uleb(c), &kind, &size) ||
		    kind == FORM_INDIRECT)
			cursor_fail(c);
		else if (kind == FORM_FIXED)
			cursor_skip(c, size);
		else
			form_skip(s, c, kind);
		break;
	}
}

/* The properties of a form that do not depend on its bytes. */
static enum value_kind
value_kind(uint64_t form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_flag:
		return VALUE_NUMBER;
	case DW_FORM_addr:
		return VALUE_ADDR;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return VALUE_ADDR_INDEX;
	case DW_FORM_strp:
		return VALUE_STR;
	case DW_FORM_line_strp:
		return VALUE_LINE_STR;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return VALUE_STR_SUP;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return VALUE_STR_INDEX;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return VALUE_REF_UNIT;
	case DW_FORM_ref_addr:
		return VALUE_REF;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		return VALUE_REF_SUP;
	case DW_FORM_sec_offset:
		return VALUE_OFFSET;
	case DW_FORM_rnglistx:
		return VALUE_RNGLIST_INDEX;
	default:
		return VALUE_NONE;
	}
}

struct dwarf_value
form_read(const struct dwarf_sizes *s, struct cursor *c, uint64_t form,
	  int64_t constant)
{
	struct dwarf_value v = { VALUE_NONE, 0, NULL };
	enum form_kind kind;
	uint32_t size;

	switch (form) {
	case DW_FORM_indirect:
		form = cursor_uleb(c);
		/* Not nested, and an indirect form has no constant. */
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			cursor_fail(c);
		else
			v = form_read(s, c, form, 0);
		return v;
	case DW_FORM_implicit_const:
		v.kind = VALUE_NUMBER;
		v.u = (uint64_t)constant;
		return v;
	case DW_FORM_flag_present:
		v.kind = VALUE_NUMBER;
		v.u = 1;
		return v;
	case DW_FORM_sdata:
		v.kind = VALUE_NUMBER;
		v.u = (uint64_t)cursor_sleb(c);
		return v;
	case DW_FORM_string:
		v.kind = VALUE_STRING;
		v.string = cursor_string(c);
		return v;
	}
	if (!form_shape(s, form, &kind, &size)) {
		cursor_fail(c);
		return v;
	}
	v.kind = value_kind(form);
	if (v.kind == VALUE_NONE && kind != FORM_FIXED)
		form_skip(s, c, kind);
	else if (v.kind == VALUE_NONE)
		cursor_skip(c, size);
	else if (kind == FORM_LEB)
		v.u = cursor_uleb(c);
	else
		v.u = cursor_number(c, size);
	return v;
}
