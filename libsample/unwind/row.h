/*
 * row.h - from the call frame instructions of one function to its
 * rows. Between cfi.c, which finds the functions, and row.c.
 */
#ifndef UNWIND_ROW_H
#define UNWIND_ROW_H

#include "impl.h"
#include "read.h"

/* What the instructions change, as in struct unwind_rule. */
struct row_state {
	struct unwind_loc cfa;
	struct unwind_loc reg[N_TRACK];
	unsigned moved; /* bit n: r12 + n is no longer the caller's */
};

/* The head that functions share. */
struct row_cie {
	uintptr_t addr; /* 0: none */
	bool good, signal;
	bool has_augmentation;
	uint8_t fde_encoding;
	uintptr_t absolute; /* as in struct cfi_image */
	uint64_t code_align;
	int64_t data_align;
	struct row_state initial;
};

/* One function: where its code is, and the instructions for it. */
struct row_fde {
	uintptr_t lo, hi;
	const struct row_cie *cie;
	struct in in;
};

/* Where rows and rules go. */
struct row_out {
	struct unwind_pool *pool;
	struct cfi_rows *rows;
	uintptr_t text_lo; /* rows count from here */
	size_t cap;
	bool no_memory;
};

/*
 * Run the instructions that in holds, and leave in s what holds after them.
 * With an fde, append its rows; functions come in the order of their
 * addresses. Without one, the instructions are the CIE's own. in->bad tells
 * of instructions that were not understood: the rest has no information.
 */
void unwind_row_run(struct row_out *out, const struct row_cie *cie,
		    struct in *in, struct row_state *s,
		    const struct row_fde *fde);

/*
 * From pc on, word holds. Where a function begins before the last one ends,
 * it wins.
 */
void unwind_row_emit(struct row_out *out, uintptr_t pc, uint32_t word);

/* The word of code that has no caller: the walk ends there, at the root. */
uint32_t unwind_row_root(struct unwind_pool *pool);

#endif
