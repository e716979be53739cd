/*
 * parallel.c - read several object files at the same time; see impl.h. Their
 * answers go into the profile in the order of the mappings, so that the result
 * does not depend on threads: an object waits for its turn with its first
 * answer.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "symbols/binary/symcache.h"

#define MAX_TASKS 64 /* objects that are open */

struct run;

struct resolve_task {
	struct wants wants; /* from this object */
	struct binary *s;
	uint32_t mapping; /* one of its mappings */
	bool *named;      /* by address: it has a name; NULL: not needed */
	struct run *run;
	bool done;
	enum prof_status st;
	struct prof_err err;
};

/* Shared by the threads. */
struct run {
	struct resolve_task *task;
	size_t n_task, next;
	size_t turn; /* the task that may change the profile */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static void
task_release(struct resolve_task *t)
{
	binary_close(t->s);
	free(t->named);
	wants_release(&t->wants);
}

/* Wait until t may change the profile. */
static void
wait_for_turn(struct resolve_task *t)
{
	struct run *run = t->run;

	pthread_mutex_lock(&run->lock);
	while (&run->task[run->turn] != t)
		pthread_cond_wait(&run->changed, &run->lock);
	pthread_mutex_unlock(&run->lock);
}

/* A symbol_fn. */
static void
frame_take(void *ctx, size_t i, const struct symbol_frame *frame, size_t n)
{
	struct resolve_task *t = ctx;

	wait_for_turn(t);
	if (t->named)
		t->named[i] = true;
	wants_answer(&t->wants, i, frame, n);
}

/* A callback of binary_ranges(). */
static void
take_range(void *ctx, size_t i, uint64_t start)
{
	struct resolve_task *t = ctx;
	const struct profile *p = t->wants.r->p;
	struct symbol_frame frame = { .file = "" };
	const char *file, *slash;
	char name[300];

	if (t->named[i])
		return;
	wait_for_turn(t);
	file = profile_str(p, p->mapping[t->mapping].file);
	slash = strrchr(file, '/');
	snprintf(name, sizeof(name), "[%.255s+0x%" PRIx64 "]",
		 slash ? slash + 1 : file, start);
	frame.name = name;
	wants_answer(&t->wants, i, &frame, 1);
}

static void
look_up(struct resolve_task *t)
{
	const struct resolve_options *o = t->wants.r->o;

	binary_set_threads(t->s, o->n_thread);
	if (o->ranges)
		t->named = calloc(t->wants.n_addr + 1, sizeof(*t->named));
	t->st = symcache_run(o->cache, t->s, t->wants.addr, t->wants.n_addr,
			     !o->no_lines, frame_take, t, &t->err);
	if (o->ranges &&
	    (!t->named || binary_ranges(t->s, t->wants.addr, t->wants.n_addr,
					take_range, t, NULL) != PROF_OK))
		t->st = prof_nomem(&t->err);
	binary_close(t->s);
	t->s = NULL;
}

static void *
work(void *arg)
{
	struct run *run = arg;

	pthread_mutex_lock(&run->lock);
	while (run->next < run->n_task) {
		struct resolve_task *t = &run->task[run->next++];

		pthread_mutex_unlock(&run->lock);
		look_up(t);
		pthread_mutex_lock(&run->lock);
		t->done = true;
		while (run->turn < run->n_task && run->task[run->turn].done)
			run->turn++;
		pthread_cond_broadcast(&run->changed);
	}
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

enum prof_status
resolve_run(struct resolve *r, struct prof_err *err)
{
	struct run run = { .task = r->task,
			   .n_task = r->n_task,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER };
	pthread_t thread[MAX_TASKS];
	enum prof_status st = PROF_OK;
	size_t n = 0;

	for (size_t i = 0; i < run.n_task; i++)
		run.task[i].run = &run;
	/* This thread takes part. */
	while (n + 1 < run.n_task && n + 1 < r->o->n_thread &&
	       pthread_create(&thread[n], NULL, work, &run) == 0)
		n++;
	work(&run);
	while (n)
		pthread_join(thread[--n], NULL);
	for (size_t i = 0; i < run.n_task; i++) {
		struct resolve_task *t = &run.task[i];

		if (t->wants.nomem)
			t->st = prof_nomem(&t->err);
		if (t->st == PROF_ENOMEM && st == PROF_OK) {
			st = t->st;
			if (err)
				*err = t->err;
		} else if (t->st != PROF_OK) {
			resolve_warn(r, t->mapping, &t->err);
		}
		task_release(t);
	}
	free(r->task);
	r->task = NULL;
	r->n_task = 0;
	return st;
}

enum prof_status
resolve_later(struct resolve *r, struct binary *s, uint32_t m,
	      struct prof_err *err)
{
	struct resolve_task *t;

	if (!r->task)
		r->task = calloc(MAX_TASKS, sizeof(*r->task));
	if (!r->task) {
		binary_close(s);
		return prof_nomem(err);
	}
	t = &r->task[r->n_task++];
	*t = (struct resolve_task){ .s = s, .mapping = m };
	if (wants_copy(&t->wants, &r->wants) < 0) {
		task_release(t);
		r->n_task--;
		return prof_nomem(err);
	}
	/* One thread needs no other object to be open. */
	return r->n_task == MAX_TASKS || r->o->n_thread <= 1
		       ? resolve_run(r, err)
		       : PROF_OK;
}
