/*
 * sum.c - see sum.h. Several threads read inputs; they are added in order, by
 * one thread at a time. So messages, and which of several bad inputs is
 * reported, do not depend on timing. Each thread has one profile in memory.
 */
#include "config.h"

#include "sum.h"

#include <pthread.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"
#include "lib/stream/series.h"

struct work {
	const struct sum_job *what; /* the turn owns what->sum */
	pthread_mutex_t lock;
	pthread_cond_t turned;
	/* Protected by the lock: */
	size_t next; /* the input to read next */
	size_t turn; /* the one to be added next */
	size_t n_bad;
	bool failed;
	struct prof_err err; /* of the current input, when failed */
};

/* Wait for the turn of input i. Returns false if the run has ended. */
static bool
wait_turn(struct work *w, size_t i)
{
	bool go;

	pthread_mutex_lock(&w->lock);
	while (w->turn != i && !w->failed)
		pthread_cond_wait(&w->turned, &w->lock);
	go = !w->failed;
	pthread_mutex_unlock(&w->lock);
	return go;
}

/* n: the profiles of the input that were added. */
static void
end_turn(struct work *w, size_t n, enum prof_status st,
	 const struct prof_err *err)
{
	const char *name = w->what->inputs.input[w->turn].name;

	pthread_mutex_lock(&w->lock);
	if (st != PROF_OK && w->what->skip_bad && st != PROF_ENOMEM) {
		/* An input may be longer than memory: profiles are added as
		 * they are read. */
		if (n)
			warn("%s: %s; of it, %zu profile%s in the sum",
			     cli_name(name), err->msg, n,
			     n == 1 ? " is" : "s are");
		else
			warn("%s: %s", cli_name(name), err->msg);
		w->n_bad++;
		st = PROF_OK;
	}
	if (st != PROF_OK) {
		w->failed = true;
		w->err = *err;
	} else {
		w->turn++;
	}
	pthread_cond_broadcast(&w->turned);
	pthread_mutex_unlock(&w->lock);
}

static enum prof_status
set_labels(const struct work *w, const struct input *in, struct profile *p,
	   struct prof_err *err)
{
	for (size_t i = 0; i < w->what->n_mark; i++) {
		const struct sum_mark *m = &w->what->mark[i];

		if (profile_set_label(p, m->key,
				      m->value ? m->value
					       : cli_name(in->name)) < 0)
			return prof_nomem(err);
	}
	return PROF_OK;
}

/* Read input i, wait for its turn, and add all profiles in it. false: the
 * end. */
static bool
add_input(struct work *w, size_t i)
{
	const struct input *in = &w->what->inputs.input[i];
	enum prof_status st = PROF_EIO;
	struct profile *p = NULL;
	struct prof_err err;
	struct stream_series series;
	size_t n = 0;
	bool go = true;
	int fd = cli_try_open(in->name, &err);

	stream_series_init(&series, fd, w->what->max_size);
	if (fd >= 0)
		st = stream_series_next(&series, &p, &err);
	if (st == PROF_OK)
		st = set_labels(w, in, p, &err);
	go = wait_turn(w, i);
	while (go && st == PROF_OK && p) {
		cli_doubts(in->name, p);
		st = merge_add(w->what->sum, p, in->weight, &err);
		profile_free(p);
		p = NULL;
		n += st == PROF_OK;
		if (st == PROF_OK)
			st = stream_series_next(&series, &p, &err);
		if (st == PROF_OK && p)
			st = set_labels(w, in, p, &err);
	}
	profile_free(p);
	stream_series_release(&series);
	cli_close(fd);
	if (go)
		end_turn(w, n, st, &err);
	return go;
}

static void *
work(void *arg)
{
	struct work *w = arg;
	size_t i;

	do {
		pthread_mutex_lock(&w->lock);
		i = w->failed ? w->what->inputs.n : w->next;
		if (i < w->what->inputs.n)
			w->next++;
		pthread_mutex_unlock(&w->lock);
	} while (i < w->what->inputs.n && add_input(w, i));
	return NULL;
}

size_t
sum_run(const struct sum_job *job, size_t n)
{
	struct work w = { .what = job,
			  .lock = PTHREAD_MUTEX_INITIALIZER,
			  .turned = PTHREAD_COND_INITIALIZER };
	pthread_t thread[SUM_MAX_THREADS];
	size_t started = 0;

	if (n > job->inputs.n)
		n = job->inputs.n;
	/* Fewer threads do the same work, slower. */
	while (started + 1 < n &&
	       pthread_create(&thread[started], NULL, work, &w) == 0)
		started++;
	work(&w);
	while (started)
		pthread_join(thread[--started], NULL);
	if (w.failed)
		die("%s: %s", cli_name(job->inputs.input[w.turn].name),
		    w.err.msg);
	if (w.n_bad == job->inputs.n)
		die("no good input of %zu", job->inputs.n);
	return w.n_bad;
}
