/*
 * handler.c - the signal handler: walk the stack, count it. All code here must
 * be safe in signal handlers: no lock, no allocation, no call that the loader
 * would have to resolve (the library is linked with -z now), errno preserved.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sampler.h"
#include "table.h"
#include "unwind/impl.h"

struct sampler sampler;
_Thread_local struct thread *thread_self;

uint32_t
sampler_new_space(uint32_t base, uint64_t early_ns)
{
	struct shm *shm = sampler.shm;
	const char *name = sampler.name;
	struct shm_space record = { .base = base, .early_ns = early_ns };

	record.space =
		(atomic_fetch_add(&shm->next_space, 1) + 1) & SHM_MAX_SPACE;
	record.pid = sampler.pid;
	if (!table_tell(shm, SHM_SPACE, &record,
			offsetof(struct shm_space, name), name,
			strlen(name) + 1))
		return 0;
	return record.space;
}

/*
 * The first tick in a forked child creates a space for it: most children exit
 * before that, and fork is slow enough.
 */
uint32_t
sampler_space(void)
{
	uint32_t now =
		atomic_load_explicit(&sampler.space, memory_order_relaxed);

	if (atomic_load_explicit(&sampler.is_forked, memory_order_relaxed) &&
	    atomic_exchange(&sampler.is_forked, false)) {
		uint32_t own = sampler_new_space(now, 0);

		if (own) {
			atomic_store(&sampler.space, own);
			return own;
		}
		atomic_store(&sampler.is_forked, true);
	}
	return now;
}

/* Allocated on first use, for the same reason. */
struct shm_process *
sampler_count(void)
{
	struct shm_process *now =
		atomic_load_explicit(&sampler.count, memory_order_relaxed);
	struct shm_process *own = sampler.shm->process;
	uint32_t i;

	if (now)
		return now;
	/* Stop before the counter wraps. */
	if (atomic_load(&sampler.shm->n_process) < SHM_N_PROCESS) {
		i = atomic_fetch_add(&sampler.shm->n_process, 1) + 1;
		if (i < SHM_N_PROCESS) {
			own += i;
			atomic_store(&own->pid, (uint32_t)sampler.pid);
		}
	}
	return atomic_compare_exchange_strong(&sampler.count, &now, own) ? own
									 : now;
}

void
sampler_mark(const char *mark)
{
	char name[COMM_BYTES];

	if (syscall(SYS_prctl, PR_GET_NAME, name) == 0 &&
	    syscall(SYS_prctl, PR_SET_NAME, mark) == 0)
		syscall(SYS_prctl, PR_SET_NAME, name);
}

/* Append key and value, each with its NUL, at to. Returns their end. value may
 * lack the NUL, and has at most max bytes. */
static char *
put_pair(char *to, const char *key, const char *value, size_t max)
{
	size_t n = strlen(key) + 1;

	memcpy(to, key, n);
	to += n;
	for (n = 0; n < max && value[n]; n++)
		*to++ = value[n];
	*to++ = '\0';
	return to;
}

/* Write n in decimal at the end of text. Returns its start. */
static const char *
decimal(unsigned n, char text[12])
{
	char *at = text + 11;

	*at = '\0';
	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return at;
}

uint32_t
label_tell(const struct thread *t, const char *comm, const char *text, size_t n)
{
	struct shm *shm = sampler.shm;
	union {
		struct shm_label label;
		char bytes[64];
	} u;
	char *at = u.bytes + offsetof(struct shm_label, text), number[12];

	if (shm->set.labels & SHM_LABEL_THREAD)
		at = put_pair(at, "thread", comm, COMM_BYTES);
	if (shm->set.labels & SHM_LABEL_TID)
		at = put_pair(at, "tid", decimal((unsigned)t->tid, number), 12);
	if (n == 0 && at == u.bytes + offsetof(struct shm_label, text))
		return 0;
	u.label.label =
		(atomic_fetch_add(&shm->next_label, 1) + 1) & SHM_MAX_LABEL;
	if (!u.label.label ||
	    !table_tell(shm, SHM_LABEL, &u, (size_t)(at - u.bytes), text, n))
		return 0;
	return u.label.label;
}

/*
 * If the thread's name is a label, read it at every sample, as it may change at
 * any time; but not while its other labels change.
 */
static void
check_name(struct thread *self)
{
	char comm[COMM_BYTES] = "";

	if (atomic_load_explicit(&self->label_version, memory_order_relaxed) &
	    1)
		return;
	syscall(SYS_prctl, PR_GET_NAME, comm);
	if (!memcmp(comm, self->comm, sizeof(comm)))
		return;
	memcpy(self->comm, comm, sizeof(comm));
	self->new_label = 1;
}

