/*
 * step.c - see step.h. tests/record/handler.t checks that the object file calls
 * only expr.c and far.c.
 */
#include "config.h"

#include "step.h"

bool
unwind_reg(const struct unwind_frame *f, unsigned reg, uintptr_t *value)
{
	if (reg == DW_SP)
		*value = f->sp;
	else if (reg == DW_FP)
		*value = f->fp;
	else if (reg == DW_BASE)
		*value = f->base;
	else if (reg == DW_PC)
		*value = f->pc;
	else if (reg == DW_RA)
		return arch_link(f, value);
	else if (reg < DW_N_REG && f->kept)
		*value = (uintptr_t)f->kept[arch_place(reg)];
	else
		return false;
	return true;
}

void
unwind_step_regs(struct unwind_frame *f, const long long *regs)
{
	f->regs = f->kept = regs;
	f->pc = (uintptr_t)regs[ARCH_PC];
	f->sp = (uintptr_t)regs[ARCH_SP];
	f->fp = (uintptr_t)regs[ARCH_FP];
	f->base = (uintptr_t)regs[ARCH_BASE];
	f->last = (uintptr_t)regs[arch_place(DW_KEPT_LAST)];
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
	uintptr_t cfa, sp, pc, fp = f->fp, base = f->base, last = f->last;

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
	if (!locate(f, b, expr, &r->reg[TRACK_SP], cfa, cfa, &sp) ||
	    !(r->reg[TRACK_RA].kind == LOC_DEFAULT
		      ? arch_link(f, &pc)
		      : locate(f, b, expr, &r->reg[TRACK_RA], cfa, 0, &pc)))
		return STEP_FAILED;
	locate_saved(f, b, expr, &r->reg[TRACK_FP], cfa, &fp);
	locate_saved(f, b, expr, &r->reg[TRACK_BASE], cfa, &base);
	locate_saved(f, b, expr, &r->reg[TRACK_LAST], cfa, &last);
	pc = arch_strip(pc);
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
	f->fp = fp;
	f->base = base;
	f->last = last;
	return STEP_OK;
}

/*
 * A frame record: the caller's frame pointer, then the return address. The only
 * convention without tables: JIT compilers follow it.
 */
static enum unwind_step
step_frame(struct unwind_frame *f, const struct unwind_bounds *b)
{
	uintptr_t at = f->fp + (uintptr_t)ARCH_FRAME_RECORD, fp, pc;

	if (f->fp == 0 && !f->regs)
		return STEP_ROOT;
	/*
	 * Boost.Context starts a coroutine with the address of its exit code as
	 * frame pointer and as return address.
	 */
	if (f->fp == f->pc && !f->regs)
		return STEP_ROOT;
	if (at < f->sp || !unwind_load(b, at, &fp) ||
	    !unwind_load(b, at + 8, &pc))
		return STEP_FAILED;
	pc = arch_strip(pc);
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	f->regs = f->kept = NULL;
	f->last = 0;
	f->pc = pc;
	f->sp = at + 16;
	f->fp = fp;
	return STEP_OK;
}

enum unwind_step
unwind_step_guess(struct unwind_frame *f, const struct unwind_bounds *b,
		  const struct unwind_code *c, uintptr_t at, unsigned *n_guess)
{
	if (ARCH_SIGRETURN && !f->regs && c && c->is_sigreturn &&
	    c->is_sigreturn(c, f->pc))
		return STEP_KERNEL;
	/*
	 * No call is before the first instruction of a function: such a return
	 * address was put there for the outermost function of a stack
	 * (makecontext's __start_context).
	 */
	if (!f->regs && c && c->word(c, at + 1) != WORD_NONE)
		return STEP_BEGUN;
	++*n_guess;
	if (f->regs && c && c->is_object(c, at) &&
	    arch_guess_top(f, b, c) == STEP_OK)
		return STEP_OK;
	return step_frame(f, b);
}
