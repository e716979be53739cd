/*
 * capstone-load.h - load capstone before the first instruction. The loader has
 * 78,000 addresses to relocate in its tables: that takes longer than the rest
 * of a short run of prof-list or prof-html.
 */
#ifndef CAPSTONE_LOAD_H
#define CAPSTONE_LOAD_H

#include <capstone/capstone.h>

#include "lib/base/dynload.h"

/* The functions in use. */
#define CAPSTONE_CALLS(F, p)                                                   \
	F(p, close)                                                            \
	F(p, disasm_iter)                                                      \
	F(p, free)                                                             \
	F(p, insn_group)                                                       \
	F(p, malloc)                                                           \
	F(p, open)                                                             \
	F(p, option)

DYNLOAD(capstone, cs_, CAPSTONE_SONAME, CAPSTONE_CALLS)

#endif