/* Assigned on first use: most threads never need one. */
uint32_t
label_number(struct thread *self)
{
	uint32_t keys = sampler.shm->set.labels;

	if (keys)
		check_name(self);
	if (!self->new_label)
		return self->label;
	self->label =
		label_tell(self, self->comm, self->label_text, self->n_label);
	self->new_label = (self->n_label || keys) && !self->label;
	return self->label;
}

/*
 * A tick that comes at the end of signals_restore() was pending since the
 * signals were blocked. Its leaf, libc's syscall(), says nothing.
 */
static void
mark_own_work(uintptr_t *pc, size_t n)
{
	enum { FUNCTION_BYTES = 128 };
	uintptr_t own, fork;

	if (n < 2)
		return;
	own = pc[1] - (uintptr_t)signals_restore;
	fork = pc[1] - (uintptr_t)signals_restore_fork;
	if ((own < fork ? own : fork) < FUNCTION_BYTES)
		pc[0] = own < fork ? UNWIND_OWN : UNWIND_FORK;
}

size_t
sampler_walk(struct thread *t, const void *uc, const struct unwind_stack *stack,
	     size_t n_stack, struct unwind_far *far,
	     struct interp_memory *interp, uintptr_t *pc,
	     struct unwind_info *info)
{
	struct interp_thread thread = { t->self, t == thread_self,
					&t->interp_hint };
	struct interp_walk walk;
	size_t n;

	n = unwind_walk(uc, stack, n_stack, far,
			interp_begin(&walk, interp, &thread, stack, n_stack),
			pc, UNWIND_FRAMES, info);
	info->n_unread = interp_end(&walk);
	return n;
}

/* Bytes of the stack that a walk may take. */
enum { STACK_NEEDED = 6144 };

static void
take_sample(struct thread *self, const ucontext_t *uc, uint32_t ticks)
{
	struct shm_process *count = sampler_count();
	struct unwind_stack stack[2] = { self->stack };
	size_t n_stack = 1;
	struct unwind_info info;
	size_t n;

	/* See take_with_room(). */
	if (!ARCH_HAS_CALL_ON &&
	    (uintptr_t)__builtin_frame_address(0) - self->stack.lo <
		    STACK_NEEDED) {
		atomic_fetch_add_explicit(&count->n_lost, ticks,
					  memory_order_relaxed);
		return;
	}
	segments_update();
	/* The kernel saved the sigaltstack() in force. */
	if (!(uc->uc_stack.ss_flags & SS_DISABLE) && uc->uc_stack.ss_size) {
		stack[1].lo = (uintptr_t)uc->uc_stack.ss_sp;
		stack[1].hi = stack[1].lo + uc->uc_stack.ss_size;
		n_stack = 2;
	}
	n = sampler_walk(self, uc, stack, n_stack, &self->far, &self->interp,
			 self->pc, &info);
	mark_own_work(self->pc, n);
	if (info.is_cut)
		atomic_fetch_add_explicit(&count->n_truncated, ticks,
					  memory_order_relaxed);
	if (info.end == UNWIND_FAILED)
		atomic_fetch_add_explicit(&count->n_failed, ticks,
					  memory_order_relaxed);
	if (info.n_unread)
		atomic_fetch_add_explicit(&count->n_unread, ticks,
					  memory_order_relaxed);
	atomic_fetch_add_explicit(&count->n_signal, 1, memory_order_relaxed);
	if (!table_add(
		    sampler.shm,
		    SHM_KEY(SHM_TICK, sampler_space(), label_number(self), n),
		    self->pc, ticks))
		atomic_fetch_add_explicit(&count->n_lost, ticks,
					  memory_order_relaxed);
}

/*
 * A sample may take more than a period: stacks are deep, each frame of an
 * interpreter is some reads, its functions are new. Then the next tick comes
 * meanwhile, and the program would never go on. So a sample is a debt: until
 * the program has had as much CPU time, ticks wait for the next sample, which
 * has their weight. That depends on what the one before cost, not on its own
 * stack, so shares stay right. Stacks without the interpreter's functions would
 * be cheaper, but not always cheap enough, and other stacks. Returns whether
 * the debt is paid.
 */
static bool
pay(struct thread *self, uint64_t cpu)
{
	uint64_t had = cpu - self->left_ns;

	if (self->debt_ns) {
		self->debt_ns -= had < self->debt_ns ? had : self->debt_ns;
		self->left_ns = cpu;
	}
	return !self->debt_ns;
}

/* They are lost if there is no next sample. */
static void
merge_ticks(struct thread *self, uint32_t ticks)
{
	struct shm_process *count = sampler_count();

	atomic_fetch_add_explicit(&count->n_tick, ticks, memory_order_relaxed);
	atomic_fetch_add_explicit(&count->n_lost, ticks, memory_order_relaxed);
	atomic_fetch_add_explicit(&count->n_merged, ticks,
				  memory_order_relaxed);
	self->n_merged += ticks;
}

