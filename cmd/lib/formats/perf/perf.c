/*
 * perf.c - the bytes of a perf.data: its header, its records, and those that
 * are compressed. See impl.h for the rest.
 */
#include "config.h"

#include "perf.h"

#include <stdio.h>
#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"
#include "lib/base/budget.h"

#define MAX_PREFIX ((uint64_t)256 << 20) /* of a file, before its records */
#define MAX_TAIL ((size_t)256 << 20)     /* features */

/* perf writes records of this type too small: what counts is in data_size. */
#define GLUED_SIZE 65519

bool
perf_is(const void *data, size_t n)
{
	return n >= PERF_MAGIC_SIZE &&
	       (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8));
}

struct perf *
perf_new(const struct perf_options *o)
{
	struct perf *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->o = *o;
	r->fold = r->gap = PROF_NONE;
	r->first_time = UINT64_MAX;
	r->data_left = UINT64_MAX;
	r->p = profile_new();
	r->cache.slot = calloc(PERF_CACHE_SLOTS, sizeof(*r->cache.slot));
	r->cache.word = malloc(PERF_CACHE_WORDS * sizeof(*r->cache.word));
	r->stream = calloc(1, sizeof(*r->stream));
	r->kernel = calloc(1, sizeof(*r->kernel));
	r->n_stream = r->cap_stream = 1;
	if (!r->p || !r->cache.slot || !r->cache.word || !r->stream ||
	    !r->kernel || idmap_init(&r->by_id, 64) < 0 ||
	    idmap_init(&r->by_pid, 64) < 0 || idmap_init(&r->thread, 64) < 0 ||
	    idmap_init(&r->cgroup, 64) < 0 ||
	    hashtab_init(&r->object_table) < 0 ||
	    hashtab_init(&r->location_table) < 0 ||
	    hashtab_init(&r->stack_table) < 0 ||
	    hashtab_init(&r->tags_table) < 0 ||
	    hashtab_init(&r->row_table) < 0) {
		perf_free(r);
		return NULL;
	}
	r->kernel->refs = 1;
	return r;
}

void
perf_free(struct perf *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_stream && r->stream; i++) {
		buf_release(&r->stream[i].carry);
		buf_release(&r->stream[i].plain);
		if (r->stream[i].z)
			r->o.inflate->close(r->stream[i].z);
	}
	for (size_t i = 0; i < r->n_process; i++)
		perf_space_release(r, r->process[i].space);
	perf_space_release(r, r->kernel);
	idmap_release(&r->by_id);
	idmap_release(&r->by_pid);
	idmap_release(&r->thread);
	idmap_release(&r->cgroup);
	hashtab_release(&r->object_table);
	hashtab_release(&r->location_table);
	hashtab_release(&r->stack_table);
	hashtab_release(&r->tags_table);
	hashtab_release(&r->row_table);
	buf_release(&r->tail);
	buf_release(&r->command);
	buf_release(&r->queue_bytes);
	free(r->queue);
	free(r->stream);
	free(r->attr);
	free(r->build_id);
	free(r->process);
	free(r->thread_name);
	free(r->object);
	free(r->frame);
	free(r->location_object);
	free(r->pool);
	free(r->stack);
	free(r->tags);
	free(r->row);
	free(r->waiting);
	free(r->cache.slot);
	free(r->cache.word);
	profile_free(r->p);
	free(r);
}

enum prof_status
perf_damage(struct perf *r, uint64_t at, const char *what)
{
	r->notes.damaged++;
	if (!r->notes.damage[0])
		snprintf(r->notes.damage, sizeof(r->notes.damage),
			 "byte %llu: %s", (unsigned long long)at, what);
	if (r->o.is_strict)
		return prof_fail(r->err, PROF_EFORMAT, "byte %llu: %s",
				 (unsigned long long)at, what);
	return PROF_OK;
}

/* --- compressed pieces --- */

