/* x86_64.h - what unwinding copies of stacks must know of x86-64. */
#ifndef WALK_X86_64_H
#define WALK_X86_64_H

#include <stdint.h>

#define WALK_MACHINE EM_X86_64
#define WALK_MACHINE_NAME "x86_64"

/* DWARF's numbers of registers, and their number. */
enum { WALK_SP = 7, WALK_PC = 16, WALK_N_REG = 17 };

/* The registers that walk_frames() uses, for perf_event_attr.sample_regs_user.
 */
#define WALK_PERF_MASK UINT64_C(0xff0fff)

/* The register that perf_event numbers bit, or WALK_N_REG: ax bx cx dx si di bp
 * sp ip, and r8 to r15 from 16. */
static inline unsigned
walk_perf_reg(unsigned bit)
{
	static const uint8_t dwarf[9] = {
		0, 3, 2, 1, 4, 5, 6, WALK_SP, WALK_PC
	};

	if (bit < 9)
		return dwarf[bit];
	return bit >= 16 && bit < 24 ? bit - 8 : WALK_N_REG;
}

#endif
