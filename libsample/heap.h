/*
 * heap.h - shared by the parts of libsample-heap.so.
 *
 *	heap.c		malloc and related functions, as the program calls them
 *	heap-new.c	operator new and delete
 *	heap-real.c	the allocator's functions, and allocations before they
 *			are found
 *	heap-sample.c	selection and tracking of samples
 *
 * Allocators work unchanged: all memory is theirs, with the addresses and sizes
 * that they choose. A call that is not sampled costs a subtraction and a
 * comparison more, a call of free() a look at a byte.
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

/* The return address in the program, which called us. */
#define HEAP_CALLER __builtin_return_address(0)

/* heap-real.c */

/* Always usable: first it looks up the allocator, then it is an arena for calls
 * made meanwhile, then the allocator. */
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

/* Find the allocator; only the first call has an effect. */
void heap_resolve(void);

/* Is p in the arena? Its memory is never freed. */
bool heap_is_early(const void *p);

/* realloc() for such memory. */
void *heap_move_early(void *p, size_t size);

/* heap-new.c: find the operators, and whether they go through malloc: those in
 * the allocator's object do not. allocator: the address of its malloc. */
void heap_new_resolve(const void *allocator);

/* heap-sample.c */

struct heap_thread {
	uint64_t left;   /* bytes to the next sample */
	uint64_t random; /* state of hook_random() */
	bool is_drawn; /* left was drawn at random, and is not the initial 0 */
};
extern _Thread_local struct heap_thread heap_thread;

/* Count an allocation of this size; true: it is not a sample. Most allocations
 * execute only this. */
static inline bool
heap_passes(size_t size)
{
	struct heap_thread *self = &heap_thread;

	if (!HEAP_LIKELY(size <= self->left))
		return false;
	self->left -= size;
	return true;
}

/* Is an allocation that does not pass a sample? Call it before allocating, so
 * that one that fails is not counted. */
bool heap_is_due(size_t size);

/* Record the sample p, the result of the allocator, or NULL. ra:
 * HEAP_CALLER. */
void heap_sample(void *p, size_t size, const void *ra);

/*
 * For each KiB of addresses (modulo 256 MiB), the number of live samples that
 * begin there; 255 is permanent.
 */
enum { HEAP_FILTER = 1 << 18, HEAP_FOREVER = 255 };
extern _Atomic uint8_t heap_filter[HEAP_FILTER];

static inline _Atomic uint8_t *
heap_filter_at(const void *p)
{
	return &heap_filter[(uintptr_t)p >> 10 & (HEAP_FILTER - 1)];
}

/* May p be a sample, or in the arena? If not, free() has nothing else to do. */
static inline bool
heap_may_know(const void *p)
{
	return !HEAP_LIKELY(atomic_load_explicit(heap_filter_at(p),
						 memory_order_relaxed) == 0);
}

/* Always look up addresses of this KiB. */
void heap_filter_forever(const void *p);

/* p will be freed: forget the sample, if it is one. */
void heap_forget(const void *p);

/*
 * p will be passed to realloc(), which may fail: suspend the sample. Pass the
 * result to heap_unhold(), which forgets the sample or restores it.
 */
size_t heap_hold(const void *p);
void heap_unhold(size_t held, const void *p, bool is_gone);

#endif
