/*
 * sampler.h - what the parts of libsample share.
 *
 *	init.c		joins a session, begins and ends sampling
 *	start.c		the public interface: a session of the program's own
 *	gperf.c		gperftools' names for it, and its environment
 *	label.c		labels of threads
 *	thread.c	one record and one timer for each thread
 *	module.c	tells the recorder what is loaded where
 *	wall.c		ticks of the wall clock, of threads that wait
 *	wrap.c		the libc functions that libsample stands in front of
 *	hook.c		what stands in front of malloc and of locks calls this
 *	handler.c	the signal handler
 *	clock.c		what interrupts a thread
 *	table.c		stacks into shared memory
 *	unwind*.c	call stacks
 *
 * The last four run in signal handlers; tests/handler.t holds them to the few
 * symbols that they may use.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shm.h"
#include "unwind/unwind.h"

/* The state of sampling in this process. Written by init.c and module.c. */
struct sampler {
	struct shm *shm; /* once set, it stays mapped; NULL: never sampled */
	uint64_t period_ns;
	size_t page_size;
	uint64_t tick_ns; /* of the kernel, at which it looks at CPU timers */
	enum shm_clock clock;
	_Atomic int signal;     /* that has our handler; 0: none */
	_Atomic uint32_t space; /* what the addresses of this process mean */
	/* After fork, the space is still the parent's. */
	_Atomic bool is_forked;
	struct shm_process *_Atomic count; /* NULL: none yet */
	bool is_quiet;         /* a child that shall not be sampled */
	_Atomic bool is_ready; /* whether there is a session is decided */
	/* How many handlers, and other users of shm, are at work. */
	_Atomic uint32_t busy;
	pid_t pid;
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
	COMM_BYTES = 16, /* of a thread's name, for the kernel */
	HOOK_FRAMES = 8, /* of a stack that hook.c takes, before its caller */
};

/* What the handler needs to know about a thread, and where it works. */
struct thread {
	struct thread *next;    /* in the list of live ones, or of free ones */
	struct thread **link;   /* what points here */
	void *(*start)(void *); /* of pthread_create; NULL: main or C11 */
	int (*start_c11)(void *);
	void *arg;
	struct unwind_stack stack;
	struct unwind_far far; /* for other stacks, of coroutines */
	pid_t tid;
	int timer; /* the kernel's number, or -1 */
	/* Pages of its perf clock, or NULL; see clock.c. */
	void *_Atomic event;
	bool is_fresh;   /* it has had no tick yet; see clock.c */
	uint64_t random; /* state of thread_random() */
	int rounds;      /* of thread-specific data destructors */

	/* Labels: key NUL value NUL ..., the first n_label bytes. The handler
	 * gives them a number, and tells the recorder, when it needs one. */
	uint32_t label;
	uint32_t n_label;
	volatile sig_atomic_t new_label; /* they have none yet */
	_Atomic uint64_t label_version;  /* odd while they change */
	char label_text[LABEL_ROOM];
	char comm[COMM_BYTES]; /* its name, if that is a label: of label */

	/* CPU time of the thread at its last sample; of the perf clock: the
	 * part of it that has been counted. */
	uint64_t cpu_ns;
	uintptr_t pc[SHM_FRAMES];

	/* Ticks of the wall clock in which it waited for a processor: the
	 * handler counts them with the next one of its own. */
	_Atomic uint32_t due;

	/* Of wall.c: the last look at this thread. */
	uint32_t n_look;   /* looks so far, up to some number */
	bool is_asleep;    /* with the stack that follows */
	uint64_t look_ns;  /* when it was */
	uint64_t seen_ns;  /* the thread's CPU time then */
	uint64_t delay_ns; /* and how long it had waited for a processor */
	int64_t slept_ns, waited_ns; /* not counted yet */
	uint64_t sleep_version;      /* of the labels that sleep_label is for */
	uint32_t sleep_label;
	char sleep_comm[COMM_BYTES];
	uint32_t n_sleep_pc;
	struct unwind_info sleep_info;
	uintptr_t sleep_pc[SHM_FRAMES];

	/* Of hook.c. */
	volatile sig_atomic_t is_hooked; /* it is at work in this thread */
	uintptr_t hook_pc[SHM_DEPTH];
};

/* The clock of a thread's CPU time, as the kernel numbers them. */
#define THREAD_CLOCK(tid) ((clockid_t)(~(unsigned)(tid) << 3 | 6))

