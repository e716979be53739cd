/*
 * symbolize-die.c - see symbolize-die.h. libdw has no way to step to the next
 * entry but to find the sibling of one, and where the compiler wrote no
 * DW_AT_sibling (clang never does) that reads the children of every entry
 * again at each level. Here an entry is stepped over by the sizes of its
 * forms, runs of which are joined when the abbreviation is read.
 */
#include "config.h"

#include "symbolize-die.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum step_kind {
	STEP_BYTES, /* skip n bytes */
	STEP_LEB,   /* a LEB128 number */
	STEP_STRING,
	STEP_BLOCK,     /* a length of n bytes, and so many bytes */
	STEP_BLOCK_LEB, /* the length is a LEB128 number */
	STEP_INDIRECT,  /* a form, as LEB128, and what that is */
};

int
array_grow(void *array, size_t *cap, size_t n, size_t size)
{
	void *old, *p;
	size_t want = *cap ? *cap * 2 : 64;

	if (n < *cap)
		return 0;
	memcpy(&old, array, sizeof(old));
	p = reallocarray(old, want, size);
	if (!p)
		return -1;
	memcpy(array, &p, sizeof(p));
	*cap = want;
	return 0;
}

bool
work_spend(uint64_t *work, uint64_t n)
{
	if (*work < n) {
		*work = 0;
		return false;
	}
	*work -= n;
	return true;
}

/* --- abbreviations --- */

/* What to skip for one attribute of this form; -1 for an unknown one. */
static int
form_step(const struct abbrevs *a, unsigned form, struct step *out)
{
	*out = (struct step){ STEP_BYTES, 0 };
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		out->n = 1;
		break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		out->n = 2;
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		out->n = 3;
		break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		out->n = 4;
		break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		out->n = 8;
		break;
	case DW_FORM_data16:
		out->n = 16;
		break;
	case DW_FORM_addr:
		out->n = a->addr_size;
		break;
	case DW_FORM_ref_addr: /* an address in DWARF 2 only */
		out->n = a->version <= 2 ? a->addr_size : a->offset_size;
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		out->n = a->offset_size;
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
		out->kind = STEP_LEB;
		break;
	case DW_FORM_string:
		out->kind = STEP_STRING;
		break;
	case DW_FORM_block1:
		*out = (struct step){ STEP_BLOCK, 1 };
		break;
	case DW_FORM_block2:
		*out = (struct step){ STEP_BLOCK, 2 };
		break;
	case DW_FORM_block4:
		*out = (struct step){ STEP_BLOCK, 4 };
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		out->kind = STEP_BLOCK_LEB;
		break;
	case DW_FORM_indirect:
		out->kind = STEP_INDIRECT;
		break;
	default:
		return -1;
	}
	return 0;
}

/* Append the steps over one abbreviation's attributes, runs of bytes joined. */
static enum prof_status
add_abbrev(struct abbrevs *a, Dwarf_Abbrev *from, uint64_t *work)
{
	struct abbrev *to;
	bool has_pc = false;
	unsigned name, form;

	if (array_grow(&a->abbrev, &a->cap, a->n, sizeof(*a->abbrev)) < 0)
		return PROF_ENOMEM;
	to = &a->abbrev[a->n];
	*to = (struct abbrev){
		.code = dwarf_getabbrevcode(from),
		.tag = dwarf_getabbrevtag(from),
		.step = (uint32_t)a->n_step,
		.has_children = dwarf_abbrevhaschildren(from) == 1,
	};
	/*
	 * Not up to dwarf_getattrcnt(): elfutils 0.188 counts the constants of
	 * DW_FORM_implicit_const as attributes.
	 */
	for (size_t i = 0;
	     dwarf_getabbrevattr(from, i, &name, &form, NULL) == 0; i++) {
		struct step *last =
			a->n_step > to->step ? &a->step[a->n_step - 1] : NULL;
		struct step step;

		/* The i-th is found by reading all before it. */
		if (!work_spend(work, i + 1) || form_step(a, form, &step) < 0)
			return PROF_EFORMAT;
		has_pc |= name == DW_AT_low_pc || name == DW_AT_ranges;
		if (step.kind == STEP_BYTES && step.n == 0)
			continue;
		if (last && last->kind == STEP_BYTES &&
		    step.kind == STEP_BYTES) {
			last->n += step.n;
			continue;
		}
		if (array_grow(&a->step, &a->cap_step, a->n_step,
			       sizeof(step)) < 0)
			return PROF_ENOMEM;
		a->step[a->n_step++] = step;
	}
	to->n_step = (uint32_t)a->n_step - to->step;
	to->has_code = has_pc && (to->tag == DW_TAG_subprogram ||
				  to->tag == DW_TAG_inlined_subroutine);
	a->n++;
	return PROF_OK;
}

