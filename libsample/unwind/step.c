/*
 * step.c - see step.h. tests/record/handler.t checks that the object file calls
 * only expr.c and far.c.
 */
#include "config.h"

#include <ucontext.h>

#include "step.h"

#if defined(__x86_64__)

/* DWARF's register numbers to the kernel's. */
static const uint8_t greg[DW_N_REG] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
	REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
	REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

bool
unwind_reg(const struct unwind_frame *f, unsigned reg, uintptr_t *value)
{
	if (reg == DW_RSP)
		*value = f->sp;
	else if (reg == DW_RBP)
		*value = f->bp;
	else if (reg == DW_RBX)
		*value = f->bx;
	else if (reg == DW_RIP)
		*value = f->pc;
	else if (reg < DW_N_REG && f->kept)
		*value = (uintptr_t)f->kept[greg[reg]];
	else
		return false;
	return true;
}

void
unwind_step_regs(struct unwind_frame *f, const long long *regs)
{
	f->regs = f->kept = regs;
	f->pc = (uintptr_t)regs[REG_RIP];
	f->sp = (uintptr_t)regs[REG_RSP];
	f->bp = (uintptr_t)regs[REG_RBP];
	f->bx = (uintptr_t)regs[REG_RBX];
}

size_t
unwind_step_regs_at(size_t *n_bytes)
{
	*n_bytes = 8 * (REG_RIP + 1);
	return offsetof(ucontext_t, uc_mcontext.gregs);
}

static bool
locate(const struct unwind_frame *f, const struct unwind_bounds *b,
       const uint8_t *expr, const struct unwind_loc *l, uintptr_t cfa,
       uintptr_t same, uintptr_t *value)
{
	uintptr_t off = (uintptr_t)(intptr_t)l->off;

	switch (l->kind) {
	case LOC_DEFAULT:
		*value = same;
		return true;
	case LOC_UNDEFINED:
		*value = 0;
		return true;
	case LOC_CFA_MEM:
		return unwind_load(b, cfa + off, value);
	case LOC_CFA_VAL:
		*value = cfa + off;
		return true;
	case LOC_REG:
		if (!unwind_reg(f, l->reg, value))
			return false;
		*value += off;
		return true;
	case LOC_EXPR_MEM:
	case LOC_EXPR_VAL:
		if (!unwind_expr_eval(expr + l->off, l->n_expr, f, b, &cfa,
				      value))
			return false;
		return l->kind == LOC_EXPR_VAL || unwind_load(b, *value, value);
	}
	return false;
}

/*
 * Find the caller's value of a register that this function may have saved. In
 * functions with a realigned stack GCC describes rbp as saved where rbp points,
 * even after it was popped. So the rule is used only for memory of this frame;
 * otherwise, as in the epilogue, the value is in rbp.
 */
static void
locate_saved(const struct unwind_frame *f, const struct unwind_bounds *b,
	     const uint8_t *expr, const struct unwind_loc *l, uintptr_t cfa,
	     uintptr_t *value)
{
	uintptr_t at, v;

	if (l->kind != LOC_EXPR_MEM) {
		if (locate(f, b, expr, l, cfa, *value, &v))
			*value = v;
	} else if (unwind_expr_eval(expr + l->off, l->n_expr, f, b, &cfa,
				    &at) &&
		   at < cfa && unwind_load(b, at, &v)) {
		*value = v;
	}
}

