/*
 * walk.h - the stack of a thread of any process, from its registers and a copy
 * of the top of its stack, as perf_event provides them. The rules of a step are
 * libsample's (libsample/unwind/step.h, doc/unwinding.md).
 */
#ifndef WALK_H
#define WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libsample/unwind/frames.h"
#include "unwind/arch/arch.h"
#include "unwind/machine.h"

struct rows;

/* Registers in DWARF's order, and n bytes from the stack pointer up, which may
 * be unaligned. */
struct walk_stack {
	uint64_t reg[MACHINE_MAX_REG];
	const void *bytes;
	size_t n;
};

/*
 * Fill reg of *s from the words that perf_event writes for the registers in
 * mask, of 64-bit user code: lowest bit first. false: the program counter or
 * the stack pointer is missing. Other missing ones are 0.
 */
bool walk_perf_regs(struct walk_stack *s, uint64_t mask, const uint64_t *word,
		    size_t n_word);

/* The code at an address of the process. */
struct walk_code {
	const struct rows
		*rows; /* NULL: unknown, as for code made at run time; and those
			  of another machine's code are not used */
	uint64_t bias; /* subtract it to get an address in the file */
	bool is_vdso;
};

/* Find the code at pc; false: pc is not in code. */
typedef bool walk_find_fn(void *ctx, uint64_t pc, struct walk_code *out);

/* The state of one thread's walks; several may run in parallel. */
struct walker;

/* NULL without memory; for walker_free(). */
struct walker *walker_new(void);
void walker_free(struct walker *w);

/*
 * Write at most max addresses to pc, max > 0, leaf first, and return their
 * number, at least 1. pc[0] is the interrupted instruction itself; other
 * entries are return addresses: the byte before one belongs to the call. A
 * function that a signal interrupted has its interrupted instruction plus one,
 * so the same holds. A longer stack keeps both ends in the array, with a
 * UNWIND_GAP between them, which is one of max. Fills *info but for where_pc.
 */
size_t walk_frames(struct walker *w, const struct walk_stack *s,
		   walk_find_fn *find, void *ctx, uint64_t *pc, size_t max,
		   struct unwind_info *info);

#endif
