/*
 * sampler.h - what the parts of libsample share.
 *
 *	init.c		joins a session, starts and stops sampling
 *	thread.c	one record and one timer for each thread
 *	module.c	tells the recorder what is loaded where
 *	wall.c		ticks of the wall clock
 *	wrap.c		the libc functions that libsample stands in front of
 *	handler.c	the signal handler
 *	table.c		stacks into shared memory
 *	unwind*.c	call stacks
 *
 * The last three run in signal handlers; tests/handler.t holds them to the few
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
#include "unwind.h"

/* The state of sampling in this process. Written by init.c and module.c. */
struct sampler {
	struct shm *shm; /* NULL: no session */
	uint64_t period_ns;
	enum shm_clock clock;
	_Atomic int signal;
	_Atomic uint32_t space; /* what the addresses of this process mean */
	/* After fork, the space is still the parent's. */
	_Atomic bool is_forked;
	pid_t pid;
};
extern struct sampler sampler;

/* What the handler needs to know about a thread, and where it works. */
struct thread {
	struct thread *next;    /* in the list of live ones, or of free ones */
	struct thread **link;   /* what points here */
	void *(*start)(void *); /* of pthread_create; NULL: main or C11 */
	int (*start_c11)(void *);
	void *arg;
	struct unwind_stack stack;
	pid_t tid;
	int timer;  /* the kernel's number, or -1 */
	int rounds; /* of thread-specific data destructors */
	uint32_t label;

	/* Of the wall clock; see wall.c. */
	_Atomic uint32_t due;  /* ticks that the handler shall count */
	_Atomic uint32_t turn; /* odd while the handler is at work */
	uint64_t cpu_ns;       /* CPU time of the thread at its last sample */
	uint64_t seen_ns;      /* the same at the last tick, without a sample */
	uint32_t n_pc;         /* frames in pc, after a sample */
	uintptr_t pc[SHM_DEPTH];
};

/* The clock of a thread's CPU time, as the kernel numbers them. */
#define THREAD_CLOCK(tid) ((clockid_t)(~(unsigned)(tid) << 3 | 6))

/* The calling thread's record; NULL in threads that are not sampled. Compiled
 * for the initial-exec model, as the others may call the loader. */
extern _Thread_local struct thread *thread_self;

/* handler.c */

/* The handler of sampler.signal. */
void handler_tick(int sig, siginfo_t *info, void *uc);

/* Start a space for this process that has the modules of base (0: none).
 * Returns 0 when the log is full. A signal handler may call it. */
uint32_t sampler_new_space(uint32_t base);

/* The space that addresses of this process belong to now. The same. */
uint32_t sampler_space(void);

/* thread.c: not for signal handlers */

/* Once, before all else here. Returns an errno value. */
int thread_init(void);

/* A record for a thread to be; NULL without memory. */
struct thread *thread_new(void);

/* Give a record back that no thread took. */
void thread_drop(struct thread *t);

/* The calling thread begins to be sampled, until it ends. */
void thread_enter(struct thread *t);

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

/* Around fork. */
void module_fork_prepare(void);
void module_fork_parent(void);
void module_fork_child(void);

/* Tell the recorder something to show to the user. */
void module_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* init.c */

/* Join the session that the environment names, if any; only once. */
void sampler_init(void);

#endif