/* Step by a rule that does not fit a word. */
enum unwind_step
unwind_step_rule(struct unwind_frame *f, const struct unwind_bounds *b,
		 const uint8_t *expr, const struct unwind_rule *r)
{
	uintptr_t cfa, sp, pc, bp = f->bp, bx = f->bx;

	if (r->reg[TRACK_RA].kind == LOC_UNDEFINED)
		return STEP_ROOT;
	if (r->signal == SIGNAL_KERNEL)
		return STEP_KERNEL;
	if (r->cfa.kind == LOC_EXPR_VAL) {
		if (!unwind_expr_eval(expr + r->cfa.off, r->cfa.n_expr, f, b,
				      NULL, &cfa))
			return STEP_FAILED;
	} else if (!locate(f, b, expr, &r->cfa, 0, 0, &cfa)) {
		return STEP_FAILED;
	}
	if (!locate(f, b, expr, &r->reg[TRACK_RSP], cfa, cfa, &sp) ||
	    !locate(f, b, expr, &r->reg[TRACK_RA], cfa, 0, &pc))
		return STEP_FAILED;
	locate_saved(f, b, expr, &r->reg[TRACK_RBP], cfa, &bp);
	locate_saved(f, b, expr, &r->reg[TRACK_RBX], cfa, &bx);
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	/*
	 * A frame without extent would repeat forever; but an interrupted
	 * function may have popped its whole frame before it returns.
	 */
	if (sp < f->sp || (sp == f->sp && !f->regs) || sp > unwind_limit(b) ||
	    sp & 7)
		return STEP_FAILED;
	f->regs = NULL;
	if (!r->keeps)
		f->kept = NULL;
	f->pc = r->signal ? pc + 1 : pc;
	f->sp = sp;
	f->bp = bp;
	f->bx = bx;
	return STEP_OK;
}

/*
 * Interrupted code of a known object without unwind information: PLT entries of
 * lld and small assembly functions. These keep no frame, so the return address
 * is on top, or below the one or two words that a PLT entry pushes. A word is
 * taken for it if it points after code with unwind information; on top, after
 * any code of an object, as those functions call each other.
 */
static enum unwind_step
guess_top(struct unwind_frame *f, const struct unwind_bounds *b,
	  const struct unwind_code *c)
{
	uintptr_t pc;

	for (unsigned i = 0; i < 3; i++) {
		if (!unwind_load(b, f->sp + 8 * i, &pc))
			return STEP_FAILED;
		if (pc == 0 || (c->word(c, pc - 1) == WORD_NONE &&
				(i > 0 || !c->is_object(c, pc - 1))))
			continue;
		f->regs = f->kept = NULL;
		f->pc = pc;
		f->sp += 8 * (i + 1);
		return STEP_OK;
	}
	return STEP_FAILED;
}

#else

/* Never called: there are no tables. */
bool
unwind_reg(const struct unwind_frame *f, unsigned reg, uintptr_t *value)
{
	(void)f;
	(void)reg;
	(void)value;
	return false;
}

#if defined(__aarch64__)
/* Pointer authentication codes lie above the address. */
#define PC_MASK UINT64_C(0x0000ffffffffffff)
#endif

#endif

/*
 * A frame record at the frame pointer: the caller's frame pointer, then the
 * return address. The only convention without tables: JIT compilers follow it,
 * and on other machines than x86-64 it is the only one used.
 */
static enum unwind_step
step_frame(struct unwind_frame *f, const struct unwind_bounds *b)
{
	uintptr_t bp, pc;

	if (f->bp == 0 && !f->regs)
		return STEP_ROOT;
	/*
	 * Boost.Context starts a coroutine with the address of its exit code as
	 * frame pointer and as return address.
	 */
	if (f->bp == f->pc && !f->regs)
		return STEP_ROOT;
	if (f->bp < f->sp || !unwind_load(b, f->bp, &bp) ||
	    !unwind_load(b, f->bp + 8, &pc))
		return STEP_FAILED;
#if defined(PC_MASK)
	pc &= PC_MASK;
#endif
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	f->regs = f->kept = NULL;
	f->pc = pc;
	f->sp = f->bp + 16;
	f->bp = bp;
	return STEP_OK;
}

enum unwind_step
unwind_step_guess(struct unwind_frame *f, const struct unwind_bounds *b,
		  const struct unwind_code *c, uintptr_t at, unsigned *n_guess)
{
#if defined(__x86_64__)
	/*
	 * No call is before the first instruction of a function: such a return
	 * address was put there for the outermost function of a stack
	 * (makecontext's __start_context).
	 */
	if (!f->regs && c && c->word(c, at + 1) != WORD_NONE)
		return STEP_BEGUN;
	++*n_guess;
	if (f->regs && c && c->is_object(c, at) &&
	    guess_top(f, b, c) == STEP_OK)
		return STEP_OK;
#else
	(void)c;
	(void)at;
	++*n_guess;
#endif
	return step_frame(f, b);
}
