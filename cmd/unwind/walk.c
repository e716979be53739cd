/*
 * walk.c - see walk.h. libsample's steps read the stack through a window: the
 * bounds are those of the original, the bytes those of the copy. Reads above it
 * go to unwind_far_load(), which libsample implements differently: this one
 * only notes that the copy was too short.
 */
#include "config.h"

#include "walk.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "gopcsp.h"
#include "libsample/unwind/frames.h"
#include "libsample/unwind/step.h"
#include "rows.h"

#define FAR_BYTES ((uintptr_t)1 << 24) /* no frame is larger than this */

struct walker {
	struct unwind_code code; /* first: see walker_of() */
	walk_find_fn *find;
	void *ctx;
	struct unwind_far far;
	struct unwind_bounds bounds;
	struct unwind_frame f;
	unsigned n_guess;
	bool is_beyond;   /* reached a stack that is not in the copy */
	bool is_switched; /* the last step was from one by GOPCSP_SWITCHED */
	long long first[ARCH_N_CONTEXT], signal[ARCH_N_CONTEXT];
};

struct walker *
walker_new(void)
{
	return calloc(1, sizeof(struct walker));
}

void
walker_free(struct walker *w)
{
	free(w);
}

bool
walk_perf_regs(struct walk_stack *s, uint64_t mask, const uint64_t *word,
	       size_t n_word)
{
	uint64_t has = 0;

	memset(s->reg, 0, sizeof(s->reg));
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (n_word-- == 0)
			return false;
		if (walk_perf_reg(bit) < WALK_N_REG) {
			s->reg[walk_perf_reg(bit)] = *word;
			has |= UINT64_C(1) << walk_perf_reg(bit);
		}
		word++;
	}
	return has >> WALK_SP & has >> WALK_PC & 1;
}

bool
unwind_far_load(struct unwind_far *far, uintptr_t addr, uintptr_t *value)
{
	(void)addr;
	(void)value;
	far->n_read++;
	return false;
}

static const struct walker *
walker_of(const struct unwind_code *c)
{
	return (const struct walker *)c;
}

/* As walk_find_fn; the program may be an emulator, with another machine's code.
 */
static bool
find_code(const struct walker *w, uintptr_t pc, struct walk_code *out)
{
	if (!w->find(w->ctx, pc, out))
		return false;
	if (out->rows && rows_machine(out->rows) != &machine_own)
		out->rows = NULL;
	return true;
}

static uint32_t
code_word(const struct unwind_code *c, uintptr_t pc)
{
	const struct walker *w = walker_of(c);
	struct walk_code at;

	return find_code(w, pc, &at) && at.rows
		       ? rows_word(at.rows, pc - at.bias)
		       : WORD_NONE;
}

static bool
code_is_object(const struct unwind_code *c, uintptr_t pc)
{
	const struct walker *w = walker_of(c);
	struct walk_code at;

	return find_code(w, pc, &at) && at.rows;
}

/* Nothing else in a vDSO calls. */
static bool
code_is_sigreturn(const struct unwind_code *c, uintptr_t pc)
{
	struct walk_code at;

	return find_code(walker_of(c), pc, &at) && at.is_vdso;
}

/* Continue with the code that a signal interrupted: its registers are in the
 * copy. */
static enum unwind_step
step_kernel(struct walker *w)
{
	uintptr_t at = w->f.sp + ARCH_SIGNAL_REGS, from = w->f.sp;
	const size_t n_bytes = 8 * ARCH_N_NEEDED;

	if (at < w->bounds.lo || at >= w->bounds.hi ||
	    w->bounds.hi - at < n_bytes) {
		w->is_beyond = true;
		return STEP_FAILED;
	}
	memcpy(w->signal, (const void *)(at + w->bounds.shift), n_bytes);
	unwind_step_regs(&w->f, w->signal);
	w->is_beyond = w->f.sp <= from || w->f.sp >= w->bounds.hi;
	return STEP_OK;
}

