/*
 * chrome-trace-in.c - CPU profiles in traces of Chrome and node, read with
 * jansson; see json-in.h. An event "Profile" begins one; events "ProfileChunk"
 * with its id add nodes and samples; or an event "CpuProfile" has it whole.
 * Names of threads are in events of metadata, which may come after.
 */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/formats/exchange/byname.h"
#include "lib/formats/span.h"
#include "v8.h"

/* A trace has one for each thread. */
#define MAX_PROFILES 4096

/* One profile of the trace. */
struct part {
	struct v8 v;
	int64_t pid, tid;
	int64_t start, end; /* microseconds; end 0: not known */
	bool has_begun;     /* its first event is in the trace */
	bool is_left_out;
};

struct reader {
	struct byname b;
	bool idle;       /* keep what "(idle)" has */
	int64_t idle_us; /* or it is left out */
	struct prof_err *err;
	struct part *part;
	size_t n_part, cap_part;
	struct idmap by_id;       /* pid and id -> part */
	struct idmap thread_name; /* pid and tid -> string */
};

/* A key of an idmap, of a process and 32 bits: a thread, or a string. */
static uint64_t
key_of(int64_t pid, int64_t second)
{
	return (uint64_t)(pid & INT32_MAX) << 32 | (uint32_t)second;
}

static enum prof_status
add_part(struct reader *r, const json_t *event, struct part **out)
{
	struct part *p;

	if (r->n_part == MAX_PROFILES)
		return prof_fail(r->err, PROF_ELIMIT,
				 "Chrome trace: more than %d profiles",
				 MAX_PROFILES);
	if (array_reserve(&r->part, &r->cap_part, r->n_part + 1,
			  sizeof(*r->part)) < 0)
		return prof_nomem(r->err);
	p = &r->part[r->n_part++];
	*p = (struct part){ .pid = v8_int(event, "pid"),
			    .tid = v8_int(event, "tid") };
	*out = p;
	return v8_init(&p->v, &r->b, "Chrome trace", r->err);
}

/* The part that an event belongs to, by its process and id. */
static enum prof_status
part_of(struct reader *r, const json_t *event, struct part **out)
{
	const char *id = json_text_of(event, "id");
	uint32_t s = byname_string(&r->b, id, strlen(id)), at;
	uint64_t key = key_of(v8_int(event, "pid"), s);
	enum prof_status st;

	if (s == STRTAB_NONE)
		return prof_nomem(r->err);
	at = idmap_find(&r->by_id, key);
	if (at != IDMAP_NONE) {
		*out = &r->part[at];
		return PROF_OK;
	}
	st = add_part(r, event, out);
	if (st == PROF_OK &&
	    idmap_add(&r->by_id, key, (uint32_t)(r->n_part - 1)) < 0)
		st = prof_nomem(r->err);
	return st;
}

static enum prof_status
begin_part(struct reader *r, const json_t *event, const json_t *data)
{
	struct part *p;
	enum prof_status st = part_of(r, event, &p);

	if (st != PROF_OK)
		return st;
	if (p->has_begun || p->v.n_shot)
		return prof_fail(r->err, PROF_EFORMAT,
				 "Chrome trace: a profile begins twice");
	p->has_begun = true;
	p->tid = v8_int(event, "tid");
	p->start = v8_int(data, "startTime");
	if (!p->start)
		p->start = v8_int(event, "ts");
	p->v.at = p->start;
	return PROF_OK;
}

static enum prof_status
add_chunk(struct reader *r, const json_t *event, const json_t *data)
{
	const json_t *profile = json_object_get(data, "cpuProfile");
	const json_t *deltas = json_object_get(data, "timeDeltas");
	struct part *p;
	enum prof_status st = part_of(r, event, &p);

	/* Its nodes hang on some that were written before the trace. */
	if (st != PROF_OK || !p->has_begun)
		return st;
	if (!deltas)
		deltas = json_object_get(profile, "timeDeltas");
	if (st == PROF_OK)
		st = v8_add_nodes(&p->v, json_object_get(profile, "nodes"));
	if (st == PROF_OK)
		st = v8_add_samples(&p->v, json_object_get(profile, "samples"),
				    deltas, false);
	if (st == PROF_OK && json_object_get(data, "endTime"))
		p->end = v8_int(data, "endTime");
	return st;
}

