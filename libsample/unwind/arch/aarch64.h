/*
 * aarch64.h - all that libsample must know of arm64; see x86_64.h for what each
 * definition is. The differences: a function's return address is in x30 until
 * it is saved, wherever that is; addresses may be signed; and the code to which
 * signal handlers return has no unwind information.
 */
#ifndef UNWIND_AARCH64_H
#define UNWIND_AARCH64_H

#include <stddef.h>
#include <ucontext.h>

#define ARCH_HAS_ROWS 1

/* A ucontext_t has x0 to x30, sp and pc in DWARF's order, but for the pc. */
enum {
	DW_BASE = 255, /* no other register is tracked */
	DW_FP = 29,
	DW_SP = 31,
	DW_KEPT = 19,
	DW_KEPT_LAST = 28,
	DW_LAST = 254, /* as x28, it is not tracked */
	DW_RA = 30,
	DW_PC = 32,
	DW_N_REG = 33,
	ARCH_N_CONTEXT = 33,
	ARCH_PC = 32,
	ARCH_SP = 31,
	ARCH_FP = 29,
	ARCH_BASE = 19, /* loaded, and not used */
	ARCH_N_NEEDED = 33
};

#ifndef UNWIND_FOREIGN
_Static_assert(offsetof(mcontext_t, sp) ==
			       offsetof(mcontext_t, regs) + 8 * 31 &&
		       offsetof(mcontext_t, pc) ==
			       offsetof(mcontext_t, regs) + 8 * 32,
	       "registers, sp and pc follow each other");
_Static_assert(offsetof(ucontext_t, uc_mcontext.regs) == 184,
	       "ARCH_SIGNAL_REGS");
#endif

#define RED_ZONE 128 /* none; of Go's saved frame pointer, 8 are used */

/* At sp are a siginfo_t and the ucontext_t. */
#define ARCH_SIGNAL_REGS (128 + 184)

/* mov x8, #139; svc #0 */
#define ARCH_SIGRETURN UINT64_C(0xd4000001d2801168)

#define ARCH_HANDLER

static inline unsigned
arch_place(unsigned reg)
{
	return reg;
}

#ifndef UNWIND_FOREIGN

static inline long long *
arch_registers(ucontext_t *uc)
{
	return (long long *)uc->uc_mcontext.regs;
}

static inline __attribute__((always_inline)) bool
arch_registers_here(ucontext_t *uc)
{
	unsigned long long *reg = uc->uc_mcontext.regs;

	__asm__ volatile("adr x9, .\n\t"
			 "mov x10, sp\n\t"
			 "stp x10, x9, [%[reg], #248]\n\t"
			 "stp x19, x20, [%[reg], #152]\n\t"
			 "stp x21, x22, [%[reg], #168]\n\t"
			 "stp x23, x24, [%[reg], #184]\n\t"
			 "stp x25, x26, [%[reg], #200]\n\t"
			 "stp x27, x28, [%[reg], #216]\n\t"
			 "stp x29, x30, [%[reg], #232]"
			 :
			 : [reg] "r"(reg)
			 : "x9", "x10", "memory");
	return true;
}

#endif

/*
 * Linux gives programs 48 bits of addresses unless they ask for 52; with fewer,
 * as on small machines, only xpaclri knows. That is a nop without
 * authentication, as where stacks of another machine are walked.
 */
static inline uintptr_t
arch_strip(uintptr_t pc)
{
#ifndef UNWIND_FOREIGN
	register uintptr_t x30 __asm__("x30") = pc;

	__asm__("hint #7" : "+r"(x30));
	pc = x30;
#endif
	return pc & ((UINT64_C(1) << 48) - 1);
}

/* Only in an interrupted function: a call has changed x30. */
static inline bool
arch_link(const struct unwind_frame *f, uintptr_t *pc)
{
	*pc = f->regs ? (uintptr_t)f->regs[DW_RA] : 0;
	return f->regs;
}

/*
 * A packed word. Bit 0 = 1, and
 *	bit 1:      the CFA counts from x29, not from sp
 *	bit 2:      x19 to x28 are the caller's
 *	bit 3:      the caller's x29 lies below the return address; 0: in x29
 *	bits 4-17:  n: the return address lies at CFA - 8n; 0: in x30
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

/* The return address is at sp, the frame pointer below it. */
static inline uint32_t
arch_go_word(uint32_t depth)
{
	if (depth % 16 || depth / 8 > WORD_RA_MAX)
		return WORD_NONE;
	return WORD_PACKED | (depth ? WORD_HAS_FP : 0) |
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
 * saved x30; but the first entry of a PLT pushes it, with x16. */
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
