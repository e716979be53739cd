/*
 * table.c - count stacks in the shared memory of shm.h: in the table or, if it
 * has no room, in the log. cmd/record/drain.c reads both.
 *
 * Other profilers of this design move the rarest stack of a full bucket to the
 * log, and give its entry to the new stack. Here the new stack goes to the log,
 * and entries become free when the recorder has taken their counts. So no
 * writer, which could be killed, ever holds a count.
 */
#include "config.h"

#include <string.h>

#include "table.h"

/* Limits of retries when other writers win a compare-and-swap. */
enum { RETRY_HIT = 4, RETRY_CLAIM = 64 };

/* May be called from a signal handler. */
static bool
same_stack(const struct shm_entry *e, uint64_t key, const uintptr_t *pc,
	   size_t n)
{
	if (atomic_load_explicit(&e->key, memory_order_relaxed) != key)
		return false;
	for (size_t i = 0; i < n; i++)
		if (atomic_load_explicit(&e->pc[i], memory_order_relaxed) !=
		    pc[i])
			return false;
	return true;
}

/*
 * Add to entry i if it has this stack. The swap fails if the entry was given
 * away since the comparison, so the comparison may race. May be called from a
 * signal handler.
 */
static bool
hit(struct shm *shm, size_t i, uint64_t hash, uint64_t key, const uintptr_t *pc,
    size_t n, uint32_t ticks)
{
	struct shm_mark *m = &shm->mark[i];

	for (int try = 0; try < RETRY_HIT; try++) {
		uint64_t state =
			atomic_load_explicit(&m->state, memory_order_acquire);
		uint64_t add = SHM_STATE(0, 1, ticks);

		if (atomic_load_explicit(&m->hash, memory_order_relaxed) !=
			    hash ||
		    SHM_GENERATION(state) & 1 ||
		    ticks > SHM_COUNT_MAX - SHM_COUNT(state) ||
		    !same_stack(&shm->entry[i], key, pc, n))
			return false;
		if (SHM_CALLS(state) == SHM_CALLS_MAX)
			add = ticks;
		if (atomic_compare_exchange_strong(&m->state, &state,
						   state + add))
			return true;
	}
	return false;
}

/* Take entry i if it has no count. May be called from a signal handler. */
static bool
replace(struct shm *shm, size_t i, uint64_t hash, uint64_t key,
	const uintptr_t *pc, size_t n, uint32_t ticks)
{
	struct shm_mark *m = &shm->mark[i];
	struct shm_entry *e = &shm->entry[i];
	uint64_t state = atomic_load_explicit(&m->state, memory_order_relaxed);
	uint64_t generation = SHM_GENERATION(state);

	if (generation & 1 || SHM_COUNT(state) ||
	    !atomic_compare_exchange_strong(&m->state, &state,
					    SHM_STATE(generation + 1, 0, 0)))
		return false;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&m->hash, hash, memory_order_relaxed);
	atomic_store_explicit(&e->key, key, memory_order_relaxed);
	for (size_t k = 0; k < n; k++)
		atomic_store_explicit(&e->pc[k], pc[k], memory_order_relaxed);
	atomic_store_explicit(&m->state, SHM_STATE(generation + 2, 1, ticks),
			      memory_order_release);
	return true;
}

/*
 * Claim the next slot of the log, at position *pos, or return NULL if it is
 * full. May be called from a signal handler.
 */
static struct shm_slot *
claim(struct shm *shm, uint64_t *pos)
{
	uint64_t head = atomic_load_explicit(&shm->head, memory_order_relaxed);

	for (int i = 0; i < RETRY_CLAIM; i++) {
		struct shm_slot *slot = &shm->slot[head % SHM_N_SLOT];
		uint64_t turn =
			atomic_load_explicit(&slot->turn, memory_order_acquire);

		if (turn < SHM_TURN(head))
			return NULL; /* not read since its last use */
		if (turn > SHM_TURN(head)) {
			/* Another writer has claimed it. */
			head = atomic_load_explicit(&shm->head,
						    memory_order_relaxed);
			continue;
		}
		if (atomic_compare_exchange_weak(&shm->head, &head, head + 1)) {
			*pos = head;
			return slot;
		}
	}
	return NULL;
}

/*
 * Mark the record as complete. Fails if the recorder has freed the slot,
 * because it considered the writer dead, and counted one lost tick. Subtract
 * that here, as the caller counts what is really lost. May be called from a
 * signal handler.
 */
static bool
commit(struct shm *shm, struct shm_slot *slot, uint64_t pos)
{
	uint64_t turn = SHM_TURN(pos);

	if (atomic_compare_exchange_strong(&slot->turn, &turn, turn + 1))
		return true;
	atomic_fetch_sub_explicit(&shm->process->n_lost, 1,
				  memory_order_relaxed);
	return false;
}

/* May be called from a signal handler. */
static bool
log_stack(struct shm *shm, uint64_t hash, uint64_t key, const uintptr_t *pc,
	  size_t n, uint32_t ticks)
{
	struct shm_slot *slot;
	uint64_t pos;

	slot = claim(shm, &pos);
	if (!slot)
		return false;
	slot->kind = SHM_STACK;
	slot->count = ticks;
	slot->hash = hash;
	slot->u.stack.key = key;
	for (size_t i = 0; i < n; i++)
		slot->u.stack.pc[i] = pc[i];
	return commit(shm, slot, pos);
}

bool
table_add(struct shm *shm, uint64_t key, const uintptr_t *pc, uint32_t ticks)
{
	size_t n = SHM_KEY_DEPTH(key);
	uint64_t hash = shm_hash(key, pc, n);

	if (n <= SHM_ENTRY_DEPTH && ticks <= SHM_COUNT_MAX) {
		size_t bucket = shm_bucket(hash);

		for (size_t i = bucket; i < bucket + SHM_WAYS; i++)
			if (hit(shm, i, hash, key, pc, n, ticks))
				return true;
		for (size_t i = bucket; i < bucket + SHM_WAYS; i++)
			if (replace(shm, i, hash, key, pc, n, ticks))
				return true;
	}
	return log_stack(shm, hash, key, pc, n, ticks);
}

bool
table_tell(struct shm *shm, enum shm_kind kind, const void *data, size_t size,
	   const void *tail, size_t n_tail)
{
	struct shm_slot *slot;
	uint64_t pos;

	if (size > sizeof(slot->u) || n_tail > sizeof(slot->u) - size)
		return false;
	slot = claim(shm, &pos);
	if (!slot)
		return false;
	slot->kind = kind;
	slot->count = (uint32_t)(size + n_tail);
	slot->hash = 0;
	memcpy(slot->u.bytes, data, size);
	if (n_tail)
		memcpy(slot->u.bytes + size, tail, n_tail);
	return commit(shm, slot, pos);
}
