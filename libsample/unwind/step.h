/*
 * step.h - one step of a walk: from a frame to its caller, by the word
 * that a row of compiled unwind information holds. It knows neither where the
 * words come from nor whose stack it is: unwind.c walks the stack of the thread
 * that it runs in, cmd/unwind a copy of another process's. All of it is
 * async-signal-safe.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "impl.h"
#include "unwind.h"

/* Nothing is mapped below (vm.mmap_min_addr), so no code is there. */
#define LOWEST_CODE 65536

/* Below the stack pointer, leaf functions of x86-64 may use this much. */
#define RED_ZONE 128

enum unwind_step {
	STEP_OK, /* the frame is the caller's now */
	STEP_ROOT,
	STEP_BEGUN,  /* the same, and the last return address was made up */
	STEP_KERNEL, /* a kernel's signal frame at sp, for unwind_step_regs() */
	STEP_FAILED,
};

/* What the walk knows of code; both functions get the struct itself. */
struct unwind_code {
	const struct unwind_pool *pool; /* of the word in unwind_step() */
	uint32_t (*word)(const struct unwind_code *c, uintptr_t pc);
	/* Is pc in code of some object, with unwind information or without? */
	bool (*is_object)(const struct unwind_code *c, uintptr_t pc);
};

/* A rule that did not fit a word. Its expressions are counted from expr. */
enum unwind_step unwind_step_rule(struct unwind_frame *f,
				  const struct unwind_bounds *b,
				  const uint8_t *expr,
				  const struct unwind_rule *r);

/*
 * Without unwind information, at being the address that was looked up:
 * *n_guess is raised unless the walk ends there for good. c NULL: nothing is
 * known of any code.
 */
enum unwind_step unwind_step_guess(struct unwind_frame *f,
				   const struct unwind_bounds *b,
				   const struct unwind_code *c, uintptr_t at,
				   unsigned *n_guess);

/*
 * Go on with the registers of a ucontext_t, which must stay where they are:
 * those of the code that a signal interrupted.
 */
void unwind_step_regs(struct unwind_frame *f, const long long *regs);

/* The registers' offset from a kernel's signal frame, and their size. */
size_t unwind_step_regs_at(size_t *n_bytes);

/* Where the stack ends, or might. */
static inline uintptr_t
unwind_limit(const struct unwind_bounds *b)
{
	return b->far ? b->far->limit : b->hi;
}

/* The last of n rows, n > 0, that begins at or before off: row[0] does. */
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

/* A word that holds all there is to know. */
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
	 * A slot further below rsp than the red zone goes has been popped: the
	 * register is kept.
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

/* By the word of at, an address in the instruction that f executes. */
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
