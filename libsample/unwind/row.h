/*
 * row.h - from the call frame instructions of one function to the unwind
 * information at its addresses. cfi.c compiles all functions of an object,
 * find.c looks one up; both read entries by entry.c and run them by row.c.
 */
#ifndef UNWIND_ROW_H
#define UNWIND_ROW_H

#include "impl.h"
#include "read.h"

/* The state that instructions change, as in struct unwind_rule. */
struct row_state {
	struct unwind_loc cfa;
	struct unwind_loc reg[N_TRACK];
	unsigned moved; /* bit n: DW_KEPT + n is no longer the caller's */
};

/* A CIE: the head that functions share. */
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

/* An FDE: one function's code and its instructions. */
struct row_fde {
	uintptr_t lo, hi;
	const struct row_cie *cie;
	struct in in;
};

/* Receives the results of instructions. */
struct row_sink {
	/*
	 * Keep the expression e of n bytes: *off is its offset, for
	 * unwind_loc.off. False: it cannot be kept.
	 */
	bool (*keep)(struct row_sink *to, const uint8_t *e, size_t n,
		     int32_t *off);
	/* From pc up to end, the state is s; NULL: unknown. False: stop. */
	bool (*span)(struct row_sink *to, uintptr_t pc, uintptr_t end,
		     const struct row_state *s);
};

/* row.c: async-signal-safe */

/*
 * Run the instructions in `in`, and leave the final state in s. With an fde,
 * calls to->span for its addresses, ascending. Without one, the instructions
 * are the CIE's own. in->bad: an instruction was not understood; the rest has
 * no information.
 */
void unwind_row_run(struct row_sink *to, const struct row_cie *cie,
		    struct in *in, struct row_state *s,
		    const struct row_fde *fde);

/*
 * Pack s into *word; WORD_NONE if it has no information. False: it needs a
 * rule.
 */
bool unwind_row_pack(const struct row_state *s, bool signal, uint32_t *word);

/* Convert s to a rule. Its expressions were kept at expr. */
void unwind_row_rule(const struct row_state *s, bool signal,
		     const uint8_t *expr, struct unwind_rule *rule);

/* entry.c: async-signal-safe */

/*
 * Open the entry, a CIE or FDE, at addr: limit *in to it, after the length.
 * Returns the address after the entry; 0 at the end of the section, or if it
 * does not fit its segment.
 */
uintptr_t unwind_entry_open(const struct cfi_image *image, uintptr_t addr,
			    struct in *in);

/* The value that a CIE has in the field where an FDE refers to its CIE. */
static inline uint32_t
unwind_entry_cie_id(const struct cfi_image *image)
{
	return image->is_debug ? 0xffffffff : 0;
}

/*
 * Read the CIE at addr, and run its instructions. cie->good: it was understood.
 */
void unwind_entry_cie(const struct cfi_image *image, struct row_sink *to,
		      uintptr_t addr, struct row_cie *cie);

/* The address of the CIE of the FDE at addr; 0: it is not an FDE. */
uintptr_t unwind_entry_cie_of(const struct cfi_image *image, uintptr_t addr);

/* Read the head of the FDE at addr, whose CIE is cie. False: not understood. */
bool unwind_entry_fde(const struct cfi_image *image, uintptr_t addr,
		      const struct row_cie *cie, struct row_fde *fde);

/*
 * Read .eh_frame_hdr. Returns the address of .eh_frame, or 0. *t is empty if
 * the table is missing or not in the usual format.
 */
uintptr_t unwind_entry_hdr(const struct cfi_image *image, struct cfi_search *t);

/* The i-th entry's code, and the address of its FDE. */
static inline uintptr_t
unwind_entry_code(const struct cfi_image *image, const struct cfi_search *t,
		  size_t i)
{
	int32_t v;

	__builtin_memcpy(&v, t->entry + 8 * i, 4);
	return image->hdr + (uintptr_t)(intptr_t)v;
}

static inline uintptr_t
unwind_entry_at(const struct cfi_image *image, const struct cfi_search *t,
		size_t i)
{
	int32_t v;

	__builtin_memcpy(&v, t->entry + 8 * i + 4, 4);
	return image->hdr + (uintptr_t)(intptr_t)v;
}

/* pool.c: not for signal handlers */

/* The output: rows and rules. */
struct row_out {
	struct row_sink sink; /* first; set by unwind_row_out() */
	bool signal;          /* of the function under way */
	struct unwind_pool *pool;
	struct cfi_rows *rows;
	uintptr_t text_lo; /* rows are relative to this */
	size_t cap;
	size_t left; /* work that may still be done, in bytes of instructions;
		      * 0: it was too much */
	bool no_memory;
};

/* Do work of n bytes. False: there is not as much left. */
static inline bool
row_spend(struct row_out *out, size_t n)
{
	if (n > out->left) {
		out->left = 0;
		return false;
	}
	out->left -= n;
	return true;
}

/* Begin to write rows of code from text_lo on, functions in the order of their
 * addresses. */
struct row_out unwind_row_out(struct unwind_pool *pool, struct cfi_rows *rows,
			      uintptr_t text_lo);

/*
 * Set word from pc on. A function that begins before the last one ends takes
 * precedence.
 */
void unwind_row_emit(struct row_out *out, uintptr_t pc, uint32_t word);

/* The word of code without a caller: the walk ends there, at the root.
 * WORD_ROOT if it is the pool's first rule. */
uint32_t unwind_row_root(struct unwind_pool *pool);

#endif
