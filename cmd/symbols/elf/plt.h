/*
 * plt.h - the procedure linkage table: stubs through which code jumps to
 * functions of other files. No symbol names them; the relocation of the slot
 * that a stub jumps through does. Of x86-64 and AArch64.
 */
#ifndef PLT_H
#define PLT_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#define PLT_MAX_SECTIONS 8 /* .plt, .plt.got, .plt.sec, .iplt */

/* What follows the name of a function in that of its stub, as perf has it. */
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
 * Read the table of elf, which must stay open; *p is the caller's, for
 * plt_release(), in any case. A file without one has no stubs. -1 without
 * memory.
 */
int plt_open(struct plt *p, Elf *elf);
void plt_release(struct plt *p);

/*
 * The name of the function that the stub around address a jumps to, without
 * PLT_SUFFIX; it is the file's. NULL: a is in no stub, or nothing says which.
 */
const char *plt_name(const struct plt *p, uint64_t a);

#endif
