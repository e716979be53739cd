/*
 * heap-sample.c - select the allocations to sample, and track them.
 *
 * Points are placed on the sequence of bytes that a thread allocates, at
 * exponentially distributed distances with the period as mean. An allocation
 * that contains a point is a sample. For n bytes the probability is 1 - exp(-n
 * / period), independent of earlier allocations. The recorder divides by that.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap.h"
#include "hook.h"

enum {
	OFF_BYTES = 1 << 20, /* until the next check for a session */
	HELD = 1,            /* mark.pointer of a place being changed */
	NO_PLACE = -1,
};

_Thread_local struct heap_thread heap_thread;
_Atomic uint8_t heap_filter[HEAP_FILTER];

/*
 * State that is not inherited by a forked child, by any kind of fork: the
 * kernel gives the child zeros instead. The child's new allocations are its
 * own; those that it inherited belong to its parent.
 */
struct process {
	_Atomic uint64_t owner;  /* 0: not yet needed */
	_Atomic int64_t size;    /* estimated size of the heap */
	_Atomic int64_t largest; /* largest size so far */
};
static struct process *_Atomic own_process; /* NULL: none yet, or never */

/* Allocates at the first call. */
static bool
get_ready(void)
{
	static _Atomic bool is_begun;
	size_t size = (size_t)getpagesize();
	void *page;

	if (atomic_load(&own_process))
		return true;
	if (atomic_exchange(&is_begun, true))
		return false;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || madvise(page, size, MADV_WIPEONFORK) != 0)
		return false;
	atomic_store(&own_process, page);
	return true;
}

/* The owner number of this process's live allocations. */
static uint64_t
own_number(struct shm *shm)
{
	struct process *process = atomic_load(&own_process);
	uint64_t owner = atomic_load(&process->owner), mine;

	if (owner)
		return owner;
	mine = (uint64_t)(uint32_t)getpid() << 32 |
	       (atomic_fetch_add(&shm->next_owner, 1) + 1);
	return atomic_compare_exchange_strong(&process->owner, &owner, mine)
		       ? mine
		       : owner;
}

/* -ln(x) for 0 < x <= 1; libm must not be loaded. */
static double
minus_log(double x)
{
	uint64_t bits;
	double s, square, sum = 0;
	int exponent;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
	memcpy(&x, &bits, sizeof(x));
	/* ln of a number in [1, 2) is 2 artanh of one in [0, 1/3). */
	s = (x - 1) / (x + 1);
	square = s * s;
	for (int k = 21; k > 0; k -= 2)
		sum = sum * square + 1.0 / k;
	return -(exponent * 0.69314718055994531 + 2 * s * sum);
}

/* 1 - exp(-x) for x >= 0. */
static double
chance(double x)
{
	double y = x / 1024, e;

	if (x > 40)
		return 1;
	/* exp(-y) - 1, which is precise for small y; then the doubling formula,
	 * ten times. */
	e = -y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4)));
	for (int i = 0; i < 10; i++)
		e = e * (2 + e);
	return -e;
}

/* Bytes to the next sample. */
static uint64_t
draw(struct heap_thread *self, uint64_t period)
{
	double gap =
		minus_log(1 - hook_uniform(&self->random)) * (double)period;

	return period <= 1 ? 0 : gap < 0x1p62 ? (uint64_t)gap : 1ULL << 62;
}

bool
heap_is_due(size_t size)
{
	struct heap_thread *self = &heap_thread;
	struct shm *shm;
	enum hook_state state = sample_hook_state(SHM_HEAP, &shm);

	if (state == HOOK_EARLY && sample_hook_begin())
		state = sample_hook_state(SHM_HEAP, &shm);
	if (state == HOOK_EARLY)
		return false; /* check again at the next call */
	if (state == HOOK_OFF || !get_ready()) {
		self->left = OFF_BYTES;
		self->is_drawn = false;
		return false;
	}
	if (!self->is_drawn) {
		self->is_drawn = true;
		self->left = draw(self, shm->set.heap_period);
		if (heap_passes(size))
			return false;
	}
	self->left = draw(self, shm->set.heap_period);
	return size > 0;
}

/* The filter. */

void
heap_filter_forever(const void *p)
{
	atomic_store(heap_filter_at(p), HEAP_FOREVER);
}

/* Add n to the filter's count for p, unless it is saturated. */
static void
filter_add(const void *p, int n)
{
	_Atomic uint8_t *at = heap_filter_at(p);
	uint8_t count = atomic_load(at);

	while (count != HEAP_FOREVER && count + n >= 0 &&
	       !atomic_compare_exchange_weak(at, &count, (uint8_t)(count + n)))
		;
}

/* Live samples. */

/* Hold place i, if it has p of owner. */
static bool
hold_live(struct shm_heap *heap, size_t i, uint64_t owner, uint64_t pointer)
{
	struct shm_live *m = &heap->live[i];

	return atomic_load_explicit(&m->pointer, memory_order_acquire) ==
		       pointer &&
	       atomic_load_explicit(&m->owner, memory_order_relaxed) == owner &&
	       atomic_compare_exchange_strong(&m->pointer, &pointer, HELD);
}

