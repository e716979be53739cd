/*
 * capstone-load.h - load capstone before the first instruction. The loader has
 * 78,000 addresses to relocate in its tables: that takes longer than the rest
 * of a short run of prof-list or prof-html.
 */
#ifndef CAPSTONE_LOAD_H
#define CAPSTONE_LOAD_H

#include <capstone/capstone.h>

#include "lib/base/dynload.h"
#include "lib/base/status.h"

/* The functions in use, without "cs_". */
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
 * is not installed.
 */
static inline MUST_USE enum prof_status
capstone_load(struct capstone_calls *c, struct prof_err *err)
{
#define CAPSTONE_NAME(name) "cs_" #name,
	static const char *const names[] = { CAPSTONE_CALLS(CAPSTONE_NAME) };
#undef CAPSTONE_NAME

	return dynload(CAPSTONE_SONAME, names, sizeof(names) / sizeof(*names),
		       c, err);
}

#endif
