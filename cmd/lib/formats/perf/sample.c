/*
 * sample.c - the fields of a SAMPLE record, in the order of the kernel's
 * perf_output_sample(), and the samples made of them.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"

/* The rest of a record; p is NULL once it was too short. */
struct cursor {
	const struct perf *r;
	const uint8_t *p, *end;
};

static const uint8_t *
skip_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *at = c->p;

	if (!at || n > (uint64_t)(c->end - at)) {
		c->p = NULL;
		return NULL;
	}
	c->p += n;
	return at;
}

static uint64_t
take_word(struct cursor *c)
{
	const uint8_t *at = skip_bytes(c, 8);

	return at ? perf_u64(c->r, at) : 0;
}

/* n entries of size bytes each; size is at most 24. */
static const uint8_t *
skip_array(struct cursor *c, uint64_t n, unsigned size)
{
	if (n > UINT16_MAX) {
		c->p = NULL;
		return NULL;
	}
	return skip_bytes(c, n * size);
}

/* The counts of the event, or of its group. Returns whether it is a group. */
static bool
skip_read(struct cursor *c, uint64_t format)
{
	unsigned times = !!(format & 1) + !!(format & 2);
	unsigned each = 1 + !!(format & 4) + !!(format & 16);

	if (!(format & 8)) {
		skip_bytes(c, 8 * (each + times));
		return false;
	}
	skip_array(c, take_word(c) * each + times, 8);
	return true;
}

static const uint8_t *
take_regs(struct cursor *c, uint64_t mask, uint64_t *abi)
{
	*abi = take_word(c);
	return *abi ? skip_bytes(c, 8 * (uint64_t)__builtin_popcountll(mask))
		    : NULL;
}

static void
take_branches(struct cursor *c, struct perf_sample *s)
{
	s->n_branch = take_word(c);
	if (s->attr->branch_type & BRANCH_HW_INDEX)
		take_word(c);
	s->branch = skip_array(c, s->n_branch, 24);
	if (s->attr->branch_type & BRANCH_COUNTERS)
		skip_array(c, s->n_branch, 8);
}

static void
take_dump(struct cursor *c, struct perf_sample *s)
{
	uint64_t size = take_word(c), valid;

	if (!size)
		return;
	s->dump_at = skip_bytes(c, size);
	valid = take_word(c);
	s->dump = valid < size ? valid : size;
}

/* Fields up to the call chain. */
static void
take_front(struct cursor *c, uint64_t type, struct perf_sample *s)
{
	const uint8_t *at;

	if (type & S_IDENTIFIER)
		take_word(c);
	if (type & S_IP)
		s->ip = take_word(c);
	if (type & S_TID && (at = skip_bytes(c, 8))) {
		s->pid = perf_u32(c->r, at);
		s->tid = perf_u32(c->r, at + 4);
	}
	if (type & S_TIME)
		s->time = take_word(c);
	if (type & S_ADDR)
		take_word(c);
	if (type & S_ID)
		take_word(c);
	if (type & S_STREAM_ID)
		take_word(c);
	if (type & S_CPU && (at = skip_bytes(c, 8)))
		s->cpu = perf_u32(c->r, at);
	if (type & S_PERIOD) {
		s->period = take_word(c);
		s->has_period = true;
	}
}

/* From the stack's registers on. */
static void
take_back(struct cursor *c, uint64_t type, struct perf_sample *s)
{
	uint64_t abi;

	if (type & S_REGS_USER)
		s->regs = take_regs(c, s->attr->regs_user, &s->regs_abi);
	if (type & S_STACK_USER)
		take_dump(c, s);
	if (type & (S_WEIGHT | S_WEIGHT_STRUCT)) {
		s->weight = take_word(c);
		if (type & S_WEIGHT_STRUCT)
			s->weight = c->r->big ? s->weight >> 32
					      : s->weight & UINT32_MAX;
	}
	if (type & S_DATA_SRC)
		s->data_src = take_word(c);
	if (type & S_TRANSACTION)
		take_word(c);
	if (type & S_REGS_INTR)
		take_regs(c, s->attr->regs_intr, &abi);
	if (type & S_PHYS_ADDR)
		take_word(c);
	if (type & S_CGROUP)
		s->cgroup = take_word(c);
	if (type & S_DATA_PAGE)
		s->data_page = take_word(c);
	if (type & S_CODE_PAGE)
		s->code_page = take_word(c);
	if (type & S_AUX)
		skip_bytes(c, take_word(c));
}

/* *ok is false if the record makes no sense. */
static enum prof_status
read_sample(struct perf *r, const uint8_t *rec, size_t n, struct perf_sample *s,
	    bool *ok)
{
	struct cursor c = { r, rec + 8, rec + n };
	const uint8_t *at;
	uint64_t type;

	*ok = false;
	memset(s, 0, sizeof(*s));
	s->attr = perf_attr_of(r, rec, n);
	s->mode = REC_MISC(r, rec) & MISC_MODE;
	if (!s->attr) {
		r->notes.unknown_event++;
		return PROF_OK;
	}
	type = s->attr->sample_type;
	take_front(&c, type, s);
	if (type & S_READ && skip_read(&c, s->attr->read_format))
		r->notes.groups++;
	if (type & S_CALLCHAIN) {
		s->n_chain = take_word(&c);
		s->chain = skip_array(&c, s->n_chain, 8);
	}
	if (type & S_RAW && (at = skip_bytes(&c, 4)))
		skip_bytes(&c, perf_u32(r, at));
	if (type & S_BRANCH)
		take_branches(&c, s);
	take_back(&c, type, s);
	if (c.p != c.end)
		return perf_damage(r, 0,
				   "a sample whose fields are not as "
				   "long as its record");
	*ok = true;
	return PROF_OK;
}

