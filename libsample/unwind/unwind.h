/*
 * unwind.h - call stacks of the current thread, from a signal handler.
 *
 * Two sides share one published set of tables. Outside the handler,
 * unwind_refresh() compiles the unwind information of every loaded object.
 * Inside, unwind_walk() reads what was published last: no lock, no malloc,
 * no loader call, no memory but the caller's arrays, the tables and the stacks
 * that the caller names; and no system call but for stacks that it does not.
 * See doc/unwinding.md.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes [lo, hi) of one stack, all mapped from the stack pointer up to hi. */
struct unwind_stack {
	uintptr_t lo;
	uintptr_t hi;
};

/*
 * What a walk needs to read a stack that was not announced: a page of it,
 * copied by the kernel. One for each thread, zero at first; it is too large for
 * a signal handler on a coroutine's stack.
 */
#define UNWIND_FAR_BYTES 4096

struct unwind_far {
	volatile sig_atomic_t in_use;
	int pid; /* 0: not asked for; -1: system calls are filtered */
	unsigned n_read;
	uintptr_t limit; /* not to be read from here on */
	uintptr_t page;  /* what is in word */
	uintptr_t word[UNWIND_FAR_BYTES / sizeof(uintptr_t)];
};

enum unwind_end {
	UNWIND_ROOT,      /* the outermost frame is in the array */
	UNWIND_TRUNCATED, /* given up after UNWIND_MOST frames */
	UNWIND_FAILED,    /* the caller of the last entry was not found */
};

/* How a walk went. */
struct unwind_info {
	enum unwind_end end;
	bool is_cut;        /* there is a UNWIND_GAP in the array */
	unsigned n_guess;   /* steps made without unwind information */
	uintptr_t where_pc; /* UNWIND_FAILED: the pc that could not be left */
};

/* What the tables hold, for statistics and tests. */
struct unwind_stats {
	size_t n_object;  /* objects with a table */
	size_t n_row;     /* rows in all of them */
	size_t n_bytes;   /* memory mapped for all of it */
	size_t n_refused; /* functions whose information was not understood */
	size_t n_retired; /* old tables that wait for their last reader */
};

/*
 * Walk the stack of the calling thread.
 *
 * uc is the ucontext_t that the kernel handed to the signal handler. stack
 * names the n_stack stacks on which frames of this thread may lie: its own
 * and, where it has one, its signal stack, in any order. If the interrupted
 * stack pointer is on none of them (a coroutine), the walk reads by system call
 * what lies beyond the page that it points into; not if far is NULL, or there
 * is a seccomp filter.
 *
 * Writes at most max addresses to pc, leaf first, and returns how many: at
 * least 1 unless max is 0 or the machine is unknown. pc[0] is the
 * interrupted instruction itself. Every other entry is a return address: the
 * byte before it belongs to the instruction that was under way. A function
 * that a signal interrupted has no return address; its entry is the
 * interrupted instruction plus one, so that the same rule holds for it; and so
 * does where a stack was made to return to at its end, if that is the first
 * instruction of a function. Of a stack of more frames both ends are in the
 * array, and between them a UNWIND_GAP (frames.h), which is one of max.
 * Fills *info. Keeps errno. A signal handler may call it, in any number of
 * threads, nested, at any moment, before and during unwind_refresh().
 */
size_t unwind_walk(const void *uc, const struct unwind_stack *stack,
		   size_t n_stack, struct unwind_far *far, uintptr_t *pc,
		   size_t max, struct unwind_info *info);

/*
 * Bring the tables up to date with the objects that are loaded now. Call it
 * once at start, and after every dlopen and dlclose; when nothing changed it
 * costs one pass over the list of objects. Only objects that are new are
 * compiled. Old tables are unmapped once no walk reads them.
 *
 * Returns 0, or an errno value: ENOMEM, EAGAIN (too many old tables still
 * have a reader). After an error the last published tables stay in force.
 * Takes the loader's lock: not for signal handlers. Several threads may call
 * it; one works, and repeats for what the others saw. Allocates by mmap only.
 */
int unwind_refresh(void);

/*
 * In the child, after fork: forget the readers and the refresh that other
 * threads of the parent had under way. Async-signal-safe.
 */
void unwind_atfork_child(void);

/*
 * Find the stack that the calling thread runs on now. For the main thread
 * the bounds allow for growth. Returns false when it cannot be found; *stack
 * is then empty. May allocate (pthread_getattr_np does) and may read
 * /proc/self/maps: call it once per thread, not from a signal handler.
 */
bool unwind_stack_find(struct unwind_stack *stack);

/*
 * Fill *stack with the signal stack (sigaltstack) of the calling thread, or
 * an empty range when it has none. One system call; a handler may call it.
 */
void unwind_stack_signal(struct unwind_stack *stack);

/* Sizes of the published tables. Not for signal handlers. */
void unwind_stats(struct unwind_stats *stats);

#endif