static uint64_t
monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Take a sample, and note what it cost. The thread's CPU clock is a system
 * call, so it is asked only if the sample took long, which may be by
 * preemption. cpu: that clock before, or 0.
 */
static void
sample_and_owe(struct thread *self, const ucontext_t *uc, uint32_t ticks,
	       uint64_t cpu)
{
	struct shm_process *count = sampler_count();
	uint64_t began = monotonic();

	ticks += atomic_exchange(&self->due, 0);
	atomic_fetch_add_explicit(&count->n_tick, ticks, memory_order_relaxed);
	if (self->n_merged)
		atomic_fetch_sub_explicit(&count->n_lost, self->n_merged,
					  memory_order_relaxed);
	take_sample(self, uc, ticks + self->n_merged);
	self->n_merged = 0;
	self->is_slow = monotonic() - began > sampler.period_ns / 2;
	if (!self->is_slow || !cpu)
		return;
	self->left_ns = clock_cpu();
	self->debt_ns = self->left_ns - cpu;
	atomic_fetch_add_explicit(&count->n_dear, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&count->dear_ns, self->debt_ns,
				  memory_order_relaxed);
}

/* What the handler was called with. */
struct call {
	struct thread *self;
	const siginfo_t *info;
	const ucontext_t *uc;
};

static void
take_tick(void *arg)
{
	const struct call *c = arg;
	struct thread *self = c->self;
	uint64_t cpu =
		self->is_slow || atomic_load(&self->event) ? clock_cpu() : 0;
	uint32_t ticks = clock_ticks(self, c->info, cpu);

	if (ticks && pay(self, cpu))
		sample_and_owe(self, c->uc, ticks, cpu);
	else if (ticks)
		merge_ticks(self, ticks);
}

/*
 * A program that a signal does not harm may have less than a tick takes left of
 * the current stack: of a coroutine, for signals, or where it is mapped by a
 * frame that goes to its end, as in Ruby. For all but the thread's own, with
 * room, there is a stack of ours. Not so from the start, by SA_ONSTACK:
 * handlers of the program would come to that stack, too.
 */
static void
take_with_room(struct call *c)
{
	const struct unwind_stack *stack = &c->self->stack;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (here > stack->lo && here < stack->hi &&
	    here - stack->lo >= STACK_NEEDED)
		take_tick(c);
	else
		arch_call_on(c->self->stack_of_handler + HANDLER_BYTES,
			     take_tick, c);
}

/* Did a process, or another clock of the program, send it? */
static bool
is_theirs(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_TKILL ||
	       info->si_code == SI_QUEUE || info->si_code == SI_KERNEL;
}

/* The program has no handler for sig. Do what it would have done: it ends the
 * process when this handler returns, as it is blocked until then. */
static void
die(int sig)
{
	static const uint64_t by_default[4]; /* the kernel's struct sigaction */

	syscall(SYS_rt_sigaction, sig, by_default, NULL, _NSIG / 8);
	syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), sig);
}

/* Call the program's handler, as if the kernel did; the signal itself is still
 * blocked. */
static void
pass_on(const struct sigaction *theirs, int sig, siginfo_t *info, void *uc)
{
	const sigset_t *before = &((ucontext_t *)uc)->uc_sigmask;
	uint64_t mask = mask_bits(before) | mask_bits(&theirs->sa_mask) |
			UINT64_C(1) << (sig - 1);

	if (!(theirs->sa_flags & SA_SIGINFO) && theirs->sa_handler == SIG_IGN)
		return;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, _NSIG / 8);
	if (theirs->sa_flags & SA_SIGINFO)
		theirs->sa_sigaction(sig, info, uc);
	else
		theirs->sa_handler(sig);
}

ARCH_HANDLER void
handler_tick(int sig, siginfo_t *info, void *uc)
{
	struct call c = { thread_self, info, uc };
	const struct sigaction *theirs = NULL;
	int saved = errno;

	atomic_fetch_add(&sampler.busy, 1);
	/*
	 * Only signals of our clock are ticks, but not one that was pending
	 * when its thread ended.
	 */
	if (is_theirs(info)) {
		theirs = atomic_load(&sampler.theirs);
		if (c.self && mask_has_ours(c.self, &c.uc->uc_sigmask))
			theirs = NULL;
		else if (!theirs)
			die(sig);
	} else if (c.self && !sampler_is_on()) {
		clock_stop(c.self);
	} else if (c.self) {
		take_with_room(&c);
	}
	atomic_fetch_sub(&sampler.busy, 1);
	if (theirs)
		pass_on(theirs, sig, info, uc);
	errno = saved;
}
