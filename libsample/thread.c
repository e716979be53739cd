/*
 * thread.c - the threads of the process: a record for each, in which the
 * handler works, and a timer on its clock. Not for signal handlers.
 *
 * Each thread has a timer, because a timer of the process (ITIMER_PROF)
 * interrupts whichever thread runs at the kernel's tick: two threads with equal
 * work may get 80 and 20 percent.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "sampler.h"

enum { SLAB = 256 * 1024 };

static struct {
	pthread_mutex_t lock; /* protects the members below */
	struct thread *live;
	struct thread *free;
	bool armed;        /* threads have timers */
	pthread_key_t key; /* its destructor runs at any end of a thread */
} threads = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
signals_block(sigset_t *old)
{
	sigset_t all;

	/* By system call: libc would leave its own signals, which cancel
	 * threads, unblocked, and our wrapper ours. */
	memset(&all, 0xff, sizeof(all));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, old, _NSIG / 8);
}

/* Not by a jump at the end: the handler finds the return address of the call in
 * the stack of a tick that comes here. */
#define RESTORE(old)                                                           \
	do {                                                                   \
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, old, NULL,            \
			_NSIG / 8);                                            \
		__asm__ volatile("");                                          \
	} while (0)

__attribute__((noinline)) void
signals_restore(const sigset_t *old)
{
	RESTORE(old);
}

__attribute__((noinline)) void
signals_restore_fork(const sigset_t *old)
{
	RESTORE(old);
}

static void
lock(sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&threads.lock);
}

static void
unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&threads.lock);
	signals_restore(old);
}

static void
push_thread(struct thread **list, struct thread *t)
{
	t->next = *list;
	t->link = list;
	if (t->next)
		t->next->link = &t->next;
	*list = t;
}

static void
unlink_record(struct thread *t)
{
	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
}

void
thread_seed(struct thread *t)
{
	struct timespec now;
	uint64_t x;

	clock_gettime(CLOCK_MONOTONIC, &now);
	x = (uint64_t)now.tv_nsec ^ (uint64_t)t->tid << 32 ^ (uintptr_t)t;
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	t->random = (x ^ x >> 31) | 1;
}

static void
arm(struct thread *t)
{
	if (!threads.armed)
		return;
	t->random = 0;
	atomic_fetch_add(&sampler.shm->n_thread, 1);
	if (!clock_arm(t))
		atomic_fetch_add(&sampler_count()->n_untimed, 1);
}

/* Called with the lock. The first record is no mapping: most programs need no
 * other. */
static bool
more_records(void)
{
	static struct thread first LARGE;
	struct thread *slab;

	if (!first.link) {
		push_thread(&threads.free, &first);
		return true;
	}
	slab = mmap(NULL, SLAB, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slab == MAP_FAILED)
		return false;
	for (size_t i = SLAB / sizeof(*slab); i-- > 0;)
		push_thread(&threads.free, &slab[i]);
	return true;
}

/* Copy the labels of the thread that starts it. */
static void
inherit_labels(struct thread *t)
{
	const struct thread *self = thread_self;

	t->label = 0;
	t->n_label = self ? self->n_label : 0;
	t->new_label = t->n_label > 0;
	t->comm[0] = '\0'; /* the thread's number differs, too */
	if (t->n_label)
		memcpy(t->label_text, self->label_text, t->n_label);
}

static void
forget_ticks(struct thread *t)
{
	atomic_store(&t->due, 0);
	t->is_slow = false;
	t->debt_ns = 0;
	t->n_merged = 0;
	t->n_look = 0;
	t->is_asleep = false;
	t->slept_ns = t->waited_ns = 0;
	t->sleep_version = 1; /* none */
}

struct thread *
thread_new(void)
{
	struct thread *t = NULL;
	int saved = errno;
	sigset_t old;

	lock(&old);
	if (threads.free || more_records()) {
		t = threads.free;
		unlink_record(t);
		t->start = NULL;
		t->start_c11 = NULL;
		t->tid = 0;
		t->timer = -1;
		atomic_store(&t->event, NULL);
		t->rounds = 0;
		t->is_hooked = 0;
		t->is_deaf = t->is_late = false;
		t->masked = thread_self ? thread_self->masked : 0;
		t->far.in_use = 0;
		inherit_labels(t);
		t->cpu_ns = 0;
		forget_ticks(t);
		push_thread(&threads.live, t);
	}
	unlock(&old);
	errno = saved;
	return t;
}

void
thread_drop(struct thread *t)
{
	sigset_t old;

	lock(&old);
	unlink_record(t);
	push_thread(&threads.free, t);
	unlock(&old);
}

/*
 * The thread ends: by return, pthread_exit or cancellation. Other destructors
 * may still have work to do, so wait for the last round but one. A process ends
 * with its last thread, also if that is not the first one: those of wall.c and
 * gperf.c must have ended before, as they would keep the process alive.
 */
static void
leave(void *arg)
{
	struct thread *t = arg;
	bool is_last;
	sigset_t old;

	if (t->rounds++ < PTHREAD_DESTRUCTOR_ITERATIONS - 2 &&
	    pthread_setspecific(threads.key, t) == 0)
		return;
	lock(&old);
	clock_disarm(t);
	thread_self = NULL;
	unlink_record(t);
	push_thread(&threads.free, t);
	is_last = !threads.live;
	unlock(&old);
	if (is_last) {
		wall_pause();
		gperf_end();
	}
}

int
thread_init(void)
{
	return pthread_key_create(&threads.key, leave);
}

/* Only sig, by system call: libc's function is ours. */
static void
change_ours(int how, int sig, sigset_t *old)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, sig);
	syscall(SYS_rt_sigprocmask, how, &ours, old, _NSIG / 8);
}

