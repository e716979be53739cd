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

#define ARCH_FRAME_RECORD 0

#define ARCH_HANDLER

/* Go saves the frame pointer below the return address. */
#define ARCH_GO_HAS_FP WORD_HAS_FP

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

#include "link.h"

#endif
