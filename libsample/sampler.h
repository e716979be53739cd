/*
 * sampler.h - shared by the parts of libsample.
 *
 *	init.c		joins a session, begins and ends sampling
 *	start.c		the public interface: sessions started by the program
 *	gperf.c		gperftools' names for it, and its environment
 *	label.c		labels of threads
 *	thread.c	one record and one timer for each thread
 *	module.c	tells the recorder what is loaded where
 *	wall.c		ticks of the wall clock, of threads that wait
 *	wrap.c		the libc functions that libsample interposes
 *	hook.c		called by the libraries that interpose malloc and locks
 *	handler.c	the signal handler
 *	clock.c		the clocks that interrupt a thread
 *	table.c		counts stacks in shared memory
 *	unwind*.c	call stacks
 *	interp*.c	functions of interpreters in them
 *
 * The last five run in signal handlers; tests/record/handler.t checks that they
 *use only a few safe symbols.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "interp/interp.h"
#include "shm.h"
#include "unwind/unwind.h"

enum { COMM_BYTES = 16 /* of a thread's name, for the kernel */ };

/* The state of sampling in this process. Written by init.c and module.c. */
struct sampler {
	struct shm *shm;      /* stays mapped once set; NULL: never sampled */
	uint32_t live_levels; /* of the heap's tables, mapped here */
	bool is_tight;        /* the address space is limited */
	uint64_t period_ns;
	size_t page_size;
	enum shm_clock clock;
	_Atomic int signal; /* the signal with our handler; 0: none */
	/* The program's action for it, if it handles all signals; NULL: the
	 * default. */
	_Atomic(const struct sigaction *) theirs;
	_Atomic uint32_t space; /* the address space of this process */
	/* After fork, the space is still the parent's. */
	_Atomic bool is_forked;
	struct shm_process *_Atomic count; /* NULL: none yet */
	bool is_quiet;         /* a child that is not to be sampled */
	_Atomic bool is_young; /* it joins with its first tick */
	_Atomic bool is_ready; /* it is decided whether there is a session */
	/* The number of handlers, and of other users of shm, that are
	 * running. */
	_Atomic uint32_t busy;
	pid_t pid;
	/* The kernel's name of the program, as it began: also in samples that
	 * the kernel takes. argv[0] is the interpreter of a script, and
	 * setproctitle() writes over it. */
	char name[COMM_BYTES];
};
extern struct sampler sampler;

/* Are samples being taken? A signal handler may ask. */
static inline bool
sampler_is_on(void)
{
	struct shm *shm = sampler.shm;

	return shm && !atomic_load_explicit(&shm->stop, memory_order_relaxed);
}

enum {
	LABEL_ROOM = 1000,
	HOOK_FRAMES = 8, /* room for libsample's frames in a stack of hook.c */
	HANDLER_BYTES = 16384, /* of stack, more than twice what it takes */
};

/* The handler's record of a thread, and its working memory: that is last, as a
 * process without a tick does not touch it. */
struct thread {
	struct thread *next;    /* in the list of live or free records */
	struct thread **link;   /* the pointer to this record */
	void *(*start)(void *); /* of pthread_create; NULL: main or C11 */
	int (*start_c11)(void *);
	void *arg;
	struct unwind_stack stack;
	uintptr_t self;                /* pthread_self() */
	_Atomic uintptr_t interp_hint; /* see interp/interp.h */
	pid_t tid;
	int timer; /* the kernel's number, or -1 */
	/* Pages of its perf clock, or NULL; see clock.c. */
	void *_Atomic event;
	bool is_fresh;   /* it has had no tick yet; see clock.c */
	uint64_t random; /* state of thread_random(); 0: none yet */
	int rounds;      /* of destructors of thread-specific data */
	bool is_deaf;    /* our signal is blocked, and counted as untimed */
	bool is_late;    /* a forked child's, whose clock waits until our signal
			  * is unblocked */
	/* 0, or mask_bits() of the thread's mask, of which the program thinks
	 * that our signal is in it. Void if it has another mask by now. */
	uint64_t masked;
	volatile sig_atomic_t is_hooked; /* hook.c is running in this thread */

	/* CPU time of the thread at its last sample; with the perf clock: the
	 * part that has been counted. */
	uint64_t cpu_ns;

	/* See pay() in handler.c. */
	bool is_slow;      /* its last sample took half of a period */
	uint64_t debt_ns;  /* CPU time that it took */
	uint64_t left_ns;  /* the thread's, after that */
	uint32_t n_merged; /* ticks for its next sample */

	/* Ticks of the wall clock in which it waited for a processor: the
	 * handler adds them to its next tick. */
	_Atomic uint32_t due;

