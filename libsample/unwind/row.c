/*
 * row.c - run the call frame instructions of DWARF 5 section 6.4. A sink
 * receives every state that they produce, or only searches that of one address.
 * All functions may run in a signal handler.
 *
 * rbx is tracked for the dynamic linker, which counts the CFA from it while it
 * resolves a PLT entry. For r12 to r15 only one bit is kept: whether all are
 * still the caller's. OpenSSL's AES-GCM counts the CFA from r15 while it calls
 * helpers that do not change them.
 */
#include "config.h"

#include <string.h>

#include "row.h"

#define N_REMEMBER 3 /* no linked code seen needs two */

enum {
	CFA_nop = 0x00,
	CFA_set_loc = 0x01,
	CFA_advance_loc1 = 0x02,
	CFA_advance_loc2 = 0x03,
	CFA_advance_loc4 = 0x04,
	CFA_offset_extended = 0x05,
	CFA_restore_extended = 0x06,
	CFA_undefined = 0x07,
	CFA_same_value = 0x08,
	CFA_register = 0x09,
	CFA_remember_state = 0x0a,
	CFA_restore_state = 0x0b,
	CFA_def_cfa = 0x0c,
	CFA_def_cfa_register = 0x0d,
	CFA_def_cfa_offset = 0x0e,
	CFA_def_cfa_expression = 0x0f,
	CFA_expression = 0x10,
	CFA_offset_extended_sf = 0x11,
	CFA_def_cfa_sf = 0x12,
	CFA_def_cfa_offset_sf = 0x13,
	CFA_val_offset = 0x14,
	CFA_val_offset_sf = 0x15,
	CFA_val_expression = 0x16,
	CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
	CFA_AARCH64_negate_ra_state = 0x2d,
	CFA_GNU_args_size = 0x2e,
	CFA_GNU_negative_offset_extended = 0x2f,
	CFA_advance_loc = 0x40,
	CFA_offset = 0x80,
	CFA_restore = 0xc0,
};

bool
unwind_row_pack(const struct row_state *s, bool signal, uint32_t *word)
{
	*word = WORD_NONE;
	if (!signal && arch_pack(&s->cfa, s->reg, !s->moved, word))
		return true;
	return s->cfa.kind == LOC_DEFAULT &&
	       s->reg[TRACK_RA].kind != LOC_UNDEFINED;
}

void
unwind_row_rule(const struct row_state *s, bool signal, const uint8_t *expr,
		struct unwind_rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	rule->cfa = s->cfa;
	memcpy(rule->reg, s->reg, sizeof(rule->reg));
	rule->keeps = !s->moved;
	if (signal)
		rule->signal = arch_is_kernel_frame(&s->cfa, expr)
				       ? SIGNAL_KERNEL
				       : SIGNAL_OTHER;
}

/* The index in row_state.reg of DWARF register reg, or N_TRACK. */
static enum unwind_track
tracked(uint64_t reg)
{
	switch (reg) {
	case DW_BASE:
		return TRACK_BASE;
	case DW_FP:
		return TRACK_FP;
	case DW_SP:
		return TRACK_SP;
	case DW_RA:
		return TRACK_RA;
	case DW_LAST:
		return TRACK_LAST;
	}
	return N_TRACK;
}

/* Note whether a rule changes a register that f->kept has. */
static void
set_moved(struct row_state *s, uint64_t reg, bool moved)
{
	if (reg < DW_KEPT || reg > DW_KEPT_LAST)
		return;
	if (moved)
		s->moved |= 1u << (reg - DW_KEPT);
	else
		s->moved &= ~(1u << (reg - DW_KEPT));
}

static void
set_loc(struct in *in, struct row_state *s, uint64_t reg,
	enum unwind_loc_kind kind, int64_t off)
{
	enum unwind_track t = tracked(reg);

