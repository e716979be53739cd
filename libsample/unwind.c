/*
 * unwind.c - the walk: from the registers of an interrupted thread to the
 * addresses on its stack. Everything here runs inside a signal handler; it
 * calls nothing but unwind-expr.c and unwind-far.c and reads nothing but the
 * tables that unwind-table.c published, its arguments, and stack memory within
 * bounds
 * (tests/handler.t holds the object files to that).
 */
#include "config.h"

#include <ucontext.h>

#include "unwind-int.h"
#include "unwind.h"

/* Below the stack pointer, leaf functions of x86-64 may use this much. */
#define RED_ZONE 128

/*
 * Within this far below an interrupted stack pointer the kernel has laid the
 * signal frame and we run, so what lies between is mapped.
 */
#define NEAR_BYTES 32768
#define PAGE_BYTES 4096

/* No stack is larger, of those that nobody announces. */
#define FAR_BYTES ((uintptr_t)1 << 24)

/* Nothing is mapped below (vm.mmap_min_addr), so no code is there. */
#define LOWEST_CODE 65536

struct unwind_state unwind_state;

/* A walk under way. */
struct walk {
	struct unwind_tables *tables; /* NULL: none were published */
	const struct unwind_stack *stack;
	size_t n_stack;
	struct unwind_bounds bounds;
	struct unwind_far *far; /* of the caller */
	bool has_far;           /* and taken by this walk */
	struct unwind_frame f;
	unsigned n_guess;
};

enum step {
	STEP_OK, /* walk.f is the caller now */
	STEP_ROOT,
	STEP_BEGUN, /* the same, and the last return address was made up */
	STEP_FAILED,
};

/* Make the stack that sp is on the one we read; false: it is on none. */
static bool
enter_stack(struct walk *w, uintptr_t sp)
{
	for (size_t i = 0; i < w->n_stack; i++) {
		const struct unwind_stack *s = &w->stack[i];

		if (sp < s->lo || sp >= s->hi)
			continue;
		w->bounds.hi = s->hi;
		w->bounds.lo = sp - s->lo > RED_ZONE ? sp - RED_ZONE : s->lo;
		w->bounds.far = NULL;
		return true;
	}
	return false;
}

/*
 * A stack that nobody told us of. What is below hi can be read as it is; no
 * more is known.
 */
static bool
enter_unknown(struct walk *w, uintptr_t lo, uintptr_t hi)
{
	w->bounds.lo = lo;
	w->bounds.hi = hi;
	w->bounds.far = NULL;
	if (!w->has_far)
		w->has_far = unwind_far_begin(w->far);
	if (w->has_far) {
		w->bounds.far = w->far;
		w->far->limit = hi < UINTPTR_MAX - FAR_BYTES ? hi + FAR_BYTES
							     : UINTPTR_MAX;
	}
	return w->has_far;
}

/*
 * If the signal was delivered on such a stack, the page at its end is mapped:
 * the kernel wrote below it.
 */
static void
enter_first(struct walk *w, uintptr_t sp)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t lo = (sp - RED_ZONE) & ~(uintptr_t)7;

	if (enter_stack(w, sp))
		return;
	if (here < sp && sp - here < NEAR_BYTES)
		enter_unknown(w, lo,
			      (sp + PAGE_BYTES - 1) &
				      ~(uintptr_t)(PAGE_BYTES - 1));
	else
		enter_unknown(w, lo, lo);
}

/* Where the stack ends, or might. */
static inline uintptr_t
stack_limit(const struct walk *w)
{
	return w->bounds.far ? w->bounds.far->limit : w->bounds.hi;
}

#if defined(__x86_64__)

/* From DWARF's numbers to the kernel's. */
static const uint8_t greg[DW_N_REG] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
	REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
	REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

bool
unwind_reg(const struct unwind_frame *f, unsigned reg, uintptr_t *value)
{
	if (reg == DW_RSP)
		*value = f->sp;
	else if (reg == DW_RBP)
		*value = f->bp;
	else if (reg == DW_RBX)
		*value = f->bx;
	else if (reg == DW_RIP)
		*value = f->pc;
	else if (reg < DW_N_REG && f->kept)
		*value = (uintptr_t)f->kept[greg[reg]];
	else
		return false;
	return true;
}

/* The object whose code pc is in, or NULL. */
static const struct unwind_object *
find_object(const struct unwind_tables *t, uintptr_t pc)
{
	size_t lo = 0, hi = t->n_object;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (pc < t->object[mid].lo)
			hi = mid;
		else if (pc >= t->object[mid].hi)
			lo = mid + 1;
		else
			return &t->object[mid];
	}
	return NULL;
}