/* Handle the whole records of s->plain and keep the rest. */
static enum prof_status
take_plain(struct perf *r, struct perf_stream *s)
{
	enum prof_status st = PROF_OK;
	size_t at = 0;

	while (st == PROF_OK && s->plain.n - at >= 8) {
		const uint8_t *rec = s->plain.data + at;
		size_t n = REC_SIZE(r, rec);

		if (n < 8) {
			at = s->plain.n;
			st = perf_damage(r, s->at,
					 "an empty compressed record");
			break;
		}
		if (n > s->plain.n - at)
			break;
		/* Compressed records hold what the kernel wrote. */
		if (REC_TYPE(r, rec) != REC_COMPRESSED &&
		    REC_TYPE(r, rec) != REC_COMPRESSED2)
			st = perf_order(r, s, rec, n);
		at += n;
	}
	memmove(s->plain.data, s->plain.data + at, s->plain.n - at);
	s->plain.n -= at;
	return st;
}

static enum prof_status
inflate(struct perf *r, struct perf_stream *s, const uint8_t *data, size_t n)
{
	const struct perf_inflate *in = r->o.inflate;
	size_t had = s->plain.n, max;
	enum prof_status st;

	if (!in)
		return prof_fail(r->err, PROF_ENOTSUP,
				 "compressed by zstd (perf record -z), which "
				 "this build cannot read");
	if (!s->z && !(s->z = in->open()))
		return prof_nomem(r->err);
	/* Of all that is unpacked, little is kept: the limit is one of time. */
	max = budget_bytes();
	max = (max < r->o.max_bytes ? max : r->o.max_bytes) - r->inflated;
	st = in->put(s->z, data, n, had + max, &s->plain, r->err);
	if (st == PROF_EFORMAT) {
		/* A broken zstd stream does not heal. */
		in->close(s->z);
		s->z = NULL;
		s->plain.n = 0;
		return perf_damage(r, s->at,
				   "compressed records that do not "
				   "inflate");
	}
	if (st != PROF_OK)
		return st;
	r->inflated += s->plain.n - had;
	return take_plain(r, s);
}

/*
 * A record of type 83. Its 16-bit size may be too small for what it holds: if
 * data_size does not fit in, the record ends behind its data, without padding.
 * *n becomes its real size, which may be more than *has.
 */
static void
size_compressed2(const struct perf *r, const uint8_t *rec, size_t has,
		 uint64_t *n)
{
	uint64_t size;

	if (has < 16)
		return;
	size = perf_u64(r, rec + 8);
	if (size <= GLUED_SIZE && ((size + 16 + 7) & ~(uint64_t)7) > *n)
		*n = size + 16;
}

static enum prof_status
compressed2(struct perf *r, struct perf_stream *s, const uint8_t *rec, size_t n)
{
	uint64_t size = n < 16 ? UINT64_MAX : perf_u64(r, rec + 8);

	if (size > n - 16 || size > GLUED_SIZE) {
		/*
		 * Pieces that perf has joined; the state of the stream after
		 * them is not known.
		 */
		s->plain.n = 0;
		return perf_damage(r, s->at,
				   "compressed records whose size "
				   "perf got wrong");
	}
	return inflate(r, s, rec + 16, (size_t)size);
}

/* --- records --- */

/* Bytes that follow a record and are not counted in its size. */
static void
skip_payload(struct perf *r, struct perf_stream *s, const uint8_t *rec,
	     size_t n)
{
	uint64_t size = 0;

	if (REC_TYPE(r, rec) == REC_TRACING_DATA && n >= 12)
		size = ((uint64_t)perf_u32(r, rec + 8) + 7) & ~(uint64_t)7;
	else if (REC_TYPE(r, rec) == REC_AUXTRACE && n >= 16)
		size = perf_u64(r, rec + 8);
	s->skip = size;
}

static enum prof_status
record(struct perf *r, struct perf_stream *s, const uint8_t *rec, size_t n)
{
	switch (REC_TYPE(r, rec)) {
	case REC_COMPRESSED:
		return inflate(r, s, rec + 8, n - 8);
	case REC_COMPRESSED2:
		return compressed2(r, s, rec, n);
	case REC_AUXTRACE:
		r->notes.aux++;
		skip_payload(r, s, rec, n);
		return PROF_OK;
	case REC_TRACING_DATA:
		skip_payload(r, s, rec, n);
		return PROF_OK;
	default:
		return perf_order(r, s, rec, n);
	}
}

