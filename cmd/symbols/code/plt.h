/* plt.h - names for the stubs of a procedure linkage table. */
#ifndef PLT_H
#define PLT_H

#include <stdint.h>

struct binary;

/*
 * The name of the function that the stub at address a of b's procedure linkage
 * table jumps to; b owns it. NULL if a is in no such stub, or no relocation
 * names the slot that the stub reads.
 */
const char *plt_name(const struct binary *b, uint64_t a);

#endif