static uint32_t
find_word(const struct unwind_tables *t, uintptr_t pc)
{
	const struct unwind_object *o = find_object(t, pc);
	const struct unwind_row *row;
	uint32_t off;
	size_t n;

	if (!o || o->n_row == 0 || pc - o->lo < o->row[0].off)
		return WORD_NONE;
	/* The last row at or below off; row[0] always is. */
	off = (uint32_t)(pc - o->lo);
	row = o->row;
	n = o->n_row;
	while (n > 1) {
		size_t half = n / 2;

		if (row[half].off <= off)
			row += half;
		n -= half;
	}
	return row->word;
}

/* What is known at pc, through the cache. */
static inline uint32_t
lookup(struct unwind_tables *t, uintptr_t pc)
{
	const uint64_t mask = (UINT64_C(1) << CACHE_PC_BITS) - 1;
	uint64_t mixed = (pc * UINT64_C(0x9e3779b97f4b)) & mask;
	uint64_t tag = mixed << 32, e;
	_Atomic uint64_t *slot;
	uint32_t word;

	if (pc > mask)
		return WORD_NONE;
	slot = &t->cache[mixed >> (CACHE_PC_BITS - CACHE_BITS)];
	e = atomic_load_explicit(slot, memory_order_relaxed);
	if (e >> 32 == tag >> 32 && (uint32_t)e != WORD_NONE)
		return (uint32_t)e;
	word = find_word(t, pc);
	if (word != WORD_NONE)
		atomic_store_explicit(slot, tag | word, memory_order_relaxed);
	return word;
}

static bool
locate(const struct walk *w, const struct unwind_loc *l, uintptr_t cfa,
       uintptr_t same, uintptr_t *value)
{
	const struct unwind_pool *pool = w->tables->pool;
	uintptr_t off = (uintptr_t)(intptr_t)l->off;

	switch (l->kind) {
	case LOC_DEFAULT:
		*value = same;
		return true;
	case LOC_UNDEFINED:
		*value = 0;
		return true;
	case LOC_CFA_MEM:
		return unwind_load(&w->bounds, cfa + off, value);
	case LOC_CFA_VAL:
		*value = cfa + off;
		return true;
	case LOC_REG:
		if (!unwind_reg(&w->f, l->reg, value))
			return false;
		*value += off;
		return true;
	case LOC_EXPR_MEM:
	case LOC_EXPR_VAL:
		if (!unwind_expr_eval(pool->expr + l->off, l->n_expr, &w->f,
				      &w->bounds, &cfa, value))
			return false;
		return l->kind == LOC_EXPR_VAL ||
		       unwind_load(&w->bounds, *value, value);
	}
	return false;
}

/*
 * The caller's value of a register that this function may have saved. In
 * functions with a realigned stack GCC says that rbp is saved where rbp
 * points, and goes on to say so after it was popped. So it is believed only
 * for memory of this frame; otherwise, as in the epilogue, rbp has it.
 */
static void
locate_saved(const struct walk *w, const struct unwind_loc *l, uintptr_t cfa,
	     uintptr_t *value)
{
	const uint8_t *e = w->tables->pool->expr + l->off;
	uintptr_t at, v;

	if (l->kind != LOC_EXPR_MEM) {
		if (locate(w, l, cfa, *value, &v))
			*value = v;
	} else if (unwind_expr_eval(e, l->n_expr, &w->f, &w->bounds, &cfa,
				    &at) &&
		   at < cfa && unwind_load(&w->bounds, at, &v)) {
		*value = v;
	}
}

/*
 * The frame that the kernel built to run a signal handler: a ucontext_t lies
 * at sp. What was interrupted may be on another of the thread's stacks.
 */
static enum step
step_kernel(struct walk *w)
{
	const size_t off = offsetof(ucontext_t, uc_mcontext.gregs);
	const size_t n_bytes = 8 * (REG_RIP + 1);
	uintptr_t at = w->f.sp + off;
	const long long *regs;

	if (at & 7 || at < w->bounds.lo || at >= w->bounds.hi ||
	    w->bounds.hi - at < n_bytes)
		return STEP_FAILED;
	regs = (const long long *)at;
	w->f.regs = w->f.kept = regs;
	w->f.pc = (uintptr_t)regs[REG_RIP];
	w->f.bp = (uintptr_t)regs[REG_RBP];
	w->f.bx = (uintptr_t)regs[REG_RBX];
	/* On the same stack the frames go on above; never below. */
	if ((uintptr_t)regs[REG_RSP] > w->f.sp &&
	    (uintptr_t)regs[REG_RSP] < stack_limit(w)) {
		w->f.sp = (uintptr_t)regs[REG_RSP];
		return STEP_OK;
	}
	w->f.sp = (uintptr_t)regs[REG_RSP];
	if (enter_stack(w, w->f.sp))
		return STEP_OK;
	at = (w->f.sp - RED_ZONE) & ~(uintptr_t)7;
	return enter_unknown(w, at, at) ? STEP_OK : STEP_FAILED;
}

