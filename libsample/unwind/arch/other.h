/*
 * other.h - machines of which libsample knows nothing: no registers are found,
 * so no stack is walked. See x86_64.h for what each definition is.
 */
#ifndef UNWIND_OTHER_H
#define UNWIND_OTHER_H

#include <ucontext.h>

#define ARCH_HAS_ROWS 0

enum {
	DW_BASE = 255,
	DW_FP = 0,
	DW_SP = 1,
	DW_KEPT = 254,
	DW_KEPT_LAST = 254,
	DW_LAST = 253,
	DW_RA = 2,
	DW_PC = 2,
	DW_N_REG = 3,
	ARCH_N_CONTEXT = 3,
	ARCH_PC = 2,
	ARCH_SP = 1,
	ARCH_FP = 0,
	ARCH_BASE = 0,
	ARCH_N_NEEDED = 3
};

#define RED_ZONE 128
#define ARCH_SIGNAL_REGS 0
#define ARCH_SIGRETURN UINT64_C(0)
#define ARCH_FRAME_RECORD 0
#define ARCH_HANDLER

static inline unsigned
arch_place(unsigned reg)
{
	return reg;
}

static inline long long *
arch_registers(ucontext_t *uc)
{
	(void)uc;
	return NULL;
}

static inline bool
arch_registers_here(ucontext_t *uc)
{
	(void)uc;
	return false;
}

static inline uintptr_t
arch_strip(uintptr_t pc)
{
	return pc;
}

static inline bool
arch_link(const struct unwind_frame *f, uintptr_t *pc)
{
	(void)f;
	(void)pc;
	return false;
}

static inline bool
arch_pack(const struct unwind_loc *cfa, const struct unwind_loc *reg,
	  bool keeps, uint32_t *word)
{
	(void)cfa;
	(void)reg;
	(void)keeps;
	(void)word;
	return false;
}

static inline uint32_t
arch_go_word(uint32_t depth)
{
	(void)depth;
	return WORD_NONE;
}

static inline enum unwind_step
arch_step_packed(struct unwind_frame *f, const struct unwind_bounds *b,
		 uint32_t word)
{
	(void)f;
	(void)b;
	(void)word;
	return STEP_FAILED;
}

static inline bool
arch_is_kernel_frame(const struct unwind_loc *cfa, const uint8_t *expr)
{
	(void)cfa;
	(void)expr;
	return false;
}

static inline enum unwind_step
arch_guess_top(struct unwind_frame *f, const struct unwind_bounds *b,
	       const struct unwind_code *c)
{
	(void)f;
	(void)b;
	(void)c;
	return STEP_FAILED;
}

#endif
