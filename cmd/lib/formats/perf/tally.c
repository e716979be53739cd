/*
 * tally.c - locations, stacks, labels and samples, each once. Until the
 * end a location's mapping is the index of its object: which of them become
 * mappings, and in which order, is only known then.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"

/* --- locations --- */

static uint32_t
location_hash(const struct perf *r, uint64_t address, uint32_t object)
{
	const struct hashtab *t = &r->location_table;

	return (uint32_t)hashtab_mix(t, hashtab_mix(t, object, address),
				     address >> 32);
}

/* A BPF program has no file in which its name could be found later. */
static uint32_t
named_line(struct perf *r, uint32_t name, struct line *line)
{
	const struct function f = { .name = name, .system_name = name };

	*line = (struct line){ .function = profile_add_function(r->p, &f) };
	return line->function;
}

static enum prof_status
add_location(struct perf *r, uint64_t address, uint32_t object, uint32_t symbol,
	     uint32_t *out)
{
	struct location l = { .address = address, .mapping = PROF_NONE };
	struct line line;

	if (symbol && named_line(r, symbol, &line) == PROF_NONE)
		return prof_nomem(r->err);
	*out = profile_add_location(r->p, &l, &line, symbol != 0);
	if (*out == PROF_NONE ||
	    array_reserve(&r->location_object, &r->cap_location,
			  r->p->n_location, sizeof(*r->location_object)) < 0)
		return prof_nomem(r->err);
	r->location_object[*out] = object;
	return PROF_OK;
}

static enum prof_status
find_location(struct perf *r, uint64_t address, uint32_t object, uint32_t *out)
{
	uint32_t hash = location_hash(r, address, object), i;
	size_t at = hashtab_start(&r->location_table, hash);
	enum prof_status st;

	while ((i = hashtab_next(&r->location_table, hash, &at)) !=
	       HASHTAB_NONE)
		if (r->p->location[i].address == address &&
		    r->location_object[i] == object) {
			*out = i;
			return PROF_OK;
		}
	st = add_location(r, address, object,
			  object == PROF_NONE ? 0 : r->object[object].symbol,
			  out);
	if (st == PROF_OK && hashtab_add(&r->location_table, hash, *out) < 0)
		return prof_nomem(r->err);
	return st;
}

static enum prof_status
push_location(struct perf *r, uint32_t l)
{
	if (array_reserve(&r->frame, &r->cap_frame, r->n_frame + 1,
			  sizeof(*r->frame)) < 0)
		return prof_nomem(r->err);
	r->frame[r->n_frame++] = l;
	return PROF_OK;
}

enum prof_status
perf_push(struct perf *r, uint64_t address, uint32_t object)
{
	enum prof_status st;
	uint32_t l = 0;

	if (object != PROF_NONE && r->object[object].pid)
		r->frame_flags |= STACK_ANON;
	st = find_location(r, address, object, &l);
	return st == PROF_OK ? push_location(r, l) : st;
}

/* A frame that has only a name, the only one of its kind: *l, or PROF_NONE. It
 * is not pushed twice in a row. */
static enum prof_status
push_named(struct perf *r, const char *name, uint32_t *l)
{
	uint32_t symbol = profile_intern(r->p, name);
	enum prof_status st;

	if (symbol == STRTAB_NONE)
		return prof_nomem(r->err);
	if (*l == PROF_NONE) {
		st = add_location(r, 0, PROF_NONE, symbol, l);
		if (st != PROF_OK)
			return st;
	}
	if (r->n_frame && r->frame[r->n_frame - 1] == *l)
		return PROF_OK;
	return push_location(r, *l);
}

enum prof_status
perf_push_kernel(struct perf *r)
{
	return push_named(r, "[kernel]", &r->fold);
}

enum prof_status
perf_push_gap(struct perf *r)
{
	return push_named(r, UNWIND_GAP_NAME, &r->gap);
}

/* --- stacks --- */