/* One that is whole, as .cpuprofile has it. */
static enum prof_status
add_whole(struct reader *r, const json_t *event, const json_t *profile)
{
	struct part *p;
	enum prof_status st = add_part(r, event, &p);

	if (st != PROF_OK)
		return st;
	p->has_begun = true;
	p->v.at = p->start = v8_int(profile, "startTime");
	p->end = v8_int(profile, "endTime");
	st = v8_add_nodes(&p->v, json_object_get(profile, "nodes"));
	if (st == PROF_OK)
		st = v8_add_samples(&p->v, json_object_get(profile, "samples"),
				    json_object_get(profile, "timeDeltas"),
				    false);
	return st;
}

static enum prof_status
name_thread(struct reader *r, const json_t *event)
{
	const char *name = json_text_of(json_object_get(event, "args"), "name");
	uint32_t s = byname_string(&r->b, name, strlen(name));

	if (s == STRTAB_NONE ||
	    idmap_add(&r->thread_name,
		      key_of(v8_int(event, "pid"), v8_int(event, "tid")),
		      s) < 0)
		return prof_nomem(r->err);
	return PROF_OK;
}

/* An event with samples, and when it was. */
struct chunk {
	const json_t *event;
	int64_t ts;
	size_t turn; /* place in the list */
};

static int
by_time(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->turn > y->turn) - (x->turn < y->turn);
}

static enum prof_status
add_samples(struct reader *r, const json_t *event)
{
	const json_t *data =
		json_object_get(json_object_get(event, "args"), "data");
	const json_t *whole = json_object_get(data, "cpuProfile");

	if (!strcmp(json_text_of(event, "name"), "ProfileChunk"))
		return add_chunk(r, event, data);
	return json_is_object(whole) ? add_whole(r, event, whole) : PROF_OK;
}

/* Names of threads and beginnings of profiles are taken at once; events with
 * samples go to chunk. */
static enum prof_status
read_event(struct reader *r, const json_t *event, struct chunk *chunk,
	   size_t *n_chunk)
{
	const char *name = json_text_of(event, "name"),
		   *ph = json_text_of(event, "ph");
	const json_t *data =
		json_object_get(json_object_get(event, "args"), "data");

	if (!strcmp(ph, "M"))
		return strcmp(name, "thread_name") ? PROF_OK
						   : name_thread(r, event);
	if ((strcmp(ph, "P") && strcmp(ph, "I")) || !json_is_object(data))
		return PROF_OK;
	if (!strcmp(name, "Profile"))
		return begin_part(r, event, data);
	if (!strcmp(name, "ProfileChunk") || !strcmp(name, "CpuProfile")) {
		chunk[*n_chunk] =
			(struct chunk){ event, v8_int(event, "ts"), *n_chunk };
		++*n_chunk;
	}
	return PROF_OK;
}

/* Threads write their events into buffers of their own, so a trace is in no
 * order. */
static enum prof_status
read_events(struct reader *r, const json_t *events)
{
	size_t n = json_array_size(events), n_chunk = 0;
	struct chunk *chunk = calloc(n + 1, sizeof(*chunk));
	enum prof_status st = chunk ? PROF_OK : prof_nomem(r->err);

	for (size_t i = 0; st == PROF_OK && i < n; i++)
		st = read_event(r, json_array_get(events, i), chunk, &n_chunk);
	if (st == PROF_OK)
		qsort(chunk, n_chunk, sizeof(*chunk), by_time);
	for (size_t i = 0; st == PROF_OK && i < n_chunk; i++)
		st = add_samples(r, chunk[i].event);
	free(chunk);
	return st;
}

/* A profile that began before the trace did lacks the nodes of its stacks. */
static void
leave_out_headless(struct reader *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_part; i++)
		if (!r->part[i].has_begun) {
			r->part[i].is_left_out = true;
			n++;
		}
	if (n)
		profile_doubt(r->b.p,
			      "profiles left out because they began before the "
			      "trace: %zu of %zu",
			      n, r->n_part);
}

/*
 * Two profilers may have sampled a thread at once (DevTools, and the page
 * itself): its time would count twice. The one that began first stays.
 */
