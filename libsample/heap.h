/*
 * heap.h - what the parts of libsample-heap.so share.
 *
 *	heap.c		malloc and related functions, as the program sees them
 *	heap-new.c	operator new and delete
 *	heap-real.c	those of the allocator, and what happens before they
 *			are found
 *	heap-sample.c	when an allocation is a sample, and what is done then
 *
 * Allocators stay what they are: all memory is theirs, at the addresses and of
 * the sizes that they choose. What is added to a call that is no sample is a
 * subtraction and a comparison, and to one of free() the look at a byte.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm.h"

#define HEAP_EXPORT __attribute__((visibility("default")))
#define HEAP_LIKELY(x) __builtin_expect(!!(x), 1)

/* The program called us, and that returns to here. */
#define HEAP_CALLER __builtin_return_address(0)

/* heap-real.c */

/* At every moment there is one that works: first the one that looks for the
 * allocator, then an arena for calls made meanwhile, then the allocator. */
struct heap_real {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t n, size_t size);
	void *(*realloc)(void *p, size_t size);
	void (*free)(void *p);
	void *(*memalign)(size_t align, size_t size);
	int (*posix_memalign)(void **out, size_t align, size_t size);
	void *(*aligned_alloc)(size_t align, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
};
extern struct heap_real heap_real;

/* Find the allocator; only the first call does something. */
void heap_resolve(void);

/* p is of the arena; such memory is never given back. */
bool heap_is_early(const void *p);

/* realloc() for it. */
void *heap_move_early(void *p, size_t size);

/* heap-new.c: find the operators, of which those of the allocator's own
 * object do not go through malloc. allocator: the address of its malloc. */
void heap_new_resolve(const void *allocator);

/* heap-sample.c */

struct heap_thread {
	uint64_t left;   /* bytes to the next sample */
	uint64_t random; /* state of hook_random() */
	bool is_drawn;   /* left is random, not 0 */
};
extern _Thread_local struct heap_thread heap_thread;

/* An allocation of this size is no sample, and has been counted as such. This
 * is all that most of them cost. */
static inline bool
heap_passes(size_t size)
{
	struct heap_thread *self = &heap_thread;

	if (!HEAP_LIKELY(size <= self->left))
		return false;
	self->left -= size;
	return true;
}

/* Is one that does not pass a sample? To be asked before it is made, so that
 * one that fails is none. */
bool heap_is_due(size_t size);

/* It is, and p is what the allocator gave, or NULL. ra: HEAP_CALLER. */
void heap_sample(void *p, size_t size, const void *ra);

/*
 * For each KiB of addresses (modulo 256 MiB) how many samples that are not
 * freed begin there; 255 is forever.
 */
enum { HEAP_FILTER = 1 << 18, HEAP_FOREVER = 255 };
extern _Atomic uint8_t heap_filter[HEAP_FILTER];

static inline _Atomic uint8_t *
heap_filter_at(const void *p)
{
	return &heap_filter[(uintptr_t)p >> 10 & (HEAP_FILTER - 1)];
}

/* p may be a sample, or of the arena. Where it is not, freeing it concerns
 * nobody but the allocator. */
static inline bool
heap_may_know(const void *p)
{
	return !HEAP_LIKELY(atomic_load_explicit(heap_filter_at(p),
						 memory_order_relaxed) == 0);
}

/* Addresses of this KiB are asked about forever. */
void heap_filter_forever(const void *p);

/* p will be freed; it is a sample no more, if it was one. */
void heap_forget(const void *p);

/*
 * p will be given to realloc(), which may fail, so it is a sample no more for
 * now: what is returned goes to heap_unhold(), which forgets it for good or
 * takes it back.
 */
size_t heap_hold(const void *p);
void heap_unhold(size_t held, const void *p, bool is_gone);

#endif
