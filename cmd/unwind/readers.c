/* readers.c - see readers.h. Threads begin with the first question. */
#include "config.h"

#include "readers.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/buildid.h"
#include "lib/base/now.h"
#include "rowstore.h"

enum {
	N_THREAD = 4,
	MAX_ASKED = 64,             /* each holds its files open */
	MAX_OF_USER = N_THREAD - 1, /* files that are read */
	MAX_ASKED_OF_USER = MAX_ASKED / 2,
};

enum state { ASKED, READ, ANSWERED };

struct question {
	struct question *next;
	enum state state;
	bool is_forgotten;
	int parcel[READERS_MAX];
	struct stat sb[READERS_MAX];
	size_t n_parcel;
	uid_t user;
	char build_id[BUILD_ID_TEXT];
	const struct rows *rows;
	struct prof_err err;
};

struct readers {
	struct rowstore *store;
	pthread_mutex_t lock;
	pthread_cond_t asked, answered;
	struct question *first;
	size_t n;
	size_t n_answer, n_seen; /* in all; at the end of readers_wait() */
	pthread_t thread[N_THREAD];
	size_t n_thread;
	bool is_over;
};

struct readers *
readers_new(struct rowstore *s)
{
	struct readers *r = calloc(1, sizeof(*r));
	pthread_condattr_t attr;

	if (!r)
		return NULL;
	r->store = s;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->asked, &attr);
	pthread_cond_init(&r->answered, &attr);
	pthread_condattr_destroy(&attr);
	return r;
}

/* With the lock. */
static void
question_free(struct readers *r, struct question *q)
{
	struct question **at = &r->first;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	r->n--;
	for (size_t i = 0; i < q->n_parcel; i++)
		close(q->parcel[i]);
	free(q);
}

/* With the lock: a user's questions in that state. */
static size_t
count(const struct readers *r, uid_t user, enum state state)
{
	size_t n = 0;

	for (const struct question *q = r->first; q; q = q->next)
		n += q->user == user && q->state == state;
	return n;
}

/* With the lock: what is asked, of the smallest file; or NULL. */
static struct question *
next_question(const struct readers *r)
{
	struct question *best = NULL;

	for (struct question *q = r->first; q; q = q->next)
		if (q->state == ASKED &&
		    (!best || q->sb[0].st_size < best->sb[0].st_size) &&
		    count(r, q->user, READ) < MAX_OF_USER)
			best = q;
	return best;
}

static void
read_files(struct readers *r, struct question *q)
{
	bool is_over = false;

	for (size_t i = 0; i < q->n_parcel && !is_over; i++)
		is_over = rowstore_read(r->store, q->parcel[i], &q->sb[i],
					q->build_id, &q->rows,
					&q->err) == PROF_OK ||
			  q->err.status == PROF_ELIMIT;
}

static void *
answer(void *ctx)
{
	struct readers *r = ctx;
	struct question *q;

	pthread_mutex_lock(&r->lock);
	while (!r->is_over) {
		q = next_question(r);
		if (!q) {
			pthread_cond_wait(&r->asked, &r->lock);
			continue;
		}
		q->state = READ;
		pthread_mutex_unlock(&r->lock);
		read_files(r, q);
		pthread_mutex_lock(&r->lock);
		q->state = ANSWERED;
		r->n_answer++;
		if (q->is_forgotten) {
			rowstore_put(r->store, q->rows);
			question_free(r, q);
		}
		/* Another of that user may have waited for this one. */
		pthread_cond_broadcast(&r->asked);
		pthread_cond_broadcast(&r->answered);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Signals are for the threads that wait for them. */
static void
start_threads(struct readers *r)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (r->n_thread < N_THREAD &&
	       pthread_create(&r->thread[r->n_thread], NULL, answer, r) == 0)
		r->n_thread++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct question *
readers_ask(struct readers *r, const int *parcel, const struct stat *sb,
	    size_t n, const char *build_id, uid_t user)
{
	struct question *q = calloc(1, sizeof(*q));

	if (!r->n_thread && !r->is_over)
		start_threads(r);
	pthread_mutex_lock(&r->lock);
	if (!q || r->n == MAX_ASKED || !r->n_thread ||
	    count(r, user, ASKED) >= MAX_ASKED_OF_USER) {
		pthread_mutex_unlock(&r->lock);
		for (size_t i = 0; i < n; i++)
			close(parcel[i]);
		free(q);
		return NULL;
	}
	memcpy(q->parcel, parcel, n * sizeof(*parcel));
	q->n_parcel = n;
	memcpy(q->sb, sb, n * sizeof(*sb));
	q->user = user;
	snprintf(q->build_id, sizeof(q->build_id), "%s", build_id);
	q->next = r->first;
	r->first = q;
	r->n++;
	pthread_cond_signal(&r->asked);
	pthread_mutex_unlock(&r->lock);
	return q;
}

bool
readers_answer(struct readers *r, struct question *q, const struct rows **rows,
	       struct prof_err *err)
{
	bool is_answered;

	pthread_mutex_lock(&r->lock);
	is_answered = q->state == ANSWERED;
	if (is_answered) {
		*rows = q->rows;
		*err = q->err;
		question_free(r, q);
	}
	pthread_mutex_unlock(&r->lock);
	return is_answered;
}

void
readers_forget(struct readers *r, struct question *q)
{
	pthread_mutex_lock(&r->lock);
	q->is_forgotten = true;
	if (q->state != READ) {
		rowstore_put(r->store, q->rows);
		question_free(r, q);
	}
	pthread_mutex_unlock(&r->lock);
}

void
readers_wait(struct readers *r, int ms)
{
	int64_t until = now_ns(CLOCK_MONOTONIC) + (int64_t)ms * 1000000;
	const struct timespec t = { until / 1000000000, until % 1000000000 };
	int e = 0;

	pthread_mutex_lock(&r->lock);
	while (r->n_answer == r->n_seen && !e)
		e = pthread_cond_timedwait(&r->answered, &r->lock, &t);
	r->n_seen = r->n_answer;
	pthread_mutex_unlock(&r->lock);
}

void
readers_stop(struct readers *r)
{
	rowstore_stop(r->store);
	pthread_mutex_lock(&r->lock);
	r->is_over = true;
	pthread_cond_broadcast(&r->asked);
	pthread_mutex_unlock(&r->lock);
	while (r->n_thread)
		pthread_join(r->thread[--r->n_thread], NULL);
}

void
readers_free(struct readers *r)
{
	if (!r)
		return;
	readers_stop(r);
	while (r->first) {
		rowstore_put(r->store, r->first->rows);
		question_free(r, r->first);
	}
	pthread_cond_destroy(&r->asked);
	pthread_cond_destroy(&r->answered);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