	set_moved(s, reg, true);
	if (t == N_TRACK)
		return;
	if (off < INT32_MIN || off > INT32_MAX)
		in->bad = true;
	s->reg[t] = (struct unwind_loc){ .kind = (uint8_t)kind,
					 .off = (int32_t)off };
}

/* Set l to the value of a register plus off. */
static void
set_reg(struct in *in, struct unwind_loc *l, uint64_t reg, int64_t off)
{
	if (reg >= DW_N_REG || off < INT32_MIN || off > INT32_MAX)
		in->bad = true;
	else
		*l = (struct unwind_loc){ .kind = LOC_REG,
					  .reg = (uint8_t)reg,
					  .off = (int32_t)off };
}

static void
restore(const struct row_cie *cie, struct row_state *s, uint64_t reg)
{
	enum unwind_track t = tracked(reg);

	set_moved(s, reg, false);
	if (t != N_TRACK)
		s->reg[t] = cie->initial.reg[t];
}

/* Read a block, length first, as the expression of l; NULL skips it. */
static void
set_expr(struct row_sink *to, struct in *in, struct unwind_loc *l,
	 enum unwind_loc_kind kind)
{
	uint64_t n = in_uleb(in);
	const uint8_t *e = in->p;
	int32_t at;

	in_skip(in, n);
	if (in->bad || !l)
		return;
	if (n > UINT16_MAX || !unwind_expr_check(e, n) ||
	    !to->keep(to, e, n, &at)) {
		in->bad = true;
		return;
	}
	*l = (struct unwind_loc){ .kind = (uint8_t)kind,
				  .n_expr = (uint16_t)n,
				  .off = at };
}

/* Run an instruction of the form register, offset: where a register is. */
static bool
run_offset(const struct row_cie *cie, struct in *in, struct row_state *s,
	   uint8_t op)
{
	enum unwind_loc_kind kind = LOC_CFA_MEM;
	uint64_t reg, n;

	switch (op) {
	case CFA_val_offset:
	case CFA_val_offset_sf:
		kind = LOC_CFA_VAL;
		break;
	case CFA_offset_extended:
	case CFA_offset_extended_sf:
	case CFA_GNU_negative_offset_extended:
		break;
	default:
		return false;
	}
	reg = in_uleb(in);
	n = in_leb(in, op == CFA_offset_extended_sf || op == CFA_val_offset_sf);
	if (op == CFA_GNU_negative_offset_extended)
		n = -n;
	set_loc(in, s, reg, kind, (int64_t)(n * (uint64_t)cie->data_align));
	return true;
}

/* Run another instruction about a register; false: not one of them. */
static bool
run_register(struct row_sink *to, const struct row_cie *cie, struct in *in,
	     struct row_state *s, uint8_t op)
{
	struct unwind_loc *l;
	uint64_t reg;
	enum unwind_track t;

	if (op < CFA_restore_extended || op == CFA_remember_state ||
	    op == CFA_restore_state ||
	    (op > CFA_register && op != CFA_expression &&
	     op != CFA_val_expression))
		return false;
	reg = in_uleb(in);
	t = tracked(reg);
	l = t == N_TRACK ? NULL : &s->reg[t];
	set_moved(s, reg, op != CFA_same_value);
	switch (op) {
	case CFA_restore_extended:
		restore(cie, s, reg);
		break;
	case CFA_undefined:
		set_loc(in, s, reg, LOC_UNDEFINED, 0);
		break;
	case CFA_same_value:
		if (l)
			set_reg(in, l, reg, 0);
		break;
	case CFA_register:
		reg = in_uleb(in);
		if (l)
			set_reg(in, l, reg, 0);
		break;
	case CFA_expression:
		set_expr(to, in, l, LOC_EXPR_MEM);
		break;
	case CFA_val_expression:
		set_expr(to, in, l, LOC_EXPR_VAL);
		break;
	}
	return true;
}

