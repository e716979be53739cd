/*
 * chain.c - see chain.h. Where the copy's frames and the kernel's do not fit,
 * as in Go's assembler that uses the frame pointer for data, the stack stays as
 * it is.
 */
#include "config.h"

#include "chain.h"

#include "libsample/unwind/impl.h"
#include "rows.h"

/* Has the code at this address no caller? */
static bool
is_root(const struct walk_code *code, uint64_t pc)
{
	uint32_t word =
		code->rows ? rows_word(code->rows, pc - code->bias) : WORD_NONE;

	return word != WORD_NONE && !(word & WORD_PACKED) &&
	       rows_pool(code->rows)->rule[word >> 1].reg[TRACK_RA].kind ==
		       LOC_UNDEFINED;
}

/* The part of chain that follows the last frame of pc; 0: it is not known. What
 * chain has before, pc has in the same order, and more, of code without frame
 * pointers. */
static size_t
find_next(const uint64_t *chain, size_t n_chain, const uint64_t *pc, size_t n)
{
	size_t next = 0;

	for (size_t i = 0; next < n_chain; next++, i++) {
		while (i < n && pc[i] != chain[next])
			i++;
		if (i == n)
			return 0;
		if (i == n - 1)
			return i > 0 ? next + 1 : 0;
	}
	return 0;
}

size_t
chain_continue(walk_find_fn *find, void *ctx, const uint64_t *chain,
	       size_t n_chain, uint64_t *pc, size_t n, size_t max,
	       struct unwind_info *info)
{
	size_t next = find_next(chain, n_chain, pc, n), n_walked = n;
	struct walk_code code;

	for (; next && next < n_chain && n < max; next++) {
		if (!find(ctx, chain[next] - 1, &code))
			break;
		pc[n++] = chain[next];
		info->n_guess++;
		if (is_root(&code, chain[next] - 1)) {
			info->end = UNWIND_ROOT;
			break;
		}
	}
	/* The kernel follows so many frames only. */
	if (info->end == UNWIND_SWITCHED && n > n_walked && n < max)
		pc[n++] = UNWIND_GAP;
	return n;
}