/* A rule that did not fit a word. */
static __attribute__((noinline)) enum step
step_rule(struct walk *w, const struct unwind_rule *r)
{
	const struct unwind_pool *pool = w->tables->pool;
	uintptr_t cfa, sp, pc, bp = w->f.bp, bx = w->f.bx;

	if (r->reg[TRACK_RA].kind == LOC_UNDEFINED)
		return STEP_ROOT;
	if (r->signal == SIGNAL_KERNEL)
		return step_kernel(w);
	if (r->cfa.kind == LOC_EXPR_VAL) {
		if (!unwind_expr_eval(pool->expr + r->cfa.off, r->cfa.n_expr,
				      &w->f, &w->bounds, NULL, &cfa))
			return STEP_FAILED;
	} else if (!locate(w, &r->cfa, 0, 0, &cfa)) {
		return STEP_FAILED;
	}
	if (!locate(w, &r->reg[TRACK_RSP], cfa, cfa, &sp) ||
	    !locate(w, &r->reg[TRACK_RA], cfa, 0, &pc))
		return STEP_FAILED;
	locate_saved(w, &r->reg[TRACK_RBP], cfa, &bp);
	locate_saved(w, &r->reg[TRACK_RBX], cfa, &bx);
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	/*
	 * A frame without extent would be met for ever; but a function may
	 * have left all of its own, and be about to jump back.
	 */
	if (sp < w->f.sp || (sp == w->f.sp && !w->f.regs) ||
	    sp > stack_limit(w) || sp & 7)
		return STEP_FAILED;
	w->f.regs = NULL;
	if (!r->keeps)
		w->f.kept = NULL;
	w->f.pc = r->signal ? pc + 1 : pc;
	w->f.sp = sp;
	w->f.bp = bp;
	w->f.bx = bx;
	return STEP_OK;
}

/*
 * Code of a known object that has no unwind information, interrupted: PLT
 * entries of lld and small assembly functions. These keep no frame, so the
 * return address is on top, or under the one or two words that a PLT entry
 * pushes. A word that points behind code with unwind information is taken for
 * it; on top, behind any code of an object, as those functions call each other.
 */
static enum step
guess_top(struct walk *w)
{
	uintptr_t pc;

	for (unsigned i = 0; i < 3; i++) {
		if (!unwind_load(&w->bounds, w->f.sp + 8 * i, &pc))
			return STEP_FAILED;
		if (pc == 0 || (lookup(w->tables, pc - 1) == WORD_NONE &&
				(i > 0 || !find_object(w->tables, pc - 1))))
			continue;
		w->f.regs = w->f.kept = NULL;
		w->f.pc = pc;
		w->f.sp += 8 * (i + 1);
		return STEP_OK;
	}
	return STEP_FAILED;
}

#else

/* No tables, so nobody asks. */
bool
unwind_reg(const struct unwind_frame *f, unsigned reg, uintptr_t *value)
{
	(void)f;
	(void)reg;
	(void)value;
	return false;
}

#if defined(__aarch64__)
/* Pointer authentication codes lie above the address. */
#define PC_MASK UINT64_C(0x0000ffffffffffff)
#endif

#endif

/*
 * A frame record at the frame pointer: the caller's frame pointer, then the
 * return address. The one convention that needs no tables: JIT compilers
 * keep it, and other machines than x86-64 are walked by it alone.
 */
static enum step
step_frame(struct walk *w)
{
	uintptr_t bp, pc;

	if (w->f.bp == 0 && !w->f.regs)
		return STEP_ROOT;
	/*
	 * Boost.Context starts a coroutine with the address of the code that
	 * comes after it as frame pointer and as return address.
	 */
	if (w->f.bp == w->f.pc && !w->f.regs)
		return STEP_ROOT;
	if (w->f.bp < w->f.sp || !unwind_load(&w->bounds, w->f.bp, &bp) ||
	    !unwind_load(&w->bounds, w->f.bp + 8, &pc))
		return STEP_FAILED;
#if defined(PC_MASK)
	pc &= PC_MASK;
#endif
	if (pc < LOWEST_CODE)
		return pc ? STEP_FAILED : STEP_ROOT;
	w->f.regs = w->f.kept = NULL;
	w->f.pc = pc;
	w->f.sp = w->f.bp + 16;
	w->f.bp = bp;
	return STEP_OK;
}

