/*
 * plt.h - the procedure linkage table: stubs through which code jumps to
 * functions of other files. They have no symbols; the relocation of the slot
 * that a stub jumps through names the function. For x86-64 and AArch64.
 */
#ifndef PLT_H
#define PLT_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#define PLT_MAX_SECTIONS 8 /* .plt, .plt.got, .plt.sec, .iplt */

/* Appended to the name of a function to name its stub, as in perf. */
#define PLT_SUFFIX "@plt"

struct plt {
	Elf *elf;
	unsigned machine;
	struct plt_section {
		uint64_t start;
		const uint8_t *data;
		size_t n;
	} section[PLT_MAX_SECTIONS];
	size_t n_section;
	struct plt_slot *slot; /* n_slot of them, by ascending address */
	size_t n_slot;
	const char **lazy; /* the names of .rela.plt, in its order */
	size_t n_lazy;
};

/*
 * Read the table of elf, which must stay open; without one there are no stubs.
 * Call plt_release() even on failure. Returns -1 without memory.
 */
int plt_open(struct plt *p, Elf *elf);
void plt_release(struct plt *p);

/*
 * The name of the function that the stub around address a jumps to, without
 * PLT_SUFFIX; owned by the file. NULL: a is in no stub, or the function is
 * unknown.
 */
const char *plt_name(const struct plt *p, uint64_t a);

#endif
