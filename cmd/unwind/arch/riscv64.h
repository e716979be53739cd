/* riscv64.h - what unwinding copies of stacks must know of riscv64. */
#ifndef WALK_RISCV64_H
#define WALK_RISCV64_H

#include <stdint.h>

#define WALK_MACHINE EM_RISCV
#define WALK_MACHINE_NAME "riscv64"

enum { WALK_SP = 2, WALK_PC = 32, WALK_N_REG = 33 };

#define WALK_PERF_MASK UINT64_C(0xffffffff)

/* pc, and x1 to x31. */
static inline unsigned
walk_perf_reg(unsigned bit)
{
	if (bit == 0)
		return WALK_PC;
	return bit < 32 ? bit : WALK_N_REG;
}

#endif