	/* Of wall.c: the last check of this thread. */
	uint32_t n_look;   /* checks so far, up to a limit */
	bool is_asleep;    /* asleep, with the stack below */
	uint64_t look_ns;  /* time of the check */
	uint64_t seen_ns;  /* the thread's CPU time then */
	uint64_t delay_ns; /* time that it had waited for a processor */
	int64_t slept_ns, waited_ns; /* not yet counted */
	uint64_t sleep_version;      /* of the labels that sleep_label is for */
	uint32_t sleep_label;
	char sleep_comm[COMM_BYTES];
	uint32_t n_sleep_pc;
	struct unwind_info sleep_info;

	/* Labels: key NUL value NUL ..., the first n_label bytes. When the
	 * handler needs their number, it assigns one and tells the recorder. */
	uint32_t label;
	uint32_t n_label;
	volatile sig_atomic_t new_label; /* they have no number yet */
	_Atomic uint64_t label_version;  /* odd while they change */
	char comm[COMM_BYTES]; /* its name, if that is a label: included in
				  label */
	char label_text[LABEL_ROOM];

	struct unwind_far far; /* for other stacks, of coroutines */
	struct interp_memory interp;
	uintptr_t pc[UNWIND_FRAMES];
	uintptr_t sleep_pc[UNWIND_FRAMES];
	uintptr_t hook_pc[SHM_DEPTH];
	struct interp_memory hook_interp;
	_Alignas(16) char stack_of_handler[HANDLER_BYTES];
};

/* The kernel's number of a thread's CPU clock. */
#define THREAD_CLOCK(tid) ((clockid_t)(~(unsigned)(tid) << 3 | 6))

/* The calling thread's record; NULL in threads that are not sampled. Uses the
 * initial-exec model, as the others may call the loader. */
extern _Thread_local struct thread *thread_self;

/* Tell the kernel's sampler, by SHM_LOADS or SHM_JOINS. A signal handler may
 * call it. */
void sampler_mark(const char *mark);

/* Begin the random numbers of t. */
void thread_seed(struct thread *t);

/* The next random number of t. A signal handler may call it. Most processes of
 * a shell script end without one, so the clock, a page fault, is asked now. */
static inline uint64_t
thread_random(struct thread *t)
{
	uint64_t x;

	if (!t->random)
		thread_seed(t);
	x = t->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	t->random = x;
	return (x * UINT64_C(0x2545f4914f6cdd1d)) >> 16;
}

/* handler.c */

/* The handler of sampler.signal. */
void handler_tick(int sig, siginfo_t *info, void *uc);

/* Walk the stack of t, from the registers of uc, with the functions of an
 * interpreter. See unwind_walk(). A signal handler may call it. */
size_t sampler_walk(struct thread *t, const void *uc,
		    const struct unwind_stack *stack, size_t n_stack,
		    struct unwind_far *far, struct interp_memory *interp,
		    uintptr_t *pc, struct unwind_info *info);

/* Start a space for this process with the modules of base (0: none). early_ns:
 * see struct shm_space. Returns 0 if the log is full. A signal handler may call
 * it. */
uint32_t sampler_new_space(uint32_t base, uint64_t early_ns);

/* The current space of this process. A signal handler may call it. */
uint32_t sampler_space(void);

/* The counts of this process. A signal handler may call it. */
struct shm_process *sampler_count(void);

/* The number of the labels of self, the calling thread. A signal handler may
 * call it. */
uint32_t label_number(struct thread *self);

/*
 * Tell the recorder the n bytes of labels at text and, if they are labels, the
 * name comm and the thread id of t. Returns their number; 0 if there was no
 * room, or no label. A signal handler may call it.
 */
uint32_t label_tell(const struct thread *t, const char *comm, const char *text,
		    size_t n);

/* clock.c: for signal handlers, too */

/* Give t, which has none, a timer or a perf clock. Returns false if the kernel
 * has none left. */
bool clock_arm(struct thread *t);

/* Stop t's clock; if called in t's handler, signals may still be pending. */
void clock_disarm(struct thread *t);
void clock_stop(struct thread *t);

static inline bool
clock_is_armed(struct thread *t)
{
	return t->timer >= 0 || atomic_load(&t->event);
}

/* The CPU time of the calling thread. */
uint64_t clock_cpu(void);

/* In the handler: the number of ticks of t that a signal represents; 0: it is
 * not from its clock, or came too early. cpu: its CPU time, if it has a perf
 * clock. */
uint32_t clock_ticks(struct thread *t, const siginfo_t *info, uint64_t cpu);

/* thread.c: not for signal handlers */

/* Call it once, before the other functions. Returns an errno value. */
int thread_init(void);

