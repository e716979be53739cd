/*
 * heap.c - malloc and related functions. A call that is not sampled jumps to
 * the allocator; sampling is out of line.
 */
#include "config.h"

#include "heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

/* Removed from libc's headers, but programs still call them. */
HEAP_EXPORT void cfree(void *p);

static NOINLINE void *
slow_malloc(size_t size, const void *ra)
{
	bool is_due = heap_is_due(size);
	void *p = heap_real.malloc(size);

	if (is_due)
		heap_sample(p, size, ra);
	return p;
}

HEAP_EXPORT void *
malloc(size_t size)
{
	if (heap_passes(size))
		return heap_real.malloc(size);
	return slow_malloc(size, HEAP_CALLER);
}

static NOINLINE void *
slow_calloc(size_t n, size_t size, size_t bytes, const void *ra)
{
	bool is_due = heap_is_due(bytes);
	void *p = heap_real.calloc(n, size);

	if (is_due)
		heap_sample(p, bytes, ra);
	return p;
}

HEAP_EXPORT void *
calloc(size_t n, size_t size)
{
	size_t bytes;

	/* On overflow, the allocator fails. */
	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = 0;
	if (heap_passes(bytes))
		return heap_real.calloc(n, size);
	return slow_calloc(n, size, bytes, HEAP_CALLER);
}

static NOINLINE void *
slow_realloc(void *p, size_t size, const void *ra)
{
	bool is_due = !heap_passes(size) && heap_is_due(size);
	size_t held;
	void *q;

	if (heap_is_early(p))
		return heap_move_early(p, size);
	held = heap_hold(p);
	q = heap_real.realloc(p, size);
	heap_unhold(held, p, q || !size);
	if (is_due)
		heap_sample(q, size, ra);
	return q;
}

HEAP_EXPORT void *
realloc(void *p, size_t size)
{
	if (!heap_may_know(p) && heap_passes(size))
		return heap_real.realloc(p, size);
	return slow_realloc(p, size, HEAP_CALLER);
}

/* Not passed to the allocator's, which may or may not call realloc(). */
HEAP_EXPORT void *
reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	if (!heap_may_know(p) && heap_passes(bytes))
		return heap_real.realloc(p, bytes);
	return slow_realloc(p, bytes, HEAP_CALLER);
}

static NOINLINE void
slow_free(void *p)
{
	if (heap_is_early(p))
		return;
	heap_forget(p);
	heap_real.free(p);
}

HEAP_EXPORT void
free(void *p)
{
	if (heap_may_know(p))
		slow_free(p);
	else
		heap_real.free(p);
}

HEAP_EXPORT void
cfree(void *p)
{
	free(p);
}

HEAP_EXPORT void *
memalign(size_t align, size_t size)
{
	bool is_due = !heap_passes(size) && heap_is_due(size);
	void *p = heap_real.memalign(align, size);

	if (is_due)
		heap_sample(p, size, HEAP_CALLER);
	return p;
}

HEAP_EXPORT int
posix_memalign(void **out, size_t align, size_t size)
{
	bool is_due = !heap_passes(size) && heap_is_due(size);
	int rc = heap_real.posix_memalign(out, align, size);

	if (is_due && rc == 0)
		heap_sample(*out, size, HEAP_CALLER);
	return rc;
}

HEAP_EXPORT void *
aligned_alloc(size_t align, size_t size)
{
	bool is_due = !heap_passes(size) && heap_is_due(size);
	void *p = heap_real.aligned_alloc(align, size);

	if (is_due)
		heap_sample(p, size, HEAP_CALLER);
	return p;
}

HEAP_EXPORT void *
valloc(size_t size)
{
	bool is_due = !heap_passes(size) && heap_is_due(size);
	void *p = heap_real.valloc(size);

	if (is_due)
		heap_sample(p, size, HEAP_CALLER);
	return p;
}

HEAP_EXPORT void *
pvalloc(size_t size)
{
	bool is_due = !heap_passes(size) && heap_is_due(size);
	void *p = heap_real.pvalloc(size);

	if (is_due)
		heap_sample(p, size, HEAP_CALLER);
	return p;
}