enum prof_status
perf_take_stack(struct perf *r, uint32_t *stack)
{
	struct hashtab *t = &r->stack_table;
	size_t n = r->n_frame, at;
	uint64_t h = hashtab_mix(t, n, r->frame_flags);
	uint32_t i;

	for (size_t k = 0; k < n; k++)
		h = hashtab_mix(t, h, r->frame[k]);
	at = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &at)) != HASHTAB_NONE) {
		const struct perf_stack *s = &r->stack[i];

		if (s->n == n && s->flags == r->frame_flags &&
		    (!n || !memcmp(r->pool + s->at, r->frame,
				   n * sizeof(*r->frame)))) {
			*stack = i;
			r->n_frame = 0;
			return PROF_OK;
		}
	}
	if (array_reserve(&r->stack, &r->cap_stack, r->n_stack + 1,
			  sizeof(*r->stack)) < 0 ||
	    array_reserve(&r->pool, &r->cap_pool, r->n_pool + n + 1,
			  sizeof(*r->pool)) < 0 ||
	    hashtab_add(t, (uint32_t)h, (uint32_t)r->n_stack) < 0)
		return prof_nomem(r->err);
	if (n)
		memcpy(r->pool + r->n_pool, r->frame, n * sizeof(*r->frame));
	r->stack[r->n_stack] =
		(struct perf_stack){ r->n_pool, (uint32_t)n, r->frame_flags };
	r->n_pool += n;
	*stack = (uint32_t)r->n_stack++;
	r->n_frame = 0;
	return PROF_OK;
}

/* --- labels and samples --- */

enum prof_status
perf_add_tags(struct perf *r, const struct perf_tags *g, uint32_t *tags)
{
	struct hashtab *t = &r->tags_table;
	uint64_t h = hashtab_mix(t, g->pid, g->comm);
	size_t at;
	uint32_t i;

	h = hashtab_mix(t, h, (uint64_t)g->tid << 32 | g->thread);
	h = hashtab_mix(t, h, (uint64_t)g->cpu << 32 | g->mode);
	h = hashtab_mix(t, h, g->cgroup ^ g->time);
	h = hashtab_mix(t, h, g->data_src);
	at = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &at)) != HASHTAB_NONE)
		if (!memcmp(&r->tags[i], g, sizeof(*g))) {
			*tags = i;
			return PROF_OK;
		}
	if (array_reserve(&r->tags, &r->cap_tags, r->n_tags + 1,
			  sizeof(*r->tags)) < 0 ||
	    hashtab_add(t, (uint32_t)h, (uint32_t)r->n_tags) < 0)
		return prof_nomem(r->err);
	r->tags[r->n_tags] = *g;
	*tags = (uint32_t)r->n_tags++;
	return PROF_OK;
}

static uint64_t
add_saturated(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - (b < INT64_MAX ? b : INT64_MAX) ? INT64_MAX
							       : a + b;
}

enum prof_status
perf_add_row(struct perf *r, const struct perf_row *row)
{
	struct hashtab *t = &r->row_table;
	uint64_t h = hashtab_mix(t, row->stack, row->tags);
	size_t at;
	uint32_t i;

	h = hashtab_mix(t, h, row->event);
	at = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &at)) != HASHTAB_NONE) {
		struct perf_row *have = &r->row[i];

		if (have->stack != row->stack || have->tags != row->tags ||
		    have->event != row->event)
			continue;
		have->count = add_saturated(have->count, row->count);
		have->weight = add_saturated(have->weight, row->weight);
		have->latency = add_saturated(have->latency, row->latency);
		return PROF_OK;
	}
	if (array_reserve(&r->row, &r->cap_row, r->n_row + 1, sizeof(*r->row)) <
		    0 ||
	    hashtab_add(t, (uint32_t)h, (uint32_t)r->n_row) < 0)
		return prof_nomem(r->err);
	r->row[r->n_row++] = *row;
	return PROF_OK;
}
