/*
 * hook.c - samples of calls of the program (allocations, waits) instead of
 * ticks: see hook.h. Nothing here allocates or takes a lock, because it runs
 * inside malloc, with any lock of libc or the program held; except
 * sample_hook_begin(), once.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "hook.h"
#include "sampler.h"
#include "table.h"
#include "unwind/impl.h"

enum hook_state
sample_hook_state(enum shm_what what, struct shm **shm)
{
	*shm = sampler.shm;
	if (!atomic_load_explicit(&sampler.is_ready, memory_order_acquire))
		return HOOK_EARLY;
	return sampler_is_on() && !sampler.is_quiet && (*shm)->set.what & what
		       ? HOOK_ON
		       : HOOK_OFF;
}

unsigned
sample_hook_levels(void)
{
	return sampler.live_levels;
}

/* libc's constructor sets environ; all objects are relocated before it. */
bool
sample_hook_begin(void)
{
	return environ && sampler_join();
}

/* Walk the stack of the calling thread, our own frames first; 0 if that
 * failed. */
static __attribute__((noinline)) size_t
hook_walk(struct hook *h, struct unwind_info *info)
{
	struct unwind_stack stack[2] = { h->thread->stack };
	ucontext_t uc;

	segments_update();
	unwind_stack_signal(&stack[1]);
	if (!arch_registers_here(&uc))
		return 0;
	return sampler_walk(h->thread, &uc, stack, stack[1].hi ? 2 : 1,
			    &h->thread->far, &h->thread->hook_interp, h->pc,
			    info);
}

/*
 * Fill in h->pc. A thread without a record (of clone(), or already ended) has
 * no stack bounds and no array.
 */
static void
take_stack(struct hook *h, uintptr_t ra)
{
	struct unwind_info info = { .end = UNWIND_FAILED };
	size_t n = 0, own = 0;

	h->pc = h->one;
	if (h->thread) {
		h->pc = h->thread->hook_pc;
		n = hook_walk(h, &info);
	}
	/* An interpreter's frame may stand for the caller, or before it. */
	while (own < n && own < HOOK_FRAMES && h->pc[own] != ra &&
	       !INTERP_IS_FRAME(h->pc[own]))
		own++;
	if (own == n || own == HOOK_FRAMES) {
		h->pc[0] = ra;
		n = 1;
		info.end = UNWIND_FAILED;
	} else {
		n -= own;
		memmove(h->pc, h->pc + own, n * sizeof(*h->pc));
	}
	h->n = n;
	/* Inside the call, like a tick's leaf. */
	if (!INTERP_IS_FRAME(h->pc[0]))
		h->pc[0]--;
	if (info.is_cut)
		atomic_fetch_add_explicit(&h->count->n_truncated, 1,
					  memory_order_relaxed);
	if (info.end == UNWIND_FAILED || info.n_unread)
		atomic_fetch_add_explicit(&h->count->n_failed, 1,
					  memory_order_relaxed);
}

bool
sample_hook_enter(struct hook *h, enum shm_what what, const void *ra)
{
	struct thread *self = thread_self;

	h->saved_errno = errno;
	if (sample_hook_state(what, &h->shm) != HOOK_ON ||
	    (self && self->is_hooked))
		return false;
	atomic_fetch_add(&sampler.busy, 1);
	if (self)
		self->is_hooked = 1;
	h->thread = self;
	h->count = what == SHM_HEAP ? &sampler_count()->heap
				    : &sampler_count()->lock;
	h->space = sampler_space();
	h->label = self ? label_number(self) : 0;
	take_stack(h, (uintptr_t)ra);
	atomic_fetch_add_explicit(&h->count->n_taken, 1, memory_order_relaxed);
	return true;
}

void
sample_hook_leave(struct hook *h)
{
	if (h->thread)
		h->thread->is_hooked = 0;
	atomic_fetch_sub(&sampler.busy, 1);
	errno = h->saved_errno;
}

bool
sample_hook_count(const struct hook *h, enum shm_event event, uint64_t number,
		  uint32_t count)
{
	h->pc[h->n] = number;
	if (table_add(h->shm, SHM_KEY(event, h->space, h->label, h->n + 1),
		      h->pc, count))
		return true;
	atomic_fetch_add_explicit(&h->count->n_lost, 1, memory_order_relaxed);
	return false;
}

void
sample_hook_note(const char *text)
{
	if (sampler.shm)
		module_note("%s[%d]: %s", sampler.name, (int)sampler.pid, text);
}
