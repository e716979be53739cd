/* kernel.h - where the running kernel's code is. */
#ifndef PERF_KERNEL_H
#define PERF_KERNEL_H

#include <stdint.h>

#include "lib/base/buildid.h"

struct perf_kernel {
	uint64_t start, limit; /* of the kernel proper; 0: not to be seen */
	char build_id[BUILD_ID_TEXT]; /* lower-case hex, or "" */
};

/* Ask the kernel, which hides addresses from users without CAP_SYSLOG. */
void perf_kernel_find(struct perf_kernel *k);

/* Its name as a mapping: pprof and prof-symbolize see by the symbol, and by the
 * offset, which is that symbol's address, how the kernel was relocated. */
#define PERF_KERNEL_NAME "[kernel.kallsyms]_stext"

#endif
