/*
 * step.h - one step of a walk: from a frame to its caller, by the word of a row
 * of compiled unwind information. The caller provides the words and the stack:
 * unwind.c walks the stack of its own thread, cmd/unwind a copy of another
 * process's. Async-signal-safe.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "impl.h"
#include "unwind.h"

/* Nothing is mapped below (vm.mmap_min_addr), so no code is there. */
#define LOWEST_CODE 65536

/* Bytes below the stack pointer that leaf functions of x86-64 may use. */
#define RED_ZONE 128

enum unwind_step {
	STEP_OK, /* the frame is now the caller's */
	STEP_ROOT,
	STEP_BEGUN,  /* the same, and the last return address is artificial */
	STEP_KERNEL, /* a kernel's signal frame at sp, for unwind_step_regs() */
	STEP_FAILED,
};

/* The code known to the walk; both functions get this struct. */
struct unwind_code {
	const struct unwind_pool *pool; /* of the words for unwind_step() */
	uint32_t (*word)(const struct unwind_code *c, uintptr_t pc);
	/* Is pc in code of some object, with unwind information or without? */
	bool (*is_object)(const struct unwind_code *c, uintptr_t pc);
};

/* Step by a rule that does not fit a word. Its expressions are relative to
 * expr. */
enum unwind_step unwind_step_rule(struct unwind_frame *f,
				  const struct unwind_bounds *b,
				  const uint8_t *expr,
				  const struct unwind_rule *r);

/*
 * Step without unwind information; at is the address that was looked up.
 * Increments *n_guess unless the walk ends there. c NULL: no code is known.
 */
enum unwind_step unwind_step_guess(struct unwind_frame *f,
				   const struct unwind_bounds *b,
				   const struct unwind_code *c, uintptr_t at,
				   unsigned *n_guess);

/*
 * Continue with the registers of a ucontext_t, those of the code that a signal
 * interrupted. They must stay valid.
 */
void unwind_step_regs(struct unwind_frame *f, const long long *regs);

/* The offset of the registers in a signal frame of the kernel, and their
 * size. */
size_t unwind_step_regs_at(size_t *n_bytes);

/* The end of the stack, or its highest possible end. */
static inline uintptr_t
unwind_limit(const struct unwind_bounds *b)
{
	return b->far ? b->far->limit : b->hi;
}

/* The last of n > 0 rows that begins at or before off: row[0] does. */
static inline uint32_t
unwind_row_at(const struct unwind_row *row, size_t n, uint32_t off)
{
	while (n > 1) {
		size_t half = n / 2;

		if (row[half].off <= off)
			row += half;
		n -= half;
	}
	return row->word;
}

/* Step by a packed word. */
static inline enum unwind_step
unwind_step_packed(struct unwind_frame *f, const struct unwind_bounds *b,
		   uint32_t word)
{
	uintptr_t cfa = (word & WORD_RBP ? f->bp : f->sp) +
			(uintptr_t)(word >> WORD_CFA_SHIFT) * 8;
	uintptr_t pc, bp = f->bp, bx = f->bx;
	unsigned slot;

	if (cfa <= f->sp || !unwind_load(b, cfa - 8, &pc))
		return STEP_FAILED;
	/*
	 * A slot further below rsp than the red zone was popped: the register
	 * has its value again.
	 */
	slot = word >> WORD_RBP_SHIFT & WORD_SLOT_MAX;
	if (slot)
		(void)unwind_load(b, cfa - 8 * slot, &bp);
	slot = word >> WORD_RBX_SHIFT & WORD_SLOT_MAX;
	if (slot)
		(void)unwind_load(b, cfa - 8 * slot, &bx);
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	f->regs = NULL;
	if (!(word & WORD_KEEPS))
		f->kept = NULL;
	f->pc = pc;
	f->sp = cfa;
	f->bp = bp;
	f->bx = bx;
	return STEP_OK;
}

/* Step by the word of at, an address in the instruction that f executes. */
static inline enum unwind_step
unwind_step(struct unwind_frame *f, const struct unwind_bounds *b,
	    const struct unwind_code *c, uint32_t word, uintptr_t at,
	    unsigned *n_guess)
{
	if (word & WORD_PACKED)
		return unwind_step_packed(f, b, word);
	if (word != WORD_NONE)
		return unwind_step_rule(f, b, c->pool->expr,
					&c->pool->rule[word >> 1]);
	return unwind_step_guess(f, b, c, at, n_guess);
}

#endif
