/*
 * order.c - records of several CPUs in order of time. perf promises that
 * after its N-th FINISHED_ROUND comes no record that is older than the newest
 * before the round N-1. A record without time counts as older than all.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"

/* When a record was written: 0 if that is not known. */
static uint64_t
time_of(const struct perf *r, const uint8_t *rec, size_t n)
{
	const struct perf_attr *a = perf_attr_of(r, rec, n);
	uint64_t type, at;

	if (!a && r->n_attr)
		a = &r->attr[0];
	/* Where only samples have a time, the order of the file is all there
	 * is: mappings must not come before what ran ahead of them. */
	if (!a || !(a->sample_type & S_TIME) ||
	    !perf_flag(a, FLAG_SAMPLE_ID_ALL))
		return 0;
	type = a->sample_type;
	if (REC_TYPE(r, rec) == REC_SAMPLE) {
		at = 8 + 8 * !!(type & S_IDENTIFIER) + 8 * !!(type & S_IP) +
		     8 * !!(type & S_TID);
		return at + 8 <= n ? perf_u64(r, rec + at) : 0;
	}
	at = 8 + 8 * !!(type & S_ID) + 8 * !!(type & S_STREAM_ID) +
	     8 * !!(type & S_CPU) + 8 * !!(type & S_IDENTIFIER);
	return at + 8 <= n ? perf_u64(r, rec + n - at) : 0;
}

static enum prof_status
handle_queued(struct perf *r, const struct perf_queued *q)
{
	const uint8_t *rec = r->queue_bytes.data + q->at;

	if (q->time < r->emitted)
		r->notes.late++;
	else
		r->emitted = q->time;
	return perf_handle(r, rec, REC_SIZE(r, rec));
}

static int
by_time(const void *a, const void *b)
{
	const struct perf_queued *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void
sort(struct perf *r)
{
	size_t i = 1;

	while (i < r->n_queue && r->queue[i - 1].time <= r->queue[i].time)
		i++;
	if (i < r->n_queue)
		qsort(r->queue, r->n_queue, sizeof(*r->queue), by_time);
}

/* Move what still waits to the front of the bytes, in the order it came in. */
static int
close_gaps(struct perf *r, size_t n_done)
{
	struct buf kept = { 0 };

	r->n_queue -= n_done;
	memmove(r->queue, r->queue + n_done, r->n_queue * sizeof(*r->queue));
	for (size_t i = 0; i < r->n_queue; i++) {
		const uint8_t *rec = r->queue_bytes.data + r->queue[i].at;

		r->queue[i].at = kept.n;
		if (buf_add(&kept, rec, REC_SIZE(r, rec)) < 0) {
			buf_release(&kept);
			return -1;
		}
	}
	buf_release(&r->queue_bytes);
	r->queue_bytes = kept;
	return 0;
}

enum prof_status
perf_flush(struct perf *r, uint64_t limit)
{
	enum prof_status st = PROF_OK;
	size_t n = 0;

	sort(r);
	while (st == PROF_OK && n < r->n_queue && r->queue[n].time <= limit)
		st = handle_queued(r, &r->queue[n++]);
	if (st == PROF_OK && n && n == r->n_queue) {
		r->n_queue = r->queue_bytes.n = 0; /* keep the room */
		return PROF_OK;
	}
	if (st == PROF_OK && n && close_gaps(r, n) < 0)
		return prof_nomem(r->err);
	return st;
}

static enum prof_status
finish_round(struct perf *r)
{
	uint64_t limit = r->newest_before;

	r->newest_before = r->newest;
	return r->n_stream > 1 ? PROF_OK : perf_flush(r, limit);
}

/*
 * More records wait than should: a recording without rounds, or parts of a
 * folder. Of parts, no record can come that is older than the newest of each;
 * else half of the waiting records are handled, and records that come too late
 * are counted.
 */
static enum prof_status
relieve(struct perf *r)
{
	uint64_t limit = UINT64_MAX;
	enum prof_status st = PROF_OK;

	for (size_t i = 1; i < r->n_stream; i++)
		if (!r->stream[i].is_done && r->stream[i].time < limit)
			limit = r->stream[i].time;
	if (limit != UINT64_MAX)
		st = perf_flush(r, limit);
	if (st == PROF_OK && r->queue_bytes.n > PERF_MAX_QUEUE / 2) {
		sort(r);
		st = perf_flush(r, r->queue[r->n_queue / 2].time);
	}
	return st;
}

enum prof_status
perf_order(struct perf *r, struct perf_stream *s, const uint8_t *rec, size_t n)
{
	uint64_t time;

	if (REC_TYPE(r, rec) == REC_FINISHED_ROUND)
		return finish_round(r);
	if (REC_TYPE(r, rec) >= REC_USER_TYPES)
		return perf_handle(r, rec, n);
	time = time_of(r, rec, n);
	if (!time)
		return perf_handle(r, rec, n);
	if (time > r->newest)
		r->newest = time;
	if (time > s->time)
		s->time = time;
	if (array_reserve(&r->queue, &r->cap_queue, r->n_queue + 1,
			  sizeof(*r->queue)) < 0)
		return prof_nomem(r->err);
	r->queue[r->n_queue++] = (struct perf_queued){ time, r->queue_bytes.n };
	if (buf_add(&r->queue_bytes, rec, n) < 0)
		return prof_nomem(r->err);
	return r->queue_bytes.n > PERF_MAX_QUEUE ? relieve(r) : PROF_OK;
}
