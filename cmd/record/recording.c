/* recording.c - see recording.h. */
#include "config.h"

#include "recording.h"

#include <stdlib.h>

#include "lib/base/now.h"
#include "lib/model/profile.h"

enum {
	MANY_STACKS = 1 << 16, /* kept though no client may ask for them */
};

struct recording_mark {
	struct tally_mark *tally;
	int64_t time_ns;
	int64_t start; /* monotonic */
};

enum prof_status
recording_begin(struct recording *r, struct recording_source source,
		enum tally_kind kind, struct prof_err *err)
{
	*r = (struct recording){ .source = source, .tally = tally_new() };
	if (!r->tally)
		return prof_nomem(err);
	tally_preloads(r->tally, source.launch);
	pthread_mutex_init(&r->lock, NULL);
	r->info.kind = kind;
	r->info.set = source.set;
	r->info.shm = source.shm;
	r->info.sampler = source.sampler;
	r->info.all = source.all;
	r->info.time_ns = now_ns(CLOCK_REALTIME);
	r->start = now_ns(CLOCK_MONOTONIC);
	return PROF_OK;
}

void
recording_release(struct recording *r)
{
	tally_free(r->tally);
	pthread_mutex_destroy(&r->lock);
}

void
recording_pass(struct recording *r)
{
	pthread_mutex_lock(&r->lock);
	r->source.pass(r->source.ctx, r->tally);
	/* A server may run for months. */
	if (r->is_live && !r->n_mark && tally_size(r->tally) > MANY_STACKS)
		tally_forget(r->tally);
	pthread_mutex_unlock(&r->lock);
}

void
recording_keep(struct recording *r)
{
	pthread_mutex_lock(&r->lock);
	if (r->source.keep)
		r->source.keep(r->source.ctx);
	pthread_mutex_unlock(&r->lock);
}

void
recording_with_tally(struct recording *r,
		     void (*what)(void *ctx, struct tally *t), void *ctx)
{
	pthread_mutex_lock(&r->lock);
	what(ctx, r->tally);
	pthread_mutex_unlock(&r->lock);
}

void
recording_end(struct recording *r)
{
	pthread_mutex_lock(&r->lock);
	r->info.duration_ns = now_ns(CLOCK_MONOTONIC) - r->start;
	r->info.with_ended = true;
	r->source.end(r->source.ctx, r->tally);
	pthread_mutex_unlock(&r->lock);
}

enum prof_status
recording_turn(struct recording *r, struct prof_err *err)
{
	struct tally *next = tally_new(), *gone = next;

	if (!next)
		return prof_nomem(err);
	pthread_mutex_lock(&r->lock);
	if (r->source.turn(r->source.ctx, next)) {
		gone = r->tally;
		r->tally = next;
		if (r->holds)
			tally_hold(next);
		r->info.time_ns = r->looked_ns;
		r->start = r->looked;
	}
	pthread_mutex_unlock(&r->lock);
	tally_free(gone);
	return gone == next ? prof_nomem(err) : PROF_OK;
}

size_t
recording_size(struct recording *r)
{
	size_t n;

	pthread_mutex_lock(&r->lock);
	n = tally_size(r->tally);
	pthread_mutex_unlock(&r->lock);
	return n;
}

uint64_t
recording_grown(struct recording *r)
{
	uint64_t kib;

	pthread_mutex_lock(&r->lock);
	kib = tally_grown(r->tally);
	pthread_mutex_unlock(&r->lock);
	return kib;
}

void
recording_sampling(struct recording *r, enum tally_kind kind,
		   struct sampling *s)
{
	struct tally_info info;

	pthread_mutex_lock(&r->lock);
	info = r->info;
	info.kind = kind;
	tally_sampling(&info, s);
	pthread_mutex_unlock(&r->lock);
}

void
recording_set_used(struct recording *r, uint64_t used_ns, double chance_s)
{
	pthread_mutex_lock(&r->lock);
	r->info.used_ns = used_ns;
	r->info.chance_s = chance_s;
	pthread_mutex_unlock(&r->lock);
}

