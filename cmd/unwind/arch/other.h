/* other.h - machines whose stacks are not walked: copies of them have no
 * register that is known. */
#ifndef WALK_OTHER_H
#define WALK_OTHER_H

#include <stdint.h>

#define WALK_MACHINE EM_NONE
#define WALK_MACHINE_NAME ""

enum { WALK_SP = 1, WALK_PC = 2, WALK_N_REG = 3 };

#define WALK_PERF_MASK UINT64_C(0)

static inline unsigned
walk_perf_reg(unsigned bit)
{
	(void)bit;
	return WALK_N_REG;
}

#endif