/* Run an instruction about the CFA, or another one. */
static void
run_cfa(struct row_sink *to, const struct row_cie *cie, struct in *in,
	struct row_state *s, uint8_t op)
{
	const uint64_t scale = (uint64_t)cie->data_align;
	uint64_t reg, n;

	switch (op) {
	case CFA_def_cfa:
	case CFA_def_cfa_sf:
		reg = in_uleb(in);
		n = op == CFA_def_cfa ? in_uleb(in)
				      : (uint64_t)in_sleb(in) * scale;
		set_reg(in, &s->cfa, reg, (int64_t)n);
		return;
	case CFA_def_cfa_register:
		reg = in_uleb(in);
		/* CIEs of riscv64 begin with it: the offset is 0. */
		if (s->cfa.kind != LOC_REG && s->cfa.kind != LOC_DEFAULT)
			break;
		set_reg(in, &s->cfa, reg, s->cfa.off);
		return;
	case CFA_def_cfa_offset:
	case CFA_def_cfa_offset_sf:
		n = op == CFA_def_cfa_offset ? in_uleb(in)
					     : (uint64_t)in_sleb(in) * scale;
		if (s->cfa.kind != LOC_REG)
			break;
		set_reg(in, &s->cfa, s->cfa.reg, (int64_t)n);
		return;
	case CFA_def_cfa_expression:
		set_expr(to, in, &s->cfa, LOC_EXPR_VAL);
		return;
	case CFA_GNU_args_size:
		in_uleb(in);
		return;
	case CFA_AARCH64_negate_ra_state_with_pc:
	case CFA_AARCH64_negate_ra_state:
		/* A signature is removed whether there is one or not. */
	case CFA_nop:
		return;
	}
	in->bad = true;
}

/* Run an advance instruction; false: it is not one. */
static bool
run_advance(const struct row_cie *cie, struct in *in, uint8_t op, uintptr_t pc,
	    uintptr_t *next)
{
	uint64_t n;

	if ((op & 0xc0) == CFA_advance_loc)
		n = op & 0x3f;
	else if (op >= CFA_advance_loc1 && op <= CFA_advance_loc4)
		n = in_fixed(in, (size_t)1 << (op - CFA_advance_loc1));
	else if (op == CFA_set_loc)
		n = 0;
	else
		return false;
	*next = op == CFA_set_loc
			? in_code(in, cie->fde_encoding, cie->absolute)
			: pc + n * cie->code_align;
	return true;
}

void
unwind_row_run(struct row_sink *to, const struct row_cie *cie, struct in *in,
	       struct row_state *s, const struct row_fde *fde)
{
	struct row_state saved[N_REMEMBER];
	unsigned n_saved = 0;
	uintptr_t pc = fde ? fde->lo : 0, next;

	while (in->p < in->end && !in->bad) {
		uint8_t op = *in->p++;

		if (run_advance(cie, in, op, pc, &next)) {
			if (!fde || next < pc || next > fde->hi)
				in->bad = true;
			else if (next > pc && !to->span(to, pc, next, s))
				return;
			pc = in->bad ? pc : next;
		} else if ((op & 0xc0) == CFA_offset) {
			uint64_t n = in_uleb(in) * (uint64_t)cie->data_align;

			set_loc(in, s, op & 0x3f, LOC_CFA_MEM, (int64_t)n);
		} else if ((op & 0xc0) == CFA_restore) {
			restore(cie, s, op & 0x3f);
		} else if (op == CFA_remember_state && n_saved < N_REMEMBER) {
			saved[n_saved++] = *s;
		} else if (op == CFA_restore_state && n_saved > 0) {
			*s = saved[--n_saved];
		} else if (!run_offset(cie, in, s, op) &&
			   !run_register(to, cie, in, s, op)) {
			run_cfa(to, cie, in, s, op);
		}
	}
	if (fde && pc < fde->hi)
		to->span(to, pc, fde->hi, in->bad ? NULL : s);
}
