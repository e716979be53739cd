/* aarch64.h - what unwinding copies of stacks must know of arm64. */
#ifndef WALK_AARCH64_H
#define WALK_AARCH64_H

#include <stdint.h>

#define WALK_MACHINE EM_AARCH64
#define WALK_MACHINE_NAME "aarch64"

enum { WALK_SP = 31, WALK_PC = 32, WALK_N_REG = 33 };

#define WALK_PERF_MASK UINT64_C(0x1ffffffff)

/* x0 to x30, sp and pc: as in DWARF, but for the pc. */
static inline unsigned
walk_perf_reg(unsigned bit)
{
	return bit < WALK_N_REG ? bit : WALK_N_REG;
}

#endif