static enum unwind_step
walk_step(struct walker *w, struct unwind_frames *out)
{
	/* A call may be the last instruction: look up before it. */
	uintptr_t at = w->f.regs ? w->f.pc : w->f.pc - 1;
	enum unwind_step how;
	struct walk_code code;
	uint32_t word = WORD_NONE;

	if (!find_code(w, at, &code))
		return STEP_FAILED;
	if (code.rows) {
		word = rows_word(code.rows, at - code.bias);
		w->code.pool = rows_pool(code.rows);
	}
	w->is_switched = word == GOPCSP_SWITCHED;
	how = unwind_step(&w->f, &w->bounds, &w->code, word, at, &w->n_guess);
	if (how != STEP_KERNEL)
		return how;
	/* As libsample does: a handler returns to it, it made no call. */
	if (!w->f.regs)
		++*out->last;
	return step_kernel(w);
}

static void
walk_begin(struct walker *w, const struct walk_stack *s)
{
	for (unsigned i = 0; i < WALK_N_REG; i++)
		w->first[arch_place(i)] = (long long)s->reg[i];
	unwind_step_regs(&w->f, w->first);
	w->n_guess = 0;
	w->is_beyond = false;
	w->is_switched = false;
	w->code.word = code_word;
	w->code.is_object = code_is_object;
	w->code.is_sigreturn = code_is_sigreturn;
}

/* Is the entry that the walk has reached an address of code? */
static bool
is_code(const struct walker *w)
{
	struct walk_code code;

	return w->find(w->ctx, w->f.regs ? w->f.pc : w->f.pc - 1, &code);
}

size_t
walk_frames(struct walker *w, const struct walk_stack *s, walk_find_fn *find,
	    void *ctx, uint64_t *pc, size_t max, struct unwind_info *info)
{
	uintptr_t sp = s->reg[WALK_SP];
	uintptr_t fp = 0;
	enum unwind_step how;
	struct unwind_frames out = { .pc = pc, .max = max };
	unsigned n_guess;
	bool is_chain = false; /* the frame pointer is from a frame record */

	w->find = find;
	w->ctx = ctx;
	walk_begin(w, s);
	w->bounds = (struct unwind_bounds){
		.lo = sp,
		.hi = sp + s->n < sp ? sp : sp + s->n,
		.shift = (uintptr_t)s->bytes - sp,
		.far = &w->far,
	};
	w->far.n_read = 0;
	w->far.limit = w->bounds.hi < UINTPTR_MAX - FAR_BYTES
			       ? w->bounds.hi + FAR_BYTES
			       : UINTPTR_MAX;
	info->end = UNWIND_ROOT;
	unwind_frames_add(&out, s->reg[WALK_PC]);
	while (n_guess = w->n_guess, fp = w->f.fp,
	       (how = walk_step(w, &out)) == STEP_OK) {
		if (!is_code(w)) {
			how = STEP_FAILED;
			break;
		}
		unwind_frames_add(&out, w->f.regs ? w->f.pc + 1 : w->f.pc);
		w->far.n_read = 0;
		is_chain = w->f.sp == fp + (uintptr_t)ARCH_FRAME_RECORD + 16;
	}
	/* A guessed frame pointer may not be one. */
	if (how == STEP_FAILED && (w->n_guess == n_guess || is_chain) &&
	    (w->far.n_read > 0 || w->is_beyond))
		info->end = UNWIND_TRUNCATED;
	else if (how == STEP_FAILED)
		info->end = w->is_switched ? UNWIND_SWITCHED : UNWIND_FAILED;
	else if (how == STEP_BEGUN)
		++*out.last;
	info->n_guess = w->n_guess;
	info->is_cut = out.n_all > max;
	return unwind_frames_end(&out, true);
}

const struct machine machine_own = {
	.name = WALK_MACHINE_NAME,
	.elf = WALK_MACHINE,
	.n_reg = DW_N_REG,
	.compile = unwind_cfi_compile,
	.compile_go = gopcsp_compile,
	.is_expr = unwind_expr_check,
	.walker_new = walker_new,
	.perf_regs = walk_perf_regs,
	.walk = walk_frames,
};
