/*
 * step.h - one step of a walk: from a frame to its caller, by the word of a row
 * of compiled unwind information. The caller provides the words and the stack:
 * unwind.c walks the stack of its own thread, cmd/unwind a copy of another
 * process's. Async-signal-safe.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "frames.h"
#include "impl.h"

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

/* Step by the word of at, an address in the instruction that f executes. */
static inline enum unwind_step
unwind_step(struct unwind_frame *f, const struct unwind_bounds *b,
	    const struct unwind_code *c, uint32_t word, uintptr_t at,
	    unsigned *n_guess)
{
	if (word & WORD_PACKED)
		return arch_step_packed(f, b, word);
	if (word != WORD_NONE)
		return unwind_step_rule(f, b, c->pool->expr,
					&c->pool->rule[word >> 1]);
	return unwind_step_guess(f, b, c, at, n_guess);
}

#endif
