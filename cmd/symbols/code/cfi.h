/*
 * cfi.h - the functions that .eh_frame knows: their addresses, no names. The
 * format is that of the Linux Standard Base (10.6, exception frames).
 */
#ifndef CFI_H
#define CFI_H

#include <stdint.h>

struct object;

/*
 * Call fn for each function, end exclusive, in the order of the section. What
 * is damaged ends the walk.
 */
void cfi_each(const struct object *o,
	      void (*fn)(void *ctx, uint64_t start, uint64_t end), void *ctx);

#endif