/* --- labels --- */

static uint32_t
mode_of(const struct perf_sample *s)
{
	return s->mode < 6 ? s->mode : MODE_UNKNOWN;
}

static enum prof_status
tag(struct perf *r, const struct perf_sample *s, uint32_t *tags)
{
	struct perf_process *p = perf_process(r, s->pid);
	unsigned want = r->o.labels;
	struct perf_tags t = { .pid = s->pid };
	uint32_t i;

	if (!p)
		return prof_nomem(r->err);
	t.comm = p->comm;
	if (p->main != PROF_NONE)
		r->object[p->main].n_main++;
	if (want & PERF_TID)
		t.tid = s->tid;
	if (want & PERF_THREAD) {
		i = idmap_find(&r->thread, s->tid);
		t.thread = i == IDMAP_NONE ? p->comm : r->thread_name[i];
	}
	if (want & PERF_CPU)
		t.cpu = s->cpu;
	if (want & PERF_CGROUP)
		t.cgroup = s->cgroup;
	if (want & PERF_MODE)
		t.mode = mode_of(s);
	if (want & PERF_TIME)
		t.time = s->time;
	if (want & PERF_CODE_PAGE)
		t.code_page = s->code_page;
	if (want & PERF_DATA_PAGE)
		t.data_page = s->data_page;
	if (want & PERF_DATA_SRC)
		t.data_src = s->data_src;
	return perf_add_tags(r, &t, tags);
}

/* --- what a sample counts --- */

static uint64_t
weight_of(const struct perf_sample *s)
{
	if (s->has_period)
		return s->period;
	return perf_flag(s->attr, FLAG_FREQ) ? 1 : s->attr->period;
}

static enum prof_status
number_event(struct perf *r, const struct perf_sample *s, uint32_t *event)
{
	struct perf_attr *a = &r->attr[s->attr - r->attr];

	if (!a->event && r->n_event == PERF_MAX_COLUMNS)
		return prof_fail(r->err, PROF_ELIMIT,
				 "more than %d events with samples",
				 PERF_MAX_COLUMNS);
	if (!a->event)
		a->event = ++r->n_event;
	*event = a->event - 1;
	return PROF_OK;
}

static void
take_notes(struct perf *r, const struct perf_sample *s, uint32_t notes)
{
	r->notes.samples++;
	r->notes.truncated += !!(notes & CHAIN_TRUNCATED);
	r->notes.unmapped += !!(notes & CHAIN_UNMAPPED);
	r->notes.dumps += !!(notes & CHAIN_NO_WALK);
	r->notes.unwind_failed += !!(notes & CHAIN_FAILED);
	r->notes.branches +=
		s->n_branch && !(s->attr->branch_type & BRANCH_CALL_STACK);
	if (!s->time)
		return;
	if (s->time < r->first_time)
		r->first_time = s->time;
	if (s->time > r->last_time)
		r->last_time = s->time;
}

/* The cookie of user frames that are still to come, or 0. */
static uint64_t
deferred_cookie(const struct perf *r, const struct perf_sample *s)
{
	const uint64_t marker = (uint64_t)-640;

	for (uint64_t i = s->n_chain; s->chain && i-- > 1;)
		if (i + 1 < s->n_chain &&
		    perf_u64(r, s->chain + 8 * i) == marker)
			return perf_u64(r, s->chain + 8 * i + 8);
	return s->n_chain > 1 && s->chain && perf_u64(r, s->chain) == marker
		       ? perf_u64(r, s->chain + 8)
		       : 0;
}

enum prof_status
perf_sample(struct perf *r, const uint8_t *rec, size_t n)
{
	struct perf_row row = { .count = 1 };
	struct perf_sample s;
	enum prof_status st;
	uint64_t cookie;
	uint32_t notes;
	bool ok;

	st = read_sample(r, rec, n, &s, &ok);
	if (st != PROF_OK || !ok || (r->o.no_idle && !s.pid && !s.tid))
		return st;
	row.weight = weight_of(&s);
	row.latency = s.weight;
	st = number_event(r, &s, &row.event);
	if (st == PROF_OK)
		st = tag(r, &s, &row.tags);
	if (st == PROF_OK)
		st = perf_chain(r, &s, &row.stack, &notes);
	if (st != PROF_OK)
		return st;
	take_notes(r, &s, notes);
	cookie = deferred_cookie(r, &s);
	if (!cookie)
		return perf_add_row(r, &row);
	return perf_wait(r, &(struct perf_waiting){ cookie, s.tid, s.pid,
						    row.stack, row.tags,
						    row.event, row.count,
						    row.weight, row.latency });
}
