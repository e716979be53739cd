/* kernel.h - the address range of the running kernel. */
#ifndef PERF_KERNEL_H
#define PERF_KERNEL_H

#include <stdint.h>

#include "lib/base/buildid.h"

struct perf_kernel {
	uint64_t start, limit;        /* without modules; 0: hidden */
	char build_id[BUILD_ID_TEXT]; /* lower-case hex, or "" */
};

/* Read it from the kernel, which hides addresses from users without
 * CAP_SYSLOG. */
void perf_kernel_find(struct perf_kernel *k);

/* The name of its mapping: pprof and prof-symbolize find the kernel's
 * relocation by the symbol in the name and the offset, which is that symbol's
 * address. */
#define PERF_KERNEL_NAME "[kernel.kallsyms]_stext"

#endif