/* The calling thread's record; NULL in threads that are not sampled. Compiled
 * for the initial-exec model, as the others may call the loader. */
extern _Thread_local struct thread *thread_self;

/* The next random number of t. A signal handler may call it. */
static inline uint64_t
thread_random(struct thread *t)
{
	uint64_t x = t->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	t->random = x;
	return (x * UINT64_C(0x2545f4914f6cdd1d)) >> 16;
}

/* handler.c */

/* The handler of sampler.signal. */
void handler_tick(int sig, siginfo_t *info, void *uc);

/* Start a space for this process that has the modules of base (0: none).
 * Returns 0 when the log is full. A signal handler may call it. */
uint32_t sampler_new_space(uint32_t base);

/* The space that addresses of this process belong to now. The same. */
uint32_t sampler_space(void);

/* The counts of this process. The same. */
struct shm_process *sampler_count(void);

/* The number of the labels of self, the calling thread. The same. */
uint32_t label_number(struct thread *self);

/*
 * Tell the recorder the n bytes of labels at text, and the name comm and the
 * number of t, if they are labels, too. Returns their number, 0 if there was
 * no room, or nothing to tell. The same.
 */
uint32_t label_tell(const struct thread *t, const char *comm, const char *text,
		    size_t n);

/* clock.c: for signal handlers, too */

/* Begin to send t, which has neither, the signals of a timer or a perf clock.
 * Returns false when the kernel has none left. */
bool clock_arm(struct thread *t);

/* No more of them, now or, of the calling thread in its handler, soon. */
void clock_disarm(struct thread *t);
void clock_stop(struct thread *t);

static inline bool
clock_is_armed(struct thread *t)
{
	return t->timer >= 0 || atomic_load(&t->event);
}

/* How many ticks of t a signal stands for, in its handler; 0: it is not from
 * its clock, or came too early. */
uint32_t clock_ticks(struct thread *t, const siginfo_t *info);

/* thread.c: not for signal handlers */

/* Once, before all else here. Returns an errno value. */
int thread_init(void);

/* A record for a thread to be; NULL without memory. */
struct thread *thread_new(void);

/* Give a record back that no thread took. */
void thread_drop(struct thread *t);

/* The calling thread begins to be sampled, until it ends. */
void thread_enter(struct thread *t);

/* Timers for all threads that have none, or for none. */
void thread_arm_all(void);
void thread_disarm_all(void);

/* All timers send sig from now on. */
void thread_use_signal(int sig);

/* Around fork. */
void thread_fork_prepare(void);
void thread_fork_parent(void);
void thread_fork_child(bool go_on);

/* Block every signal that can be blocked, so that no handler of the program
 * runs while a lock of ours is held; and back. */
void signals_block(sigset_t *old);
void signals_restore(const sigset_t *old);

/* Call each for every thread that is sampled, under the lock. */
void thread_each(void (*each)(struct thread *t, void *arg), void *arg);

/* wall.c: not for signal handlers */

/* Begin to tick: once in a process, and again in a child after fork. */
void wall_start(void);

/* module.c: not for signal handlers */

/* Tell the recorder, and the unwinder, what was loaded or unloaded. */
void module_refresh(void);

/* The same if the loader has been at work without dlopen() or dlclose(), as it
 * is when libc loads something for itself. Cheap if it has not. */
void module_check(void);

/* What the recorder was told is forgotten: there will be another one. */
void module_reset(void);

/* Around fork. */
void module_fork_prepare(void);
void module_fork_parent(void);
void module_fork_child(void);

/* Tell the recorder something to show to the user. */
void module_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* label.c: not for signal handlers */

/* The number of the labels of t, another thread, which sleeps and has the name
 * comm (COMM_BYTES; zeros: it is no label). */
uint32_t label_sleeping(struct thread *t, const char *comm);

/* No label has been told to the recorder: there will be another one. */
void label_reset(void);

/* gperf.c */

/* Do what CPUPROFILE and related variables ask for. */
void gperf_init(void);

/* init.c: not for signal handlers */

/* Get ready, and join the session that the environment names, if any. Only
 * the first call does something. False: threads cannot be followed. */
bool sampler_init(void);

/* The same as far as it is possible inside malloc(), which setenv() calls under
 * the lock of the environment, and pthread_atfork() under its own. */
bool sampler_join(void);

/* Take samples into shm, whose header is filled in. Returns an errno value. */
int sampler_begin(struct shm *shm);

/* Take no more, and wait until nobody is at it any more. */
void sampler_end(void);

#endif
