/*
 * drain-live.c - the table of allocations that were sampled and not freed yet.
 * The sampled processes own it and go on changing it; here it is looked at.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "drain.h"

enum { CROWDED = SHM_N_LIVE / 4 };

/* Whether processes live, as of the last that was asked for. */
struct census {
	int32_t pid;
	bool is_alive;
};

static bool
is_alive(struct census *c, uint64_t owner)
{
	int32_t pid = SHM_OWNER_PID(owner);

	if (pid != c->pid) {
		c->pid = pid;
		c->is_alive = pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH);
	}
	return c->is_alive;
}

/*
 * Copy what is at place i; false if that is nothing, or not whole. If it was
 * freed and the place taken again meanwhile, by the same pointer, the hash says
 * so.
 */
static bool
look(const struct shm_heap *heap, size_t i, struct shm_live *copy)
{
	const struct shm_live_mark *m = &heap->mark[i];
	uint64_t pointer =
		atomic_load_explicit(&m->pointer, memory_order_acquire);
	uint32_t depth;

	if (pointer <= 1)
		return false;
	memcpy(copy, &heap->live[i], sizeof *copy);
	atomic_thread_fence(memory_order_acquire);
	depth = SHM_KEY_DEPTH(copy->key);
	return atomic_load_explicit(&m->pointer, memory_order_relaxed) ==
		       pointer &&
	       SHM_KEY_EVENT(copy->key) == SHM_ALLOC && depth <= SHM_DEPTH &&
	       shm_hash(copy->key, copy->pc, depth) == copy->hash;
}

void
drain_live(struct drain *d, struct tally *t, bool with_ended)
{
	const struct shm_heap *heap = shm_heap(d->shm);
	struct census census = { 0 };
	struct shm_live copy;

	tally_begin_live(t, with_ended);
	for (size_t i = 0; heap && i < SHM_N_LIVE; i++)
		if (look(heap, i, &copy) &&
		    (with_ended ||
		     is_alive(&census, atomic_load(&heap->mark[i].owner))))
			tally_live(t, copy.key, copy.pc);
}

void
drain_make_room(struct drain *d, struct tally *t)
{
	struct shm_heap *heap = shm_heap(d->shm);
	struct census census = { 0 };
	struct shm_live copy;
	size_t n = 0;

	for (size_t i = 0; heap && i < SHM_N_LIVE; i++)
		n += atomic_load_explicit(&heap->mark[i].pointer,
					  memory_order_relaxed) != 0;
	for (size_t i = 0; n > CROWDED && i < SHM_N_LIVE; i++) {
		struct shm_live_mark *m = &heap->mark[i];

		if (atomic_load(&m->pointer) == 0 ||
		    is_alive(&census, atomic_load(&m->owner)) ||
		    !look(heap, i, &copy))
			continue;
		tally_ended(t, copy.key, copy.pc);
		atomic_store(&m->pointer, 0);
	}
}