/* Records at p: *used is how many bytes of n are dealt with. */
static enum prof_status
records(struct perf *r, struct perf_stream *s, const uint8_t *p, size_t n,
	size_t *used)
{
	bool is_file = s == r->stream && !r->is_pipe;
	uint64_t left = is_file ? r->data_left : UINT64_MAX;
	size_t at = 0;
	enum prof_status st = PROF_OK;

	while (st == PROF_OK && left && at < n) {
		uint64_t size = n - at < left ? n - at : left;

		if (s->is_dead) {
			;
		} else if (s->skip) {
			size = s->skip < size ? s->skip : size;
			s->skip -= size;
		} else if (size < 8 && left >= 8) {
			break;
		} else {
			uint64_t has = size;

			size = has < 8 ? 0 : REC_SIZE(r, p + at);
			if (size >= 8 && REC_TYPE(r, p + at) == REC_COMPRESSED2)
				size_compressed2(r, p + at, has, &size);
			if (size < 8 || size > left) {
				s->is_dead = true;
				st = perf_damage(r, s->at,
						 "a record of wrong size; what "
						 "follows is lost");
				continue;
			}
			if (size > has ||
			    (REC_TYPE(r, p + at) == REC_COMPRESSED2 &&
			     has < 16))
				break;
			st = record(r, s, p + at, (size_t)size);
		}
		at += size;
		left -= is_file ? size : 0;
		s->at += size;
	}
	if (is_file) {
		r->data_left = left;
		if (!left)
			r->state = PERF_TAIL;
	}
	*used = at;
	return st;
}

/* --- the header of a file --- */

static enum prof_status
bad_header(struct perf *r, const char *what)
{
	return prof_fail(r->err, PROF_EFORMAT, "perf.data: %s", what);
}

/* The attrs in the n bytes before the records. */
static enum prof_status
read_attrs(struct perf *r, const uint8_t *p, uint64_t n)
{
	uint64_t entry = perf_u64(r, p + 16);
	uint64_t at = perf_u64(r, p + 24), size = perf_u64(r, p + 32);

	if (entry < 80 || entry > 4096)
		return bad_header(r, "a wrong size of attributes");
	if (at > n || size > n - at)
		return bad_header(r, "the attributes are not in front of the "
				     "records");
	if (size / entry > PERF_MAX_ATTR)
		return bad_header(r, "too many events");
	for (uint64_t i = 0; i + entry <= size; i += entry) {
		const uint8_t *a = p + at + i;
		uint64_t id = perf_u64(r, a + entry - 16);
		uint64_t n_id = perf_u64(r, a + entry - 8);
		enum prof_status st;

		if (id > n || n_id > n - id)
			return bad_header(r, "ids of an event that are not in "
					     "front of the records");
		st = perf_add_attr(r, a, (size_t)entry - 16, p + id,
				   (size_t)n_id / 8);
		if (st != PROF_OK)
			return st;
	}
	return PROF_OK;
}

/* Bytes from the beginning of the file: what is known after the magic. */
static enum prof_status
start_file(struct perf *r, const uint8_t *p, size_t n, size_t *used)
{
	uint64_t size;

	if (n < 16)
		return PROF_OK;
	if (!perf_is(p, n))
		return prof_fail(r->err, PROF_EFORMAT, "not a perf.data file");
	r->big = p[0] == '2';
	size = perf_u64(r, p + 8);
	r->is_pipe = size == 16;
	if (size != 16 && size != 104)
		return bad_header(r, "a header of unknown size");
	if (r->is_pipe) {
		*used = 16;
		r->stream->at = 16;
		r->state = PERF_RECORDS;
		return PROF_OK;
	}
	if (n < 104)
		return PROF_OK;
	r->data_at = perf_u64(r, p + 40);
	r->data_left = perf_u64(r, p + 48);
	for (unsigned i = 0; i < 4; i++)
		r->header_features[i] = perf_u64(r, p + 72 + 8 * i);
	if (r->data_at < 104 || r->data_at > MAX_PREFIX)
		return bad_header(r, "its records begin at a wrong place");
	if (!r->data_left) {
		r->data_left = UINT64_MAX;
		r->notes.is_open = true;
	}
	r->state = PERF_HEADER;
	return PROF_OK;
}

