/*
 * drain-live.c - the table of sampled allocations that are not freed yet. The
 * sampled processes own it and change it while it is read here.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "drain.h"
#include "lib/base/array.h"
#include "lib/base/hashtab.h"
#include "procfs.h"

enum { CROWDED = 4 /* a level, of which one in so many is taken */ };

/* A process of another pid namespace: its number here, and the one that
 * libsample knows. */
struct namesake {
	pid_t here;
	int32_t pid;
};

/*
 * The newest owner of each pid: earlier ones were programs replaced by exec, or
 * other processes. And whether a process is alive, cached for the last one.
 */
struct census {
	uint64_t *owner;
	size_t n, room;
	struct hashtab set;
	int32_t pid;
	bool is_alive;
	bool is_listed; /* what follows */
	struct namesake *elsewhere;
	size_t n_elsewhere, room_elsewhere;
};

static bool
same_pid(const void *ctx, uint32_t i, const void *key)
{
	const struct census *c = ctx;

	return SHM_OWNER_PID(c->owner[i]) == *(const int32_t *)key;
}

/* The index of the owner of pid; HASHTAB_NONE without memory. A new one is
 * 0. */
static uint32_t
find_owner(struct census *c, int32_t pid)
{
	uint64_t hash = (uint32_t)pid * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i;

	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		uint64_t *more = reallocarray(c->owner, room, sizeof(*more));

		if (!more)
			return HASHTAB_NONE;
		c->owner = more;
		c->room = room;
	}
	i = hashtab_intern(&c->set, hash ^ hash >> 32, same_pid, c, &pid, c->n);
	if (i == c->n)
		c->owner[c->n++] = (uint64_t)(uint32_t)pid << 32;
	return i;
}

/* The number of places that may be used; 0 if the heap is not recorded. */
static size_t
n_places(const struct drain *d)
{
	return d->heap ? shm_n_live(d->heap, d->set.live_levels) : 0;
}

/* Processes without memory here count as alive. */
static void
take_census(struct census *c, const struct drain *d)
{
	const struct shm_heap *heap = d->heap;

	*c = (struct census){ 0 };
	for (size_t i = 0; i < n_places(d); i++) {
		const struct shm_live *m = &heap->live[i];
		uint64_t owner = atomic_load(&m->owner);
		uint32_t k;

		if (atomic_load(&m->pointer) <= 1)
			continue;
		k = find_owner(c, SHM_OWNER_PID(owner));
		/* They count up, and may wrap. */
		if (k != HASHTAB_NONE &&
		    (int32_t)((uint32_t)owner - (uint32_t)c->owner[k]) > 0)
			c->owner[k] = owner;
	}
}

static void
end_census(struct census *c)
{
	free(c->owner);
	free(c->elsewhere);
	hashtab_release(&c->set);
}

static void
list_elsewhere(struct census *c)
{
	DIR *dir = procfs_list("/proc");
	struct namesake n;

	while (dir && (n.here = procfs_elsewhere(dir, &n.pid)) != 0 &&
	       array_reserve(&c->elsewhere, &c->room_elsewhere,
			     c->n_elsewhere + 1, sizeof(n)) == 0)
		c->elsewhere[c->n_elsewhere++] = n;
	if (dir)
		closedir(dir);
	c->is_listed = true;
}

/* No process here has this number: has one that is sampled, in another pid
 * namespace? */
static bool
is_elsewhere(struct census *c, int32_t pid)
{
	bool found = false;

	if (!c->is_listed)
		list_elsewhere(c);
	for (size_t i = 0; i < c->n_elsewhere && !found; i++)
		found = c->elsewhere[i].pid == pid &&
			procfs_has(c->elsewhere[i].here, "maps",
				   "/memfd:" SHM_NAME);
	return found;
}

static bool
is_alive(struct census *c, uint64_t owner)
{
	int32_t pid = SHM_OWNER_PID(owner);
	uint32_t i = find_owner(c, pid);

	if (i != HASHTAB_NONE &&
	    (int32_t)((uint32_t)owner - (uint32_t)c->owner[i]) < 0)
		return false;
	if (pid != c->pid) {
		c->pid = pid;
		c->is_alive = pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH ||
					  is_elsewhere(c, pid));
	}
	return c->is_alive;
}

/*
 * The hash of the entry at place i; 0 if there is none, or it is incomplete. If
 * it was freed and the same pointer allocated again meanwhile, the hash may be
 * of either.
 */
static uint64_t
look(const struct shm_heap *heap, size_t i)
{
	const struct shm_live *m = &heap->live[i];
	uint64_t pointer =
		atomic_load_explicit(&m->pointer, memory_order_acquire);
	uint64_t hash;

	if (pointer <= 1)
		return 0;
	hash = *(const volatile uint64_t *)&heap->live[i].hash;
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&m->pointer, memory_order_relaxed) ==
			       pointer
		       ? hash
		       : 0;
}

void
drain_live(struct drain *d, struct tally *t)
{
	const struct shm_heap *heap = d->heap;
	struct census census;

	tally_begin_live(t);
	take_census(&census, d);
	for (size_t i = 0; i < n_places(d); i++) {
		uint64_t hash = look(heap, i);

		if (hash)
			tally_live(t, hash,
				   is_alive(&census,
					    atomic_load(&heap->live[i].owner)));
	}
	end_census(&census);
}

void
drain_make_room(struct drain *d, struct tally *t)
{
	struct shm_heap *heap = d->heap;
	struct census census;
	size_t n = 0;

	for (size_t i = 0; i < n_places(d); i++)
		n += atomic_load_explicit(&heap->live[i].pointer,
					  memory_order_relaxed) != 0;
	if (n <= n_places(d) / CROWDED)
		return;
	take_census(&census, d);
	for (size_t i = 0; i < n_places(d); i++) {
		struct shm_live *m = &heap->live[i];
		uint64_t hash;

		if (atomic_load(&m->pointer) == 0 ||
		    is_alive(&census, atomic_load(&m->owner)))
			continue;
		hash = look(heap, i);
		if (!hash)
			continue;
		tally_ended(t, hash);
		atomic_store(&m->pointer, 0);
	}
	end_census(&census);
}