void
thread_unmask(void)
{
	int sig = atomic_load(&sampler.signal);
	sigset_t old;

	if (!sig || !thread_self)
		return;
	change_ours(SIG_UNBLOCK, sig, &old);
	if (thread_self->is_deaf)
		atomic_fetch_sub(&sampler_count()->n_untimed, 1);
	thread_self->is_deaf = false;
	if (sigismember(&old, sig) == 1) {
		sigdelset(&old, sig);
		thread_self->masked = mask_bits(&old);
	}
}

void
thread_enter(struct thread *t)
{
	int saved = errno;
	sigset_t old;

	/* Do not sample allocations and waits of this function. */
	t->is_hooked = 1;
	thread_self = t;
	t->self = (uintptr_t)pthread_self();
	atomic_store(&t->interp_hint, 0);
	/* The first malloc() of a thread may reserve 64 MB for it. */
	if (!unwind_stack_find(&t->stack, !sampler.is_tight))
		t->stack.lo = t->stack.hi = 0;
	/* Without the destructor, the timer would never be deleted. */
	if (pthread_setspecific(threads.key, t) != 0) {
		thread_self = NULL;
		thread_drop(t);
		errno = saved;
		return;
	}
	lock(&old);
	t->tid = (pid_t)syscall(SYS_gettid);
	arm(t);
	unlock(&old);
	t->is_hooked = 0;
	thread_unmask();
	errno = saved;
}

void
thread_each(void (*each)(struct thread *t, void *arg), void *arg)
{
	sigset_t old;

	lock(&old);
	for (struct thread *t = threads.live; t; t = t->next)
		if (t->tid)
			each(t, arg);
	unlock(&old);
}

/* Has this thread our signal blocked? It may have blocked all signals before
 * this was ours, and only itself can unblock it. Who has libc's own signals
 * blocked, too, has them so for a moment. */
static bool
is_deaf(pid_t tid)
{
	static const char key[] = "SigBlk:\t";
	char path[48], text[4096];
	const char *at;
	uint64_t mask;
	long fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, key);
	if (!at)
		return false;
	at += strlen(key);
	mask = number_read(&at, 16);
	return mask >> (atomic_load(&sampler.signal) - 1) & ~(mask >> 31) & 1;
}

static void
arm_other(struct thread *t)
{
	if (t->is_deaf)
		atomic_fetch_sub(&sampler_count()->n_untimed, 1);
	arm(t);
	t->is_deaf = t != thread_self && is_deaf(t->tid);
	if (t->is_deaf)
		atomic_fetch_add(&sampler_count()->n_untimed, 1);
}

void
thread_arm_all(void)
{
	sigset_t old;

	lock(&old);
	threads.armed = true;
	for (struct thread *t = threads.live; t; t = t->next)
		if (t->tid && !clock_is_armed(t))
			arm_other(t);
	unlock(&old);
}

void
thread_disarm_all(void)
{
	sigset_t old;

	lock(&old);
	threads.armed = false;
	for (struct thread *t = threads.live; t; t = t->next) {
		clock_disarm(t);
		t->is_deaf = false;
	}
	unlock(&old);
}

void
thread_use_signal(int sig)
{
	sigset_t old;

	lock(&old);
	atomic_store(&sampler.signal, sig);
	for (struct thread *t = threads.live; t; t = t->next) {
		if (!clock_is_armed(t))
			continue;
		clock_disarm(t);
		arm_other(t);
	}
	unlock(&old);
}

/*
 * The lock is safe in a signal handler, as whoever has it blocks all signals.
 * When it is unlocked, signals that are pending come, to a handler that finds
 * no clock.
 */
bool
thread_exec_begin(void)
{
	struct thread *self = thread_self;
	sigset_t old;

	if (!self || !atomic_load(&self->event) ||
	    self->tid != (pid_t)syscall(SYS_gettid))
		return false;
	lock(&old);
	clock_disarm(self);
	unlock(&old);
	return true;
}

bool
thread_mask_show(void)
{
	struct thread *self = thread_self;
	int sig = atomic_load(&sampler.signal);
	sigset_t now;

	if (!self || !self->masked || !sig)
		return false;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &now, _NSIG / 8);
	if (!mask_has_ours(self, &now))
		return false;
	change_ours(SIG_BLOCK, sig, NULL);
	return true;
}

void
thread_mask_hide(void)
{
	int saved = errno;

	change_ours(SIG_UNBLOCK, atomic_load(&sampler.signal), NULL);
	errno = saved;
}

void
thread_arm_again(void)
{
	struct thread *self = thread_self;
	int saved = errno;
	sigset_t old;

	lock(&old);
	if (self && !clock_is_armed(self))
		arm(self);
	unlock(&old);
	errno = saved;
}

void
thread_fork_prepare(void)
{
	pthread_mutex_lock(&threads.lock);
}

void
thread_fork_parent(void)
{
	pthread_mutex_unlock(&threads.lock);
}

/*
 * Timers, perf clocks and other threads are not inherited. Called with the lock
 * that fork_prepare took and with signals blocked.
 */
void
thread_fork_child(bool go_on)
{
	struct thread *self = thread_self;
	struct thread *next;

	for (struct thread *t = threads.live; t; t = next) {
		next = t->next;
		if (t == self)
			continue;
		unlink_record(t);
		push_thread(&threads.free, t);
	}
	if (self) {
		self->tid = (pid_t)syscall(SYS_gettid);
		self->timer = -1;
		atomic_store(&self->event, NULL);
		forget_ticks(self);
		self->comm[0] = '\0';
		if (go_on)
			arm(self);
		if (go_on && self->is_deaf)
			atomic_fetch_add(&sampler_count()->n_untimed, 1);
	}
	pthread_mutex_unlock(&threads.lock);
}