static int
cmp_abbrev(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;

	return (x->code > y->code) - (x->code < y->code);
}

enum prof_status
abbrevs_read(struct abbrevs *a, Dwarf_Die *cudie, uint64_t *work)
{
	Dwarf *dw = dwarf_cu_getdwarf(cudie->cu);
	uint8_t addr_size, offset_size;
	Dwarf_Off at, offset = 0;
	Dwarf_Half version;
	Dwarf_Abbrev *from;
	GElf_Ehdr ehdr;
	Dwarf_Die die;
	enum prof_status st;
	bool sorted = true;
	size_t len = 0;

	if (!dwarf_cu_die(cudie->cu, &die, &version, &at, &addr_size,
			  &offset_size, NULL, NULL) ||
	    !gelf_getehdr(dwarf_getelf(dw), &ehdr))
		return PROF_EFORMAT;
	if (a->dw == dw && a->offset == at && a->version == version &&
	    a->addr_size == addr_size && a->offset_size == offset_size)
		return PROF_OK;
	a->n = a->n_step = 0;
	a->version = (uint8_t)version;
	a->addr_size = addr_size;
	a->offset_size = offset_size;
	a->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	a->dw = NULL;
	while ((from = dwarf_getabbrev(&die, offset, &len)) !=
	       DWARF_END_ABBREV) {
		if (!from || len == 0)
			return PROF_EFORMAT;
		st = add_abbrev(a, from, work);
		if (st != PROF_OK)
			return st;
		if (a->n > 1 &&
		    a->abbrev[a->n - 1].code <= a->abbrev[a->n - 2].code)
			sorted = false;
		offset += len;
	}
	if (!sorted)
		qsort(a->abbrev, a->n, sizeof(*a->abbrev), cmp_abbrev);
	a->dw = dw;
	a->offset = at;
	return PROF_OK;
}

void
abbrevs_release(struct abbrevs *a)
{
	free(a->abbrev);
	free(a->step);
	*a = (struct abbrevs){ 0 };
}

static const struct abbrev *
find_abbrev(const struct abbrevs *a, uint64_t code)
{
	struct abbrev key = { .code = (uint32_t)code };

	/* Compilers number them from 1. */
	if (code <= a->n && a->abbrev[code - 1].code == code)
		return &a->abbrev[code - 1];
	if (code > UINT32_MAX || a->n == 0)
		return NULL;
	return bsearch(&key, a->abbrev, a->n, sizeof(key), cmp_abbrev);
}

/* --- stepping over entries; false at the end of the bytes --- */

static bool
read_leb(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end; shift += 7) {
		uint8_t b = *(*p)++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*out = v;
			return true;
		}
	}
	return false;
}

static bool
skip_bytes(const uint8_t **p, const uint8_t *end, uint64_t n)
{
	if ((uint64_t)(end - *p) < n)
		return false;
	*p += n;
	return true;
}

static bool
skip_step(const struct abbrevs *a, const struct step *step, const uint8_t **p,
	  const uint8_t *end)
{
	struct step other;
	uint64_t v = 0;

	switch (step->kind) {
	case STEP_BYTES:
		return skip_bytes(p, end, step->n);
	case STEP_LEB:
		return read_leb(p, end, &v);
	case STEP_STRING: {
		const uint8_t *nul = memchr(*p, 0, (size_t)(end - *p));

		if (nul)
			*p = nul + 1;
		return nul != NULL;
	}
	case STEP_BLOCK:
		if ((size_t)(end - *p) < step->n)
			return false;
		for (uint32_t i = 0; i < step->n; i++) {
			uint32_t at = a->big_endian ? i : step->n - 1 - i;

			v = v << 8 | (*p)[at];
		}
		*p += step->n;
		return skip_bytes(p, end, v);
	case STEP_BLOCK_LEB:
		return read_leb(p, end, &v) && skip_bytes(p, end, v);
	case STEP_INDIRECT:
		/* Not twice, or nothing would bound the depth. */
		return read_leb(p, end, &v) && v <= UINT32_MAX &&
		       form_step(a, (unsigned)v, &other) == 0 &&
		       other.kind != STEP_INDIRECT &&
		       skip_step(a, &other, p, end);
	}
	return false;
}

bool
abbrevs_step(const struct abbrevs *a, const uint8_t **p, const uint8_t *end,
	     const struct abbrev **out)
{
	const struct abbrev *ab;
	uint64_t code;

	*out = NULL;
	if (!read_leb(p, end, &code))
		return false;
	if (code == 0)
		return true;
	ab = find_abbrev(a, code);
	if (!ab)
		return false;
	for (uint32_t i = 0; i < ab->n_step; i++)
		if (!skip_step(a, &a->step[ab->step + i], p, end))
			return false;
	*out = ab;
	return true;
}
