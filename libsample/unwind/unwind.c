/*
 * unwind.c - the walk: from the registers of an interrupted thread to the
 * addresses on its stack. All code runs inside a signal handler: it calls only
 * step.c, expr.c, far.c and find.c (with entry.c and row.c), and reads only the
 * tables that table.c published, the unwind information of objects that are
 * never unloaded, its arguments, and stack memory within bounds
 * (tests/record/handler.t checks the object files).
 */
#include "config.h"

#include "frames.h"
#include "step.h"
#include "unwind.h"

/*
 * The signal frame, and our own frames, are within this distance below an
 * interrupted stack pointer, so memory in between is mapped.
 */
#define NEAR_BYTES 32768
#define PAGE_BYTES 4096

/* Limit of the size of an unknown stack. */
#define FAR_BYTES ((uintptr_t)1 << 24)

struct unwind_state unwind_state;

/* The state of a walk. */
struct walk {
	struct unwind_code code;      /* first: see walk_of() */
	struct unwind_tables *tables; /* NULL: none were published */
	const struct unwind_stack *stack;
	size_t n_stack;
	struct unwind_bounds bounds;
	struct unwind_far *far; /* of the caller */
	bool has_far;           /* far is in use by this walk */
	struct unwind_guest *guest;
	struct unwind_frame f;
	unsigned n_guess;
	/* Of the last look-up that gave WORD_RULE: */
	struct unwind_rule rule;
	const uint8_t *expr;
};

/* Select the stack that contains sp; false: there is none. */
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

/* Enter an unknown stack. Memory below hi is readable; the rest is unknown. */
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
 * If the signal was delivered on an unknown stack, its last page is mapped: the
 * kernel wrote uc below it.
 */