/* at: the address to look up, in the instruction that f executes. */
static inline enum step
step(struct walk *w, uintptr_t at)
{
#if defined(__x86_64__)
	uint32_t word = w->tables ? lookup(w->tables, at) : WORD_NONE;
	uintptr_t cfa, pc, bp, bx;
	unsigned slot;

	if (word & WORD_PACKED) {
		cfa = (word & WORD_RBP ? w->f.bp : w->f.sp) +
		      (uintptr_t)(word >> WORD_CFA_SHIFT) * 8;
		if (cfa <= w->f.sp || !unwind_load(&w->bounds, cfa - 8, &pc))
			return STEP_FAILED;
		/*
		 * A slot further below rsp than the red zone goes has been
		 * popped: the register is kept.
		 */
		bp = w->f.bp;
		slot = word >> WORD_RBP_SHIFT & WORD_SLOT_MAX;
		if (slot)
			(void)unwind_load(&w->bounds, cfa - 8 * slot, &bp);
		bx = w->f.bx;
		slot = word >> WORD_RBX_SHIFT & WORD_SLOT_MAX;
		if (slot)
			(void)unwind_load(&w->bounds, cfa - 8 * slot, &bx);
		if (pc < LOWEST_CODE)
			return pc ? STEP_FAILED : STEP_ROOT;
		w->f.regs = NULL;
		if (!(word & WORD_KEEPS))
			w->f.kept = NULL;
		w->f.pc = pc;
		w->f.sp = cfa;
		w->f.bp = bp;
		w->f.bx = bx;
		return STEP_OK;
	}
	if (word != WORD_NONE)
		return step_rule(w, &w->tables->pool->rule[word >> 1]);
	/*
	 * Nobody calls from before the first instruction of a function: such a
	 * return address was put there for the outermost function of a stack
	 * (makecontext's __start_context).
	 */
	if (!w->f.regs && w->tables && lookup(w->tables, at + 1) != WORD_NONE)
		return STEP_BEGUN;
	w->n_guess++;
	if (w->f.regs && w->tables && find_object(w->tables, at) &&
	    guess_top(w) == STEP_OK)
		return STEP_OK;
#else
	(void)at;
	w->n_guess++;
#endif
	return step_frame(w);
}

static size_t
walk_frames(struct walk *w, uintptr_t *pc, size_t max, struct unwind_info *info)
{
	size_t n = 0;

	pc[n++] = w->f.pc;
	for (;;) {
		/* A call may be the last instruction: look up before it. */
		uintptr_t at = w->f.regs ? w->f.pc : w->f.pc - 1;

		switch (step(w, at)) {
		case STEP_OK:
			break;
		case STEP_BEGUN:
			pc[n - 1]++;
			info->end = UNWIND_ROOT;
			return n;
		case STEP_ROOT:
			info->end = UNWIND_ROOT;
			return n;
		case STEP_FAILED:
			info->end = UNWIND_FAILED;
			info->where_pc = w->f.pc;
			return n;
		}
		if (n == max) {
			info->end = UNWIND_TRUNCATED;
			return n;
		}
		pc[n++] = w->f.regs ? w->f.pc + 1 : w->f.pc;
	}
}

/* Registers of the interrupted code; false on machines we do not know. */
static bool
first_frame(const ucontext_t *uc, struct unwind_frame *f)
{
#if defined(__x86_64__)
	f->regs = f->kept = uc->uc_mcontext.gregs;
	f->pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	f->sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
	f->bp = (uintptr_t)uc->uc_mcontext.gregs[REG_RBP];
	f->bx = (uintptr_t)uc->uc_mcontext.gregs[REG_RBX];
	return true;
#elif defined(__aarch64__)
	f->regs = f->kept = (const long long *)uc->uc_mcontext.regs;
	f->pc = uc->uc_mcontext.pc;
	f->sp = uc->uc_mcontext.sp;
	f->bp = uc->uc_mcontext.regs[29];
	return true;
#else
	(void)uc;
	(void)f;
	return false;
#endif
}

size_t
unwind_walk(const void *uc, const struct unwind_stack *stack, size_t n_stack,
	    struct unwind_far *far, uintptr_t *pc, size_t max,
	    struct unwind_info *info)
{
	struct walk w = { .stack = stack, .n_stack = n_stack, .far = far };
	/* Threads differ in the stack they are on: spread them by that. */
	uint32_t here = (uint32_t)((uintptr_t)&w >> 12);
	atomic_uint *reader = &unwind_state.reader[here * 0x9e3779b1u >> 29].n;
	size_t n = 0;

	info->end = UNWIND_FAILED;
	info->n_guess = 0;
	info->where_pc = 0;
	if (max == 0 || !first_frame(uc, &w.f))
		return 0;
	enter_first(&w, w.f.sp);
	/*
	 * Count first, then load: whoever replaces the tables and afterwards
	 * sees no reader knows that all later ones load the new tables.
	 */
	atomic_fetch_add(reader, 1);
	w.tables = atomic_load(&unwind_state.tables);
	n = walk_frames(&w, pc, max, info);
	atomic_fetch_sub(reader, 1);
	if (w.has_far)
		far->in_use = 0;
	info->n_guess = w.n_guess;
	return n;
}
