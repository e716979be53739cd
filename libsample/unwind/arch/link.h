/*
 * link.h - machines on which a call leaves the return address in a register,
 * until the function saves it: aarch64.h and riscv64.h define DW_* and
 * arch_strip(), and include this. See x86_64.h for what each definition is.
 */
#ifndef UNWIND_LINK_H
#define UNWIND_LINK_H

/* Only in an interrupted function: a call has changed the register. */
static inline bool
arch_link(const struct unwind_frame *f, uintptr_t *pc)
{
	*pc = f->regs ? (uintptr_t)f->regs[DW_RA] : 0;
	return f->regs;
}

/*
 * A packed word. Bit 0 = 1, and
 *	bit 1:      the CFA counts from the frame pointer, not from sp
 *	bit 2:      DW_KEPT to DW_KEPT_LAST are the caller's
 *	bit 3:      the caller's frame pointer lies below the return address;
 *	            0: in its register
 *	bits 4-17:  n: the return address lies at CFA - 8n; 0: in its register
 *	bits 18-31: (CFA - that register) / 16
 */
#define WORD_FP 2u
#define WORD_KEEPS (1u << 2)
#define WORD_HAS_FP (1u << 3)
#define WORD_RA_SHIFT 4
#define WORD_RA_MAX ((1 << 14) - 1)
#define WORD_CFA_SHIFT 18
#define WORD_CFA_MAX ((1 << 14) - 1)

static inline bool
arch_pack(const struct unwind_loc *cfa, const struct unwind_loc *reg,
	  bool keeps, uint32_t *word)
{
	const struct unwind_loc *ra = &reg[TRACK_RA], *fp = &reg[TRACK_FP];
	uint32_t slot = 0;

	if (cfa->kind != LOC_REG || cfa->off < 0 || cfa->off % 16 != 0 ||
	    cfa->off / 16 > WORD_CFA_MAX ||
	    (cfa->reg != DW_SP && cfa->reg != DW_FP) ||
	    reg[TRACK_SP].kind != LOC_DEFAULT)
		return false;
	if (ra->kind == LOC_CFA_MEM && ra->off < 0 && ra->off % 8 == 0 &&
	    ra->off >= -8 * WORD_RA_MAX)
		slot = (uint32_t)-ra->off / 8;
	else if (ra->kind != LOC_DEFAULT)
		return false;
	if (fp->kind != LOC_DEFAULT &&
	    (!slot || fp->kind != LOC_CFA_MEM || fp->off != ra->off - 8))
		return false;
	*word = WORD_PACKED | (cfa->reg == DW_FP ? WORD_FP : 0) |
		(keeps ? WORD_KEEPS : 0) |
		(fp->kind != LOC_DEFAULT ? WORD_HAS_FP : 0) |
		slot << WORD_RA_SHIFT |
		(uint32_t)(cfa->off / 16) << WORD_CFA_SHIFT;
	return true;
}

/* The return address is at sp. */
static inline uint32_t
arch_go_word(uint32_t depth)
{
	if (depth % 16 || depth / 8 > WORD_RA_MAX)
		return WORD_NONE;
	return WORD_PACKED | (depth ? ARCH_GO_HAS_FP : 0) |
	       depth / 8 << WORD_RA_SHIFT | depth / 16 << WORD_CFA_SHIFT;
}

static inline enum unwind_step
arch_step_packed(struct unwind_frame *f, const struct unwind_bounds *b,
		 uint32_t word)
{
	uintptr_t cfa = (word & WORD_FP ? f->fp : f->sp) +
			(uintptr_t)(word >> WORD_CFA_SHIFT) * 16;
	unsigned slot = word >> WORD_RA_SHIFT & WORD_RA_MAX;
	uintptr_t pc, fp = f->fp;

	if (cfa < f->sp || (cfa == f->sp && !f->regs))
		return STEP_FAILED;
	if (slot ? !unwind_load(b, cfa - 8 * slot, &pc) : !arch_link(f, &pc))
		return STEP_FAILED;
	if (word & WORD_HAS_FP)
		(void)unwind_load(b, cfa - 8 * slot - 8, &fp);
	pc = arch_strip(pc);
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	f->regs = NULL;
	if (!(word & WORD_KEEPS))
		f->kept = NULL;
	f->pc = pc;
	f->sp = cfa;
	f->fp = fp;
	return STEP_OK;
}

/* Signal frames are known by ARCH_SIGRETURN. */
static inline bool
arch_is_kernel_frame(const struct unwind_loc *cfa, const uint8_t *expr)
{
	(void)cfa;
	(void)expr;
	return false;
}

/* Interrupted code without unwind information, such as a PLT entry, has not
 * saved the return address; but the first entry of a PLT of arm64 pushes it,
 * with x16. */
static inline enum unwind_step
arch_guess_top(struct unwind_frame *f, const struct unwind_bounds *b,
	       const struct unwind_code *c)
{
	uintptr_t pc, pushed;

	if (!arch_link(f, &pc) || !(pc = arch_strip(pc)) ||
	    (c->word(c, pc - 1) == WORD_NONE && !c->is_object(c, pc - 1)))
		return STEP_FAILED;
	if (unwind_load(b, f->sp + 8, &pushed) && arch_strip(pushed) == pc)
		f->sp += 16;
	f->regs = f->kept = NULL;
	f->pc = pc;
	return STEP_OK;
}

#endif