static void
enter_first(struct walk *w, uintptr_t sp, const void *uc)
{
	uintptr_t here = (uintptr_t)uc;
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

static struct walk *
walk_of(const struct unwind_code *c)
{
	return (struct walk *)(uintptr_t)c;
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
find_word(struct walk *w, uintptr_t pc)
{
	const struct unwind_object *o = find_object(w->tables, pc);
	uint32_t off;

	if (o && o->search.n) {
		w->expr = (const uint8_t *)o->image.hdr;
		return unwind_find(&o->image, &o->search, pc, &w->rule);
	}
	if (!o || o->n_row == 0 || pc - o->lo < o->row[0].off)
		return WORD_NONE;
	off = (uint32_t)(pc - o->lo);
	return unwind_row_at(o->row, o->n_row, off);
}

/* The word at pc, through the cache. */
static inline uint32_t
lookup(struct walk *w, uintptr_t pc)
{
	const uint64_t mask = (UINT64_C(1) << CACHE_PC_BITS) - 1;
	uint64_t mixed = (pc * UINT64_C(0x9e3779b97f4b)) & mask;
	uint64_t tag = mixed << 32, e;
	_Atomic uint64_t *slot;
	uint32_t word;

	if (pc > mask)
		return WORD_NONE;
	slot = &w->tables->cache[mixed >> (CACHE_PC_BITS - CACHE_BITS)];
	e = atomic_load_explicit(slot, memory_order_relaxed);
	if (e >> 32 == tag >> 32 && (uint32_t)e != WORD_NONE)
		return (uint32_t)e;
	word = find_word(w, pc);
	if (word != WORD_NONE && word != WORD_RULE)
		atomic_store_explicit(slot, tag | word, memory_order_relaxed);
	return word;
}

/*
 * Step over the signal frame of the kernel: a ucontext_t is at sp. The
 * interrupted code may be on another stack of the thread.
 */
static enum unwind_step
step_kernel(struct walk *w)
{
	uintptr_t at = w->f.sp + ARCH_SIGNAL_REGS, from = w->f.sp;

	if (at & 7 || at < w->bounds.lo || at >= w->bounds.hi ||
	    w->bounds.hi - at < 8 * ARCH_N_NEEDED)
		return STEP_FAILED;
	unwind_step_regs(&w->f, (const long long *)at);
	/* On the same stack, the frames continue above, never below. */
	if (w->f.sp > from && w->f.sp < unwind_limit(&w->bounds))
		return STEP_OK;
	if (enter_stack(w, w->f.sp))
		return STEP_OK;
	at = (w->f.sp - RED_ZONE) & ~(uintptr_t)7;
	return enter_unknown(w, at, at) ? STEP_OK : STEP_FAILED;
}

static uint32_t
code_word(const struct unwind_code *c, uintptr_t pc)
{
	return lookup(walk_of(c), pc);
}

static bool
code_is_object(const struct unwind_code *c, uintptr_t pc)
{
	return find_object(walk_of(c)->tables, pc) != NULL;
}

/* Two instructions at pc: of the vDSO, or through the kernel, as pc may be any
 * number. */
static bool
code_is_sigreturn(const struct unwind_code *c, uintptr_t pc)
{
	struct walk *w = walk_of(c);
	const struct unwind_object *o = find_object(w->tables, pc);
	bool was_in_use = w->has_far;
	uintptr_t limit, code[2];
	bool is_read;

	if (pc & 3)
		return false;
	if (o && o->hi - pc >= sizeof(code[0]))
		return *(const unwind_word *)pc == ARCH_SIGRETURN;
	if (!was_in_use && !unwind_far_begin(w->far))
		return false;
	limit = w->far->limit;
	w->far->limit = UINTPTR_MAX;
	is_read = unwind_far_load(w->far, pc & ~(uintptr_t)7, &code[0]) &&
		  (!(pc & 4) || unwind_far_load(w->far, pc + 4, &code[1]));
	w->far->limit = limit;
	w->far->in_use = was_in_use;
	if (is_read && pc & 4)
		code[0] = code[0] >> 32 | code[1] << 32;
	return is_read && code[0] == ARCH_SIGRETURN;
}

/* at: the address to look up, in the instruction that f executes; *entry: that
 * of the array. */
static inline enum unwind_step
walk_step(struct walk *w, uintptr_t at, uintptr_t *entry)
{
	uint32_t word = w->tables ? lookup(w, at) : WORD_NONE;
	enum unwind_step how =
		word == WORD_RULE
			? unwind_step_rule(&w->f, &w->bounds, w->expr, &w->rule)
			: unwind_step(&w->f, &w->bounds,
				      w->tables ? &w->code : NULL, word, at,
				      &w->n_guess);

	if (how != STEP_KERNEL)
		return how;
	/* A handler returns to it without having been called by it. */
	if (!w->f.regs)
		++*entry;
	return step_kernel(w);
}

static enum unwind_end
walk_frames(struct walk *w, struct unwind_frames *out, struct unwind_info *info)
{
	uintptr_t entry = w->f.pc;

	while (out->n_all + 1 < UNWIND_MOST) {
		/* A call may be the last instruction: look up before it. */
		uintptr_t at = w->f.regs ? w->f.pc : w->f.pc - 1;
		uintptr_t last = w->f.last;
		enum unwind_step how = walk_step(w, at, &entry);

		if (how == STEP_BEGUN)
			entry++;
		if (how != STEP_OK || !w->guest ||
		    !w->guest->frame(w->guest, out, at, w->f.sp, last))
			unwind_frames_add(out, entry);
		if (how == STEP_BEGUN || how == STEP_ROOT)
			return UNWIND_ROOT;
		if (how != STEP_OK) {
			info->where_pc = w->f.pc;
			return UNWIND_FAILED;
		}
		entry = w->f.regs ? w->f.pc + 1 : w->f.pc;
	}
	unwind_frames_add(out, entry);
	return UNWIND_TRUNCATED;
}

size_t
unwind_walk(const void *uc, const struct unwind_stack *stack, size_t n_stack,
	    struct unwind_far *far, struct unwind_guest *guest, uintptr_t *pc,
	    size_t max, struct unwind_info *info)
{
	struct walk w = {
		.stack = stack, .n_stack = n_stack, .far = far, .guest = guest
	};
	/* Threads have different stacks: distribute them by that. */
	uint32_t here = (uint32_t)((uintptr_t)&w >> 12);
	atomic_uint *reader = &unwind_state.reader[here * 0x9e3779b1u >> 29].n;
	struct unwind_frames out = { .pc = pc, .max = max };
	const long long *regs = arch_registers((ucontext_t *)(uintptr_t)uc);

	info->end = UNWIND_FAILED;
	info->n_guess = 0;
	info->is_cut = false;
	info->where_pc = 0;
	if (max == 0 || !regs)
		return 0;
	unwind_step_regs(&w.f, regs);
	enter_first(&w, w.f.sp, uc);
	/*
	 * Count first, then load: a refresh that replaces the tables and then
	 * sees no reader knows that later readers load the new tables.
	 */
	atomic_fetch_add(reader, 1);
	w.tables = atomic_load(&unwind_state.tables);
	w.code.word = code_word;
	w.code.is_object = code_is_object;
	if (ARCH_SIGRETURN)
		w.code.is_sigreturn = code_is_sigreturn;
	w.code.pool = w.tables ? w.tables->pool : NULL;
	info->end = walk_frames(&w, &out, info);
	if (guest)
		guest->end(guest, &out, info->end == UNWIND_FAILED);
	atomic_fetch_sub(reader, 1);
	if (w.has_far)
		far->in_use = 0;
	info->n_guess = w.n_guess;
	info->is_cut = out.n_all > max || info->end == UNWIND_TRUNCATED;
	return unwind_frames_end(&out, info->end != UNWIND_TRUNCATED);
}