static enum prof_status
header(struct perf *r, const uint8_t *p, size_t n, size_t *used)
{
	enum prof_status st;

	if (n < r->data_at)
		return PROF_OK;
	st = read_attrs(r, p, r->data_at);
	*used = (size_t)r->data_at;
	r->stream->at = r->data_at;
	r->state = PERF_RECORDS;
	return st;
}

static enum prof_status
tail(struct perf *r, const uint8_t *p, size_t n)
{
	if (r->notes.is_open || r->tail.n + n > MAX_TAIL)
		return PROF_OK;
	return buf_add(&r->tail, p, n) < 0 ? prof_nomem(r->err) : PROF_OK;
}

/* --- streams --- */

static enum prof_status
consume(struct perf *r, struct perf_stream *s, const uint8_t *p, size_t n,
	size_t *used)
{
	enum prof_status st = PROF_OK;
	size_t at = 0, step = 1;
	enum perf_state was;

	do {
		was = r->state;
		step = 0;
		if (s != r->stream)
			st = records(r, s, p + at, n - at, &step);
		else if (r->state == PERF_START)
			st = start_file(r, p + at, n - at, &step);
		else if (r->state == PERF_HEADER)
			st = header(r, p + at, n - at, &step);
		else if (r->state == PERF_RECORDS)
			st = records(r, s, p + at, n - at, &step);
		else
			st = tail(r, p + at, step = n - at);
		at += step;
	} while (st == PROF_OK && (step || was != r->state) && at < n);
	*used = at;
	return st;
}

enum prof_status
perf_add_part(struct perf *r, size_t *stream, struct prof_err *err)
{
	if (array_reserve(&r->stream, &r->cap_stream, r->n_stream + 1,
			  sizeof(*r->stream)) < 0)
		return prof_nomem(err);
	*stream = r->n_stream++;
	memset(&r->stream[*stream], 0, sizeof(*r->stream));
	return PROF_OK;
}

enum prof_status
perf_feed(struct perf *r, size_t stream, const void *data, size_t n,
	  struct prof_err *err)
{
	struct perf_stream *s = &r->stream[stream];
	const uint8_t *p = data;
	enum prof_status st;
	size_t used;

	r->err = err;
	if (s->carry.n) {
		if (buf_add(&s->carry, data, n) < 0)
			return prof_nomem(err);
		p = s->carry.data;
		n = s->carry.n;
	}
	st = consume(r, s, p, n, &used);
	if (st != PROF_OK)
		return st;
	if (p == s->carry.data) {
		memmove(s->carry.data, p + used, n - used);
		s->carry.n = n - used;
	} else if (n > used && buf_add(&s->carry, p + used, n - used) < 0) {
		return prof_nomem(err);
	}
	return PROF_OK;
}

enum prof_status
perf_end(struct perf *r, size_t stream, struct prof_err *err)
{
	struct perf_stream *s = &r->stream[stream];

	r->err = err;
	s->is_done = true;
	if (!stream && r->state < PERF_RECORDS)
		return prof_fail(err, PROF_EFORMAT, "truncated perf.data file");
	if (s->carry.n || s->skip ||
	    (!stream && r->state == PERF_RECORDS && !r->is_pipe &&
	     !r->notes.is_open))
		return perf_damage(r, s->at, "the file ends inside a record");
	return PROF_OK;
}

size_t
perf_wants(const struct perf *r)
{
	size_t best = 0;

	for (size_t i = 1; i < r->n_stream; i++)
		if (!r->stream[i].is_done &&
		    (!best || r->stream[i].time < r->stream[best].time))
			best = i;
	return best;
}

enum prof_status
perf_finish(struct perf *r, struct profile **out, struct perf_notes *notes,
	    struct prof_err *err)
{
	enum prof_status st;

	*out = NULL;
	r->err = err;
	st = perf_flush(r, UINT64_MAX);
	if (st == PROF_OK)
		st = perf_end_waiting(r);
	if (st == PROF_OK)
		st = perf_read_tail(r);
	if (st == PROF_OK)
		st = perf_build(r);
	*notes = r->notes;
	if (st != PROF_OK)
		return st;
	*out = r->p;
	r->p = NULL;
	return PROF_OK;
}