size_t
heap_hold(const void *p)
{
	struct process *process = atomic_load(&own_process);
	uint64_t owner = process ? atomic_load(&process->owner) : 0;
	uint64_t pointer = (uintptr_t)p;
	struct shm_heap *heap;
	struct shm *shm;
	unsigned last, n_level = sample_hook_levels();

	if (!owner || !p || !heap_may_know(p))
		return (size_t)NO_PLACE;
	sample_hook_state(SHM_HEAP, &shm);
	heap = shm_heap(shm, shm->set.what);
	last = atomic_load(&heap->level);
	for (unsigned level = 0; level <= last && level < n_level; level++)
		for (size_t way = 0; way < SHM_LIVE_WAYS; way++) {
			size_t i = shm_live_place(owner, pointer, level, way);

			if (hold_live(heap, i, owner, pointer))
				return i;
		}
	return (size_t)NO_PLACE;
}

/* The contribution of a sample of this size to the heap's size. */
static int64_t
weight(const struct shm *shm, uint64_t size)
{
	double period = (double)shm->set.heap_period;

	return shm->set.heap_period <= 1
		       ? (int64_t)size
		       : (int64_t)((double)size /
				   chance((double)size / period));
}

void
heap_unhold(size_t held, const void *p, bool is_gone)
{
	struct shm_heap *heap;
	struct shm *shm;

	if (held == (size_t)NO_PLACE)
		return;
	sample_hook_state(SHM_HEAP, &shm);
	heap = shm_heap(shm, shm->set.what);
	if (is_gone) {
		atomic_fetch_sub(&atomic_load(&own_process)->size,
				 weight(shm, heap->live[held].size));
		filter_add(p, -1);
	}
	atomic_store_explicit(&heap->live[held].pointer,
			      is_gone ? 0 : (uintptr_t)p, memory_order_release);
}

void
heap_forget(const void *p)
{
	heap_unhold(heap_hold(p), p, true);
}

/* Hold place i for owner, if it is free. */
static bool
claim_place(struct shm_heap *heap, size_t i, uint64_t owner)
{
	uint64_t expected = 0;

	if (!atomic_compare_exchange_strong(&heap->live[i].pointer, &expected,
					    HELD))
		return false;
	atomic_store_explicit(&heap->live[i].owner, owner,
			      memory_order_relaxed);
	return true;
}

/* Hold a free place for p; or NO_PLACE. */
static size_t
claim(struct shm_heap *heap, uint64_t owner, const void *p)
{
	unsigned n_level = sample_hook_levels();

	for (unsigned level = 0; level < n_level; level++) {
		uint32_t last = atomic_load(&heap->level);

		/* Before the first entry is in it, for readers. */
		while (last < level && !atomic_compare_exchange_weak(
					       &heap->level, &last, level))
			;
		for (size_t way = 0; way < SHM_LIVE_WAYS; way++) {
			size_t i =
				shm_live_place(owner, (uintptr_t)p, level, way);

			if (claim_place(heap, i, owner))
				return i;
		}
	}
	return (size_t)NO_PLACE;
}

/* The heap has grown: record a new largest size. */
static void
grow(const struct hook *h, size_t size)
{
	struct process *process = atomic_load(&own_process);
	int64_t more = weight(h->shm, size);
	int64_t now = atomic_fetch_add(&process->size, more) + more;
	int64_t most = atomic_load(&process->largest);
	int64_t kib;

	while (now > most &&
	       !atomic_compare_exchange_weak(&process->largest, &most, now))
		;
	/* The remainder counts at the next growth. */
	kib = now / 1024 - most / 1024;
	if (now > most && kib > 0)
		sample_hook_count(h, SHM_GROW, size,
				  kib < INT32_MAX ? (uint32_t)kib : INT32_MAX);
}

/* Count a sample of this size that found no room. */
static void
lose(const struct hook *h, size_t size)
{
	atomic_fetch_add(&h->count->lost_bytes, (uint64_t)weight(h->shm, size));
}

static void
keep(const struct hook *h, const void *p, size_t size)
{
	struct shm_heap *heap = shm_heap(h->shm, h->shm->set.what);
	uint64_t owner = own_number(h->shm), key;
	size_t i;

	/* p was freed by a function that we do not interpose. */
	heap_forget(p);
	i = claim(heap, owner, p);
	if (i == (size_t)NO_PLACE) {
		atomic_fetch_add(&h->count->n_lost, 1);
		lose(h, size);
		return;
	}
	if (!sample_hook_count(h, SHM_ALLOC, size, 1)) {
		atomic_store(&heap->live[i].pointer, 0);
		lose(h, size);
		return;
	}
	key = SHM_KEY(SHM_ALLOC, h->space, h->label, h->n + 1);
	heap->live[i].hash = shm_hash(key, h->pc, h->n + 1);
	heap->live[i].size = size;
	filter_add(p, 1);
	atomic_store_explicit(&heap->live[i].pointer, (uintptr_t)p,
			      memory_order_release);
	grow(h, size);
}

void
heap_sample(void *p, size_t size, const void *ra)
{
	struct hook h;

	if (!p || !sample_hook_enter(&h, SHM_HEAP, ra))
		return;
	keep(&h, p, size);
	sample_hook_leave(&h);
}