/* A record for a new thread; NULL without memory. */
struct thread *thread_new(void);

/* Free a record that no thread used. */
void thread_drop(struct thread *t);

/* Sample the calling thread, until it ends. */
void thread_enter(struct thread *t);

/* Give timers to all threads without one; or stop all timers. */
void thread_arm_all(void);
void thread_disarm_all(void);

/* Make all timers send sig. */
void thread_use_signal(int sig);

/*
 * Before exec in the calling thread: stop its perf clock, as its signals would
 * stay pending and kill the new program. Returns whether it had one; then call
 * the other function if exec fails. Signal handlers may call them, and children
 * of vfork(), which have no clock.
 */
bool thread_exec_begin(void);
void thread_arm_again(void);

/* Unblock our signal in the calling thread. */
void thread_unmask(void);

/* Block our signal in the calling thread, if the program thinks that it is: a
 * program that it executes inherits that. Returns whether it did; then call the
 * other function if exec fails. */
bool thread_mask_show(void);
void thread_mask_hide(void);

/* In no mask of the kernel: so that mask_bits() is not 0. */
#define MASK_KEPT (UINT64_C(1) << (SIGKILL - 1))

/* The first 64 signals of a set. */
static inline uint64_t
mask_bits(const sigset_t *set)
{
	uint64_t bits;

	memcpy(&bits, set, sizeof(bits));
	return bits | MASK_KEPT;
}

/* Does the program think that our signal is blocked in t, whose mask is now? */
static inline bool
mask_has_ours(const struct thread *t, const sigset_t *now)
{
	return t->masked && t->masked == mask_bits(now);
}

/* Around fork. */
void thread_fork_prepare(void);
void thread_fork_parent(void);
void thread_fork_child(bool go_on);

/* Block all signals that can be blocked, so that no handler of the program runs
 * while we hold a lock; and restore them. */
void signals_block(sigset_t *old);
void signals_restore(const sigset_t *old);

/* The same after fork: a tick that was pending is not of our own work. */
void signals_restore_fork(const sigset_t *old);

/* Call each for every sampled thread, with the lock held. */
void thread_each(void (*each)(struct thread *t, void *arg), void *arg);

/* wall.c: not for signal handlers */

/* Start the wall clock: once in a process, and again in a forked child or after
 * wall_pause(). Keeps errno. */
void wall_start(void);

/* End its thread, and wait until the kernel no longer counts it. False: there
 * is none. Keeps errno. */
bool wall_pause(void);

/* segment.c */

/* Before a tick is counted: what the program was started with is in the space,
 * and what was unloaded no longer. Async-signal-safe. */
void segments_update(void);

/* module.c: not for signal handlers */

/* Sampling begins. is_start: with the program, of which the first tick, if it
 * has one, tells the recorder and the unwinder. */
void module_begin(bool is_start);

/* Tell the recorder and the unwinder what was loaded or unloaded. */
void module_refresh(void);

/* The same, but only if the loader has worked without dlopen() or dlclose(), as
 * when libc loads something for itself. Cheap otherwise. */
void module_check(void);

/* Forget what the recorder was told: there will be a new one. */
void module_reset(void);

/* Around fork. */
void module_fork_prepare(void);
void module_fork_parent(void);
void module_fork_child(void);

/* Send the recorder a message for the user. */
void module_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* label.c: not for signal handlers */

/* The number of the labels of t, another thread, which sleeps and has the name
 * comm (COMM_BYTES; zeros: it is not a label). */
uint32_t label_sleeping(struct thread *t, const char *comm);

/* Forget label numbers: there will be a new recorder. */
void label_reset(void);

/* gperf.c */

/* Apply CPUPROFILE and related variables. */
void gperf_init(void);
/* End its thread, as wall_pause() does; the program's last one is ending. */
void gperf_end(void);

/* init.c: not for signal handlers */

/* Initialize, and join the session in the environment, if any. Only the first
 * call has an effect. False: threads cannot be tracked. */
bool sampler_init(void);

/* The part of it that is possible inside malloc(), which setenv() calls with
 * the lock of the environment held, and pthread_atfork() with its own. */
bool sampler_join(void);

/* Register our fork handlers: before all others, and only once. */
void sampler_watch_forks(void);

/* Register the one that is to be last, after others were. */
void sampler_watch_children(void);

/* Give the calling thread, which is_late, its clock. */
void sampler_resume(void);

/* Begin sampling into shm, whose header is filled in; is_start: the program
 * starts. Returns an errno value. */
int sampler_begin(struct shm *shm, bool is_start);

/* Stop sampling, and wait until no handler is running. */
void sampler_end(void);

#endif
