/*
 * capstone-load.h - capstone, loaded when something is first disassembled. Its
 * tables have 78,000 addresses that the loader sets right: that takes longer
 * than all else that a short run of prof-list or prof-html does.
 */
#ifndef CAPSTONE_LOAD_H
#define CAPSTONE_LOAD_H

#include <capstone/capstone.h>

#include "lib/base/status.h"

/* The functions that are used, named as in capstone but for "cs_". */
#define CAPSTONE_CALLS(F)                                                      \
	F(close)                                                               \
	F(disasm_iter)                                                         \
	F(free)                                                                \
	F(insn_group)                                                          \
	F(malloc)                                                              \
	F(open)                                                                \
	F(option)

struct capstone_calls {
#define CAPSTONE_MEMBER(name) __typeof__(cs_##name) *name;
	CAPSTONE_CALLS(CAPSTONE_MEMBER)
#undef CAPSTONE_MEMBER
};

/*
 * Fill in *c. The library stays loaded until the process ends. PROF_ENOTSUP: it
 * is not there.
 */
enum prof_status capstone_load(struct capstone_calls *c,
			       struct prof_err *err) MUST_USE;

#endif
