/*
 * hook.h - functions of libsample for its companion libraries, which interpose
 * malloc (heap*.c) and locks (lock.c). They are exported because those are
 * other objects; programs must not use them, and they may change with any
 * version.
 *
 * They may be called from anywhere but signal handlers; if called from one,
 * they only skip a sample.
 */
#ifndef HOOK_H
#define HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "sample.h"
#include "shm.h"

enum hook_state {
	HOOK_EARLY, /* libsample is not initialized yet */
	HOOK_OFF,   /* this process is not, or no longer, recorded */
	HOOK_ON,
};

/* A sample in the making. */
struct hook {
	struct shm *shm;
	struct shm_count *count;
	uint64_t space, label;
	uintptr_t *pc; /* n frames, leaf first, and room for one number */
	size_t n;
	struct thread *thread;
	int saved_errno;
	uintptr_t one[2];
};

SAMPLE_API enum hook_state sample_hook_state(enum shm_what what,
					     struct shm **shm);

/* The number of levels of live allocations that this process may use. */
SAMPLE_API unsigned sample_hook_levels(void);

/*
 * If it is HOOK_EARLY: initialize libsample now, as constructors of libraries
 * may run before its own, but not before libc's. Returns false while that is
 * impossible. This allocates, and so re-enters the caller; it needs no lock
 * that libc could hold while allocating.
 */
SAMPLE_API bool sample_hook_begin(void);

/*
 * Begin a sample: take the stack of this thread from ra on, the return address
 * in the program, which called us. Preserves errno until sample_hook_leave(),
 * which must follow if this returns true. False: take no sample now.
 */
SAMPLE_API bool sample_hook_enter(struct hook *h, enum shm_what what,
				  const void *ra);
SAMPLE_API void sample_hook_leave(struct hook *h);

/* Count the stack of h for event, with its number. Returns false, and counts a
 * loss, if there is no room. */
SAMPLE_API bool sample_hook_count(const struct hook *h, enum shm_event event,
				  uint64_t number, uint32_t count);

/* Write a line for the user, "program[pid]: text". */
SAMPLE_API void sample_hook_note(const char *text);

static inline uint64_t
hook_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The next random number of a thread; *state is 0 at first. */
static inline uint64_t
hook_random(uint64_t *state)
{
	uint64_t x = *state;

	if (!x) {
		x = hook_now_ns() ^ (uintptr_t)state;
		x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
		x |= 1;
	}
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* The same, in [0, 1). */
static inline double
hook_uniform(uint64_t *state)
{
	return (double)(hook_random(state) >> 11) * 0x1p-53;
}

#endif
