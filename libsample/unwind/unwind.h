/*
 * unwind.h - call stacks of the current thread, from a signal handler.
 *
 * Two sides share one published set of tables. Outside the handler,
 * unwind_refresh() compiles the unwind information of every loaded object.
 * Inside, unwind_walk() reads the tables: no lock, no malloc, no call of the
 * loader; it reads only the caller's arrays, the tables and the named stacks,
 * and makes system calls only for other stacks. See doc/unwinding.md.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames.h"

/* A variable behind all others, which so share a page: most processes are
 * short, and a page that is touched is a tenth of what libsample costs them. */
#define LARGE __attribute__((section(".bss.~")))

/* Bytes [lo, hi) of one stack, all mapped from the stack pointer up to hi. */
struct unwind_stack {
	uintptr_t lo;
	uintptr_t hi;
};

/*
 * An interpreter's frames in the stack of the thread: see interp/interp.h. The
 * walk calls it for each frame of machine code, from the leaf on, with the
 * address there, the end of its part of the stack, and the last register that
 * calls preserve, there (unwind_frame.last). It returns whether it has
 * added frames of its own in the place of that one. In the end it may add what
 * is left: failed if the walk was given up before the root.
 */
struct unwind_guest {
	bool (*frame)(struct unwind_guest *g, struct unwind_frames *out,
		      uintptr_t pc, uintptr_t cfa, uintptr_t last);
	void (*end)(struct unwind_guest *g, struct unwind_frames *out,
		    bool failed);
};

/* The size of the tables, for statistics and tests. */
struct unwind_stats {
	size_t n_object;  /* objects with a table */
	size_t n_row;     /* rows in all of them */
	size_t n_bytes;   /* memory mapped in all */
	size_t n_refused; /* functions that were not understood */
	size_t n_retired; /* old tables that still have a reader */
};

/*
 * Walk the stack of the calling thread.
 *
 * uc is the ucontext_t that the kernel passed to the signal handler. stack has
 * the n_stack stacks on which frames of this thread may be: its own and its
 * signal stack, if any, in any order. If the interrupted stack pointer is on
 * none of them (a coroutine), the walk reads by system call beyond the page
 * that it points to; unless far is NULL, or there is a seccomp filter. guest
 * may be NULL.
 *
 * Writes at most max addresses to pc, leaf first, and returns their number: at
 * least 1 unless max is 0 or the machine is unknown. pc[0] is the interrupted
 * instruction itself. Other entries are return addresses: the byte before one
 * belongs to the call. A function that a signal interrupted has no return
 * address; its entry is the interrupted instruction plus one, so that the same
 * rule holds. The same goes for the trampoline that a signal handler returns
 * to, and for an artificial return address at the end of a stack, if it is the
 * first instruction of a function. A longer stack keeps both ends in the array,
 * with an UNWIND_GAP between them, which is
 * one of max. Fills *info. Preserves errno. A signal handler may call it, in
 * any number of threads, nested, at any moment, before and during
 * unwind_refresh().
 */
size_t unwind_walk(const void *uc, const struct unwind_stack *stack,
		   size_t n_stack, struct unwind_far *far,
		   struct unwind_guest *guest, uintptr_t *pc, size_t max,
		   struct unwind_info *info);

/*
 * Update the tables for the objects that are loaded now. Call it once at start,
 * and after every dlopen and dlclose; if nothing changed it costs one pass over
 * the list of objects. Only new objects are compiled. Old tables are unmapped
 * once no walk reads them; the rows of some unloaded objects are kept.
 *
 * Returns 0, or an errno value: ENOMEM, EAGAIN (too many old tables still have
 * a reader). After an error the last published tables remain in use. Takes the
 * loader's lock, so a signal handler may call it only after unwind_note().
 * Several threads may call it; one works, and repeats the work for the others.
 * Allocates by mmap only.
 */
int unwind_refresh(void);

/*
 * Note the objects that are loaded now, which must stay loaded until
 * unwind_note_end(). In between, unwind_refresh() and unwind_each() take these
 * and do not ask the loader, so that a signal handler may call them. False:
 * there are too many.
 */
bool unwind_note(void);
void unwind_note_end(void);

/* dl_iterate_phdr(), or the same for what was noted. */
typedef int unwind_visit(struct dl_phdr_info *info, size_t size, void *arg);
int unwind_each(unwind_visit *visit, void *arg);

/*
 * Leave the objects whose code is at these addresses out of the tables: they
 * have been unloaded. The same errors, and EAGAIN during a refresh. A signal
 * handler may call it, but not while unwind_refresh() may begin.
 */
int unwind_forget(const uintptr_t *code, size_t n_code);

/*
 * In the child, after fork: forget readers and a refresh of other threads of
 * the parent. Async-signal-safe.
 */
void unwind_atfork_child(void);

/*
 * Find the stack that the calling thread is using. The bounds of the main
 * thread's allow for growth. Returns false, and an empty *stack, if it cannot
 * be found. Without may_allocate, reads /proc/self/maps, which is slower in a
 * process with many mappings; with it (pthread_getattr_np allocates), only for
 * the main thread. Call it once per thread, not from a signal handler.
 */
bool unwind_stack_find(struct unwind_stack *stack, bool may_allocate);

/*
 * Set *stack to the signal stack (sigaltstack) of the calling thread, or to an
 * empty range. One system call; a signal handler may call it.
 */
void unwind_stack_signal(struct unwind_stack *stack);

/* Sizes of the published tables. Not for signal handlers. */
void unwind_stats(struct unwind_stats *stats);

/*
 * Copy own memory that may not be mapped: the bytes copied, or less than 0.
 * *pid is 0 before the first call of a walk; -1: there is a seccomp filter,
 * which may kill for the system call, so nothing is read. For signal handlers.
 */
struct iovec;
long unwind_own_read(int *pid, void *to, size_t size, const struct iovec *from,
		     size_t n);

#endif
