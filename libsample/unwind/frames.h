/*
 * frames.h - how long stacks may be, and how one says that it is not whole: the
 * same for all unwinders, the shared memory and readers of copied stacks. And
 * the array that a walk fills, which keeps both ends of a stack that is too
 * long for it: the leaf shows what ran, the root on whose behalf.
 * Async-signal-safe.
 */
#ifndef UNWIND_FRAMES_H
#define UNWIND_FRAMES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UNWIND_FRAMES = 1024, /* frames of a stack that are kept, at most */
	/* Frames that a walk visits, as it must end before the next tick: these
	 * take some tenths of a millisecond. */
	UNWIND_MOST = 16384
};

/* Numbers in the place of an address, where no code can be. */
enum {
	UNWIND_GAP = 1, /* frames are missing here, as the stack had too many */
	/*
	 * First in a tick of shm.h: it was pending while libsample blocked
	 * signals, so the time is that of its own work; or of fork(), the next
	 * frame that is not libsample's.
	 */
	UNWIND_OWN = 2,
	UNWIND_FORK = 3
};

/* The name of an UNWIND_GAP in profiles. */
#define UNWIND_GAP_NAME "[truncated]"

enum unwind_end {
	UNWIND_ROOT, /* the outermost frame is in the array */
	/* Given up: after UNWIND_MOST frames, or the copy of the stack ends. */
	UNWIND_TRUNCATED,
	UNWIND_FAILED,   /* the caller of the last entry was not found */
	UNWIND_SWITCHED, /* the same, as its code went to another stack */
};

/*
 * Working memory for a walk of an unknown stack: a page of it, copied by the
 * kernel. One for each thread, zero at first; it is too large for a signal
 * handler on a coroutine's stack.
 */
#define UNWIND_FAR_BYTES 4096

struct unwind_far {
	volatile sig_atomic_t in_use;
	int pid; /* 0: not yet known; -1: system calls are filtered */
	unsigned n_read;
	uintptr_t limit; /* the end of readable addresses */
	uintptr_t page;  /* the page in word */
	uintptr_t word[UNWIND_FAR_BYTES / sizeof(uintptr_t)];
};

/* The result of a walk. */
struct unwind_info {
	enum unwind_end end;
	bool is_cut;        /* the array contains an UNWIND_GAP */
	unsigned n_guess;   /* steps made without unwind information */
	unsigned n_unread;  /* parts of the stack that a guest could not read;
			       of sampler_walk() */
	uintptr_t where_pc; /* libsample, UNWIND_FAILED: the pc that could not
			       be left */
};

/*
 * At most max frames at pc. When they are full, the first half stays, and the
 * second becomes a ring in which a new frame replaces the oldest.
 */
struct unwind_frames {
	uintptr_t *pc, *last; /* the frame that was added last */
	size_t max, n;
	size_t next;  /* in the ring: the oldest */
	size_t n_all; /* total number of frames */
};

static inline void
unwind_frames_add(struct unwind_frames *s, uintptr_t pc)
{
	size_t half = s->max - s->max / 2;

	s->n_all++;
	if (__builtin_expect(s->n < s->max, 1)) {
		s->last = &s->pc[s->n++];
	} else if (half < s->max) {
		s->last = &s->pc[half + s->next];
		s->next = half + s->next + 1 < s->max ? s->next + 1 : 0;
	} else {
		return;
	}
	*s->last = pc;
}

static inline void
unwind_frames_reverse(uintptr_t *pc, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uintptr_t swap = pc[i];

		pc[i] = pc[n - 1 - i];
		pc[n - 1 - i] = swap;
	}
}

/*
 * Put the frames in order, with an UNWIND_GAP for those that were dropped.
 * is_whole: the last frame is the root; otherwise the walk was given up, and
 * nothing follows the gap. Returns the number of entries.
 */
static inline size_t
unwind_frames_end(struct unwind_frames *s, int is_whole)
{
	size_t half = s->max - s->max / 2, n = s->max - half;
	uintptr_t *ring = s->pc + half;

	if (s->n_all <= s->max || n == 0)
		return s->n;
	/* The gap replaces the oldest. */
	ring[s->next] = UNWIND_GAP;
	unwind_frames_reverse(ring, s->next);
	unwind_frames_reverse(ring + s->next, n - s->next);
	unwind_frames_reverse(ring, n);
	return is_whole ? s->max : half + 1;
}

#endif