static void
leave_out_overlaps(struct reader *r)
{
	size_t n_overlap = 0;

	for (size_t i = 0; i < r->n_part; i++)
		for (size_t k = 0; k < r->n_part; k++) {
			struct part *p = &r->part[i];
			const struct part *q = &r->part[k];
			bool is_later = p->start > q->start ||
					(p->start == q->start && i > k);

			if (!p->is_left_out && !q->is_left_out && is_later &&
			    p->has_begun && q->has_begun && p->pid == q->pid &&
			    p->tid == q->tid && p->start < q->v.at) {
				p->is_left_out = true;
				n_overlap++;
			}
		}
	if (n_overlap)
		profile_doubt(r->b.p,
			      "profiles left out because another one sampled "
			      "the same thread at the same time: %zu",
			      n_overlap);
}

/* Samples of a part, labelled by its thread. */
static enum prof_status
finish_part(struct reader *r, struct part *p)
{
	uint32_t name = idmap_find(&r->thread_name, key_of(p->pid, p->tid));
	struct label label[2];
	size_t n = 0;

	if (p->pid)
		label[n++] =
			(struct label){ .key = byname_string(&r->b, "pid", 3),
					.num = p->pid };
	if (p->has_begun && name != IDMAP_NONE && name)
		label[n++] = (struct label){
			.key = byname_string(&r->b, "thread", 6), .str = name
		};
	for (size_t i = 0; i < n; i++)
		if (label[i].key == STRTAB_NONE)
			return prof_nomem(r->err);
	return v8_finish(&p->v, p->has_begun && p->end ? p->end : p->v.at,
			 r->idle ? NULL : &r->idle_us, label, n);
}

static enum prof_status
read_all(void *ctx, const json_t *root)
{
	struct reader *r = ctx;
	const json_t *events = json_object_get(root, "traceEvents");
	enum prof_status st;

	if (idmap_init(&r->by_id, 16) < 0 ||
	    idmap_init(&r->thread_name, 16) < 0)
		return prof_nomem(r->err);
	st = v8_columns(&r->b, r->err);
	if (st == PROF_OK)
		st = read_events(r, events ? events : root);
	if (st == PROF_OK && !r->n_part && json_object_get(root, "stackFrames"))
		return prof_fail(
			r->err, PROF_ENOTSUP,
			"a Chrome trace whose samples are stackFrames, "
			"as Hermes writes them, which are not read");
	if (st == PROF_OK && !r->n_part)
		return prof_fail(r->err, PROF_EFORMAT,
				 "a Chrome trace of durations, as clang "
				 "-ftime-trace writes them, too, without CPU "
				 "samples; record it with the category "
				 "disabled-by-default-v8.cpu_profiler");
	if (st == PROF_OK) {
		leave_out_headless(r);
		leave_out_overlaps(r);
	}
	for (size_t i = 0; st == PROF_OK && i < r->n_part; i++)
		if (!r->part[i].is_left_out)
			st = finish_part(r, &r->part[i]);
	v8_say_idle(&r->b, r->idle_us);
	return st;
}

/*
 * A list of events may lack its end, so that a program that dies leaves a whole
 * one: "[ {...}, {...}," Make *whole such a list with its end. Other text: no.
 */
static enum prof_status
close_list(const char *text, size_t n, struct buf *whole, struct prof_err *err)
{
	struct span s = span_trim((struct span){ text, text + n });

	if (!span_begins(s, "[") || s.end[-1] == ']')
		return PROF_OK;
	s.end -= s.end[-1] == ',';
	if (buf_add(whole, s.p, span_len(s)) < 0 || buf_add(whole, "]", 1) < 0)
		return prof_nomem(err);
	return PROF_OK;
}

enum prof_status
chrome_trace_parse(const void *data, size_t n, bool idle, struct profile **out,
		   struct prof_err *err)
{
	struct reader r = { .idle = idle, .err = err };
	struct buf whole = { 0 };
	enum prof_status st = close_list(data, n, &whole, err);

	*out = NULL;
	if (st == PROF_OK)
		st = json_text_profile(whole.n ? whole.data : data,
				       whole.n ? whole.n : n, &r.b, read_all,
				       &r, out, err);
	buf_release(&whole);
	for (size_t i = 0; i < r.n_part; i++)
		v8_release(&r.part[i].v);
	free(r.part);
	idmap_release(&r.by_id);
	idmap_release(&r.thread_name);
	return st;
}
#endif