void
recording_set_missing(struct recording *r, const struct account_share *share,
		      size_t n, uint64_t n_lost)
{
	pthread_mutex_lock(&r->lock);
	r->info.n_lost = n_lost;
	r->info.share = share;
	r->info.n_share = n;
	pthread_mutex_unlock(&r->lock);
}

void
recording_set_worth(struct recording *r, double worth, double chance_worth)
{
	pthread_mutex_lock(&r->lock);
	r->info.worth = worth;
	r->info.chance_worth = chance_worth;
	pthread_mutex_unlock(&r->lock);
}

struct profile *
recording_profile(struct recording *r, int32_t pid)
{
	struct tally_info info;
	struct profile *p;

	pthread_mutex_lock(&r->lock);
	info = r->info;
	info.pid = pid;
	p = tally_profile(r->tally, &info);
	pthread_mutex_unlock(&r->lock);
	return p;
}

void
recording_hold(struct recording *r)
{
	r->holds = true;
	tally_hold(r->tally);
}

int *
recording_held(struct recording *r, const struct profile *p,
	       bool with_temporary)
{
	int *held;

	pthread_mutex_lock(&r->lock);
	held = tally_held(r->tally, p, with_temporary);
	pthread_mutex_unlock(&r->lock);
	return held;
}

size_t
recording_refused(struct recording *r)
{
	size_t n;

	pthread_mutex_lock(&r->lock);
	n = tally_refused(r->tally);
	pthread_mutex_unlock(&r->lock);
	return n;
}

struct profile *
recording_now(struct recording *r, enum tally_kind kind)
{
	struct tally_info info;
	struct profile *p;

	pthread_mutex_lock(&r->lock);
	r->source.look(r->source.ctx, r->tally);
	r->looked_ns = now_ns(CLOCK_REALTIME);
	r->looked = now_ns(CLOCK_MONOTONIC);
	info = r->info;
	info.kind = kind;
	info.duration_ns = r->looked - r->start;
	p = tally_profile(r->tally, &info);
	pthread_mutex_unlock(&r->lock);
	return p;
}

struct recording_mark *
recording_mark(struct recording *r, enum tally_kind kind)
{
	struct recording_mark *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	pthread_mutex_lock(&r->lock);
	/* Earlier samples are not part of it. */
	r->source.look(r->source.ctx, r->tally);
	m->tally = tally_mark(r->tally, &r->info, kind);
	m->time_ns = now_ns(CLOCK_REALTIME);
	m->start = now_ns(CLOCK_MONOTONIC);
	r->n_mark += m->tally != NULL;
	pthread_mutex_unlock(&r->lock);
	if (m->tally)
		return m;
	free(m);
	return NULL;
}

void
recording_mark_free(struct recording *r, struct recording_mark *m)
{
	pthread_mutex_lock(&r->lock);
	r->n_mark--;
	pthread_mutex_unlock(&r->lock);
	tally_mark_free(m->tally);
	free(m);
}

size_t
recording_marks(struct recording *r)
{
	size_t n;

	pthread_mutex_lock(&r->lock);
	n = r->n_mark;
	pthread_mutex_unlock(&r->lock);
	return n;
}

struct profile *
recording_since(struct recording *r, const struct recording_mark *m)
{
	struct tally_info info;
	struct profile *p;

	pthread_mutex_lock(&r->lock);
	r->source.look(r->source.ctx, r->tally);
	info = r->info;
	info.kind = tally_mark_kind(m->tally);
	info.since = m->tally;
	info.time_ns = m->time_ns;
	info.duration_ns = now_ns(CLOCK_MONOTONIC) - m->start;
	p = tally_profile(r->tally, &info);
	pthread_mutex_unlock(&r->lock);
	return p;
}

struct profile *
recording_modules(struct recording *r)
{
	struct profile *p;

	pthread_mutex_lock(&r->lock);
	p = tally_modules(r->tally);
	pthread_mutex_unlock(&r->lock);
	return p;
}
