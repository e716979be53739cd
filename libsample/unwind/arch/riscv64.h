/*
 * riscv64.h - all that libsample must know of riscv64; see x86_64.h for what
 * each definition is. A frame record lies below its frame pointer.
 */
#ifndef UNWIND_RISCV64_H
#define UNWIND_RISCV64_H

#include <stddef.h>
#include <ucontext.h>

#define ARCH_HAS_ROWS 1

/* A ucontext_t has pc in the place of x0, then x1 to x31. */
enum {
	DW_BASE = 255, /* no other register is tracked */
	DW_FP = 8,
	DW_SP = 2,
	DW_KEPT = 18,
	DW_KEPT_LAST = 27,
	DW_LAST = 254, /* as x27, it is not tracked */
	DW_RA = 1,
	DW_PC = 32,
	DW_N_REG = 33,
	ARCH_N_CONTEXT = 32,
	ARCH_PC = 0,
	ARCH_SP = 2,
	ARCH_FP = 8,
	ARCH_BASE = 9, /* loaded, and not used */
	ARCH_N_NEEDED = 32
};

_Static_assert(offsetof(ucontext_t, uc_mcontext.__gregs) == 176,
	       "ARCH_SIGNAL_REGS");

#define RED_ZONE 128 /* none */

/* At sp are a siginfo_t and the ucontext_t. */
#define ARCH_SIGNAL_REGS (128 + 176)

/* li a7, 139; ecall */
#define ARCH_SIGRETURN UINT64_C(0x0000007308b00893)

#define ARCH_FRAME_RECORD -16

#define ARCH_HANDLER
#define ARCH_GO_HAS_FP 0u

static inline unsigned
arch_place(unsigned reg)
{
	return reg == DW_PC ? ARCH_PC : reg;
}

static inline long long *
arch_registers(ucontext_t *uc)
{
	return (long long *)uc->uc_mcontext.__gregs;
}

static inline __attribute__((always_inline)) bool
arch_registers_here(ucontext_t *uc)
{
	unsigned long *reg = uc->uc_mcontext.__gregs;

	__asm__ volatile("auipc t0, 0\n\t"
			 "sd t0, 0(%[reg])\n\t"
			 "sd ra, 8(%[reg])\n\t"
			 "sd sp, 16(%[reg])\n\t"
			 "sd s0, 64(%[reg])\n\t"
			 "sd s1, 72(%[reg])\n\t"
			 "sd s2, 144(%[reg])\n\t"
			 "sd s3, 152(%[reg])\n\t"
			 "sd s4, 160(%[reg])\n\t"
			 "sd s5, 168(%[reg])\n\t"
			 "sd s6, 176(%[reg])\n\t"
			 "sd s7, 184(%[reg])\n\t"
			 "sd s8, 192(%[reg])\n\t"
			 "sd s9, 200(%[reg])\n\t"
			 "sd s10, 208(%[reg])\n\t"
			 "sd s11, 216(%[reg])"
			 :
			 : [reg] "r"(reg)
			 : "t0", "memory");
	return true;
}

static inline uintptr_t
arch_strip(uintptr_t pc)
{
	return pc;
}

#include "link.h"

#endif
