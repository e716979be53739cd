/* offcpu.c - see offcpu.h. */
#include "config.h"

#include "offcpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by-id.h"
#include "label.h"
#include "lib/base/array.h"
#include "libsample/shm.h"
#include "record/tally.h"
#include "space.h"

/* A thread, and its stack when it left its CPU. */
struct waiter {
	struct by_id by; /* its tid */
	int32_t pid;
	uint32_t cpu, space;
	uint64_t out_ns; /* 0: it is on a CPU, as far as is known */
	bool preempted;
	uint64_t *pc;
	size_t n, room;
};

struct offcpu {
	struct tally *tally;
	struct labeler *labeler;
	size_t column;
	struct by_id_table waiters; /* of struct waiter */
};

struct offcpu *
offcpu_new(struct tally *t, struct labeler *l, size_t column)
{
	struct offcpu *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->tally = t;
	o->labeler = l;
	o->column = column;
	return o;
}

static struct waiter *
find_waiter(struct offcpu *o, int32_t tid)
{
	return (struct waiter *)*by_id_place(&o->waiters, tid);
}

void
offcpu_exit(struct offcpu *o, int32_t tid)
{
	struct waiter *gone = by_id_take(&o->waiters, tid);

	if (gone)
		free(gone->pc);
	free(gone);
}

void
offcpu_free(struct offcpu *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < BY_ID_BUCKETS; i++)
		while (o->waiters.bucket[i])
			offcpu_exit(o, o->waiters.bucket[i]->id);
	free(o);
}

/* The thread's entry, made if it is new, with room for a stack of n. */
static struct waiter *
waiter_of(struct offcpu *o, int32_t tid, size_t n)
{
	struct by_id **at = by_id_place(&o->waiters, tid);
	struct waiter *w = (struct waiter *)*at;

	if (!w) {
		w = calloc(1, sizeof(*w));
		if (!w)
			return NULL;
		w->by.id = tid;
		*at = &w->by;
	}
	if (array_reserve(&w->pc, &w->room, n, sizeof(*w->pc)) == 0)
		return w;
	offcpu_exit(o, tid); /* with the stack of its last wait */
	return NULL;
}

bool
offcpu_stack(struct offcpu *o, int32_t pid, int32_t tid, uint32_t space,
	     const uint64_t *pc, size_t n)
{
	struct waiter *w = waiter_of(o, tid, n);

	if (!w)
		return false;
	memcpy(w->pc, pc, n * sizeof(*pc));
	w->n = n;
	w->pid = pid;
	w->space = space;
	w->out_ns = 0;
	return true;
}

bool
offcpu_knows(struct offcpu *o, int32_t tid)
{
	return find_waiter(o, tid) != NULL;
}

void
offcpu_out(struct offcpu *o, int32_t tid, uint32_t cpu, uint64_t time_ns,
	   bool preempted)
{
	struct waiter *w = find_waiter(o, tid);

	if (!w) /* without a stack: its sample was lost */
		return;
	w->cpu = cpu;
	w->out_ns = time_ns;
	w->preempted = preempted;
}

static void
count_wait(struct offcpu *o, struct waiter *w, uint64_t time_ns)
{
	uint32_t label = labeler_number(o->labeler, w->pid, w->by.id, w->cpu,
					w->preempted);

	if (w->out_ns && time_ns > w->out_ns)
		tally_value(o->tally, SHM_KEY(SHM_TICK, w->space, label, w->n),
			    w->pc, o->column, time_ns - w->out_ns);
	w->out_ns = 0;
}

void
offcpu_in(struct offcpu *o, int32_t tid, uint64_t time_ns)
{
	struct waiter *w = find_waiter(o, tid);

	if (w)
		count_wait(o, w, time_ns);
}

void
offcpu_until(struct offcpu *o, uint64_t time_ns)
{
	for (size_t i = 0; i < BY_ID_BUCKETS; i++)
		for (struct by_id *e = o->waiters.bucket[i]; e; e = e->next) {
			struct waiter *w = (struct waiter *)e;

			if (!w->out_ns || time_ns <= w->out_ns)
				continue;
			count_wait(o, w, time_ns);
			w->out_ns = time_ns;
		}
}

static bool
is_gone(const struct waiter *w)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", w->pid, w->by.id);
	return access(path, F_OK) != 0;
}

void
offcpu_turn(struct offcpu *o, struct tally *t, struct spaces *spaces)
{
	o->tally = t;
	for (size_t i = 0; i < BY_ID_BUCKETS; i++) {
		struct by_id **at = &o->waiters.bucket[i];

		while (*at) {
			struct waiter *w = (struct waiter *)*at;
			struct process_space *p =
				is_gone(w) ? NULL : spaces_find(spaces, w->pid);

			if (!p) {
				offcpu_exit(o, w->by.id);
				continue;
			}
			w->space = space_number(p);
			at = &w->by.next;
		}
	}
}
