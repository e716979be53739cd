/* offcpu.c - see offcpu.h. */
#include "config.h"

#include "offcpu.h"

#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "libsample/shm.h"
#include "record/tally.h"

enum { N_BUCKET = 4096 };

/* A thread, and its stack when it left its CPU. */
struct waiter {
	struct waiter *next; /* in its bucket */
	int32_t pid, tid;
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
	struct waiter *bucket[N_BUCKET];
};

struct offcpu *
offcpu_new(struct tally *t, struct labeler *l, size_t column)
{
	struct offcpu *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->tally = t;
	o->labeler = l;
	o->column = column;
	return o;
}

/* Where the thread is, or where the list of its bucket ends. */
static struct waiter **
place(struct offcpu *o, int32_t tid)
{
	struct waiter **at = &o->bucket[(uint32_t)tid % N_BUCKET];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

void
offcpu_exit(struct offcpu *o, int32_t tid)
{
	struct waiter **at = place(o, tid), *gone = *at;

	if (!gone)
		return;
	*at = gone->next;
	free(gone->pc);
	free(gone);
}

void
offcpu_free(struct offcpu *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < N_BUCKET; i++)
		while (o->bucket[i])
			offcpu_exit(o, o->bucket[i]->tid);
	free(o);
}

void
offcpu_stack(struct offcpu *o, int32_t pid, int32_t tid, uint32_t space,
	     const uint64_t *pc, size_t n)
{
	struct waiter **at = place(o, tid), *w = *at;

	if (!w)
		w = *at = calloc(1, sizeof *w);
	if (!w)
		return;
	if (n > w->room) {
		uint64_t *more = realloc(w->pc, n * sizeof *more);

		if (!more)
			return;
		w->pc = more;
		w->room = n;
	}
	memcpy(w->pc, pc, n * sizeof *pc);
	w->n = n;
	w->pid = pid;
	w->tid = tid;
	w->space = space;
	w->out_ns = 0;
}

void
offcpu_out(struct offcpu *o, int32_t tid, uint32_t cpu, uint64_t time_ns,
	   bool preempted)
{
	struct waiter *w = *place(o, tid);

	if (!w) /* without a stack: its sample was lost */
		return;
	w->cpu = cpu;
	w->out_ns = time_ns;
	w->preempted = preempted;
}

static void
count(struct offcpu *o, struct waiter *w, uint64_t time_ns)
{
	uint32_t label = labeler_number(o->labeler, w->pid, w->tid, w->cpu,
					w->preempted);

	if (w->out_ns && time_ns > w->out_ns)
		tally_value(o->tally, SHM_KEY(SHM_TICK, w->space, label, w->n),
			    w->pc, o->column, time_ns - w->out_ns);
	w->out_ns = 0;
}

void
offcpu_in(struct offcpu *o, int32_t tid, uint64_t time_ns)
{
	struct waiter *w = *place(o, tid);

	if (w)
		count(o, w, time_ns);
}

void
offcpu_end(struct offcpu *o, uint64_t time_ns)
{
	for (size_t i = 0; i < N_BUCKET; i++)
		for (struct waiter *w = o->bucket[i]; w; w = w->next)
			count(o, w, time_ns);
}
