/*
 * jfr-in.c - reading recordings of Java Flight Recorder; see jfr.h. Samples
 * with the same stack and thread become one, with a column for each kind of
 * event.
 */
#include "config.h"

#include "jfr.h"

#include <stdlib.h>
#include <string.h>

#include "jfr-impl.h"
#include "lib/base/array.h"
#include "lib/model/units.h"

/*
 * What is read: a count of events, and the sum of a field; or without a type,
 * the field counts the samples of each event.
 */
static const struct event_kind {
	const char *name, *count;
	const char *field, *type, *unit;
} kinds[] = {
	{ "jdk.ExecutionSample", "samples", NULL, NULL, NULL },
	{ "jdk.NativeMethodSample", "native_samples", NULL, NULL, NULL },
	{ "profiler.WallClockSample", "wall_samples", "samples", NULL, NULL },
	{ "jdk.ObjectAllocationSample", "alloc_samples", "weight",
	  "alloc_space", "bytes" },
	{ "jdk.ObjectAllocationInNewTLAB", "tlab_allocations", "tlabSize",
	  "tlab_space", "bytes" },
	{ "jdk.ObjectAllocationOutsideTLAB", "outside_tlab_allocations",
	  "allocationSize", "outside_tlab_space", "bytes" },
	{ "jdk.JavaMonitorEnter", "contentions", "duration", "delay",
	  "nanoseconds" },
	{ "profiler.Malloc", "malloc_calls", "size", "malloc_space", "bytes" },
	{ "profiler.LiveObject", "live_objects", "allocationSize", "live_space",
	  "bytes" },
};

enum { N_KIND = sizeof(kinds) / sizeof(*kinds), FRAMES = 65536 };

/* One event. */
struct shot {
	uint32_t stack, thread; /* a stack; a string, 0: not known */
	uint32_t kind;
	int64_t value;
};

struct stack {
	size_t first;
	uint32_t n;
};

struct reader {
	struct byname b;
	struct prof_err *err;
	struct jfr_chunk *c;               /* in work */
	struct idmap stack_of;             /* of the chunk: key + 1 -> stack */
	struct idmap thread_of, method_of; /* key + 1 -> string */
	struct stack *stack;               /* stack[0] is empty */
	size_t n_stack, cap_stack;
	uint32_t *frame; /* locations of all stacks, leaf first */
	size_t n_frame, cap_frame;
	struct shot *shot;
	size_t n_shot, cap_shot;
	size_t n_kind[N_KIND];
	size_t n_chunk, n_unfinished, n_stackless, n_cut;
	int64_t start_ns, end_ns;
};

/* --- stacks and threads --- */

static enum prof_status
damaged(struct reader *r, const char *what)
{
	return prof_fail(r->err, PROF_EFORMAT,
			 "jfr: damaged %s in the chunk at byte %zu", what,
			 r->c->at);
}

/* "java.util.HashMap.put" of "java/util/HashMap" and "put". */
static uint32_t
full_name(struct reader *r, uint32_t class, uint32_t method)
{
	const struct str *k = &r->b.p->strings.str[class];
	const struct str *m = &r->b.p->strings.str[method];
	size_t n = (size_t)k->len + 1 + m->len;
	uint32_t s;
	char *text;

	if (!class)
		return method;
	text = malloc(n);
	if (!text)
		return STRTAB_NONE;
	memcpy(text, k->s, k->len);
	for (size_t i = 0; i < k->len; i++)
		if (text[i] == '/')
			text[i] = '.';
	text[k->len] = '.';
	memcpy(text + k->len + 1, m->s, m->len);
	s = byname_string(&r->b, text, n);
	free(text);
	return s;
}

/* The name of a method; 0: it has none. */
static uint32_t
make_name(struct reader *r, const struct jfr_value *method)
{
	struct jfr_value of[] = { { .name = "type" }, { .name = "name" } };
	struct jfr_value name = { .name = "name" };
	struct jfr_cursor at;
	uint32_t class = 0, s;

	if (!jfr_constant(r->c, method, &at) ||
	    !jfr_read(r->c, &at, method->class, of, 2))
		return 0;
	if (jfr_constant(r->c, &of[0], &at) &&
	    jfr_read(r->c, &at, of[0].class, &name, 1))
		class = jfr_string(r->c, &name);
	s = jfr_string(r->c, &of[1]);
	return class == STRTAB_NONE || s == STRTAB_NONE
		       ? STRTAB_NONE
		       : full_name(r, class, s);
}

static uint32_t
method_name(struct reader *r, const struct jfr_value *method)
{
	uint32_t s = idmap_find(&r->method_of, method->number + 1);

	if (s != IDMAP_NONE)
		return s;
	s = make_name(r, method);
	return s == STRTAB_NONE || method->number + 1 == 0 ||
			       idmap_add(&r->method_of, method->number + 1, s) <
				       0
		       ? STRTAB_NONE
		       : s;
}

static enum prof_status
add_frame(struct reader *r, const struct jfr_value *method, int64_t number)
{
	uint32_t name = method_name(r, method), l;
	struct line line = { .line = number > 0 ? number : 0 };

	if (!name)
		name = byname_string(&r->b, "[unknown]", 9);
	if (name == STRTAB_NONE)
		return prof_nomem(r->err);
	line.function = byname_function(&r->b, name, 0, 0);
	if (line.function == PROF_NONE)
		return prof_nomem(r->err);
	l = byname_location(&r->b, PROF_NONE, 0, &line, 1);
	if (l == PROF_NONE ||
	    array_reserve(&r->frame, &r->cap_frame, r->n_frame + 1,
			  sizeof(*r->frame)) < 0)
		return prof_nomem(r->err);
	r->frame[r->n_frame++] = l;
	return PROF_OK;
}

/* The stack at the cursor, which is new. */
static enum prof_status
add_stack(struct reader *r, struct jfr_cursor *at, uint32_t class)
{
	struct jfr_value of[] = { { .name = "truncated" },
				  { .name = "frames" } };
	enum prof_status st = PROF_OK;
	size_t first = r->n_frame;
	uint64_t n;

	if (!jfr_read(r->c, at, class, of, 2) || of[1].class == PROF_NONE ||
	    of[1].is_constant)
		return damaged(r, "stacks");
	n = jfr_varint(&of[1].at);
	if (n > FRAMES)
		return damaged(r, "stacks");
	for (; st == PROF_OK && n; n--) {
		struct jfr_value f[] = { { .name = "method" },
					 { .name = "lineNumber" } };

		if (!jfr_read(r->c, &of[1].at, of[1].class, f, 2))
			return damaged(r, "stacks");
		st = add_frame(r, &f[0], (int32_t)f[1].number);
	}
	if (st == PROF_OK &&
	    array_reserve(&r->stack, &r->cap_stack, r->n_stack + 1,
			  sizeof(*r->stack)) < 0)
		return prof_nomem(r->err);
	if (st != PROF_OK)
		return st;
	r->n_cut += of[0].number != 0;
	r->stack[r->n_stack++] =
		(struct stack){ first, (uint32_t)(r->n_frame - first) };
	return PROF_OK;
}

/* The number of a stack; 0: there is none. */
static enum prof_status
stack_number(struct reader *r, const struct jfr_value *v, uint32_t *out)
{
	struct jfr_cursor at;
	enum prof_status st;

	*out = 0;
	if (!jfr_constant(r->c, v, &at))
		return PROF_OK;
	*out = idmap_find(&r->stack_of, v->number + 1);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	*out = (uint32_t)r->n_stack;
	st = add_stack(r, &at, v->class);
	if (st == PROF_OK && idmap_add(&r->stack_of, v->number + 1, *out) < 0)
		st = prof_nomem(r->err);
	return st;
}

/* A thread's name, in Java or else in the system: a string, 0: none. */
static enum prof_status
thread_name(struct reader *r, const struct jfr_value *v, uint32_t *out)
{
	struct jfr_value of[] = { { .name = "javaName" },
				  { .name = "osName" } };
	struct jfr_cursor at;

	*out = 0;
	if (!jfr_constant(r->c, v, &at))
		return PROF_OK;
	*out = idmap_find(&r->thread_of, v->number + 1);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	if (!jfr_read(r->c, &at, v->class, of, 2))
		return damaged(r, "threads");
	*out = jfr_string(r->c, &of[0]);
	if (!*out)
		*out = jfr_string(r->c, &of[1]);
	return *out == STRTAB_NONE ||
			       idmap_add(&r->thread_of, v->number + 1, *out) < 0
		       ? prof_nomem(r->err)
		       : PROF_OK;
}

/* --- events --- */

static int64_t
in_nanoseconds(const struct jfr_chunk *c, uint64_t ticks)
{
	double ns = (double)ticks * 1e9 / (double)c->ticks_per_second;

	if (c->ticks_per_second == 1000000000 && ticks <= INT64_MAX)
		return (int64_t)ticks;
	return ns < 9.2e18 ? (int64_t)ns : INT64_MAX;
}

static enum prof_status
read_event(struct reader *r, struct jfr_event *e, uint32_t kind)
{
	enum { SAMPLED, THREAD, STACK, VALUE };
	struct jfr_value of[] = {
		[SAMPLED] = { .name = "sampledThread" },
		[THREAD] = { .name = "eventThread" },
		[STACK] = { .name = "stackTrace" },
		[VALUE] = { .name = kinds[kind].field ? kinds[kind].field
						      : "" },
	};
	struct shot s = { .kind = kind };
	enum prof_status st;

	if (!jfr_read(r->c, &e->body, e->class, of, 4))
		return damaged(r, "events");
	st = stack_number(r, &of[STACK], &s.stack);
	if (st == PROF_OK)
		st = thread_name(r,
				 of[SAMPLED].class != PROF_NONE ? &of[SAMPLED]
								: &of[THREAD],
				 &s.thread);
	if (st != PROF_OK)
		return st;
	s.value = (int64_t)of[VALUE].number;
	if (of[VALUE].class == PROF_NONE && !kinds[kind].type)
		s.value = 1; /* async-profiler before its batches */
	if (kinds[kind].unit && !strcmp(kinds[kind].unit, "nanoseconds"))
		s.value = in_nanoseconds(r->c, of[VALUE].number);
	r->n_stackless += !s.stack || !r->stack[s.stack].n;
	r->n_kind[kind]++;
	if (array_reserve(&r->shot, &r->cap_shot, r->n_shot + 1,
			  sizeof(*r->shot)) < 0)
		return prof_nomem(r->err);
	r->shot[r->n_shot++] = s;
	return PROF_OK;
}

/* The kind of each class, or N_KIND. */
static uint32_t
kind_of(const struct jfr_chunk *c, uint32_t class)
{
	uint32_t k = 0;

	while (k < N_KIND && strcmp(profile_str(c->b->p, c->class[class].name),
				    kinds[k].name) != 0)
		k++;
	return k;
}

static enum prof_status
read_events(struct reader *r)
{
	enum prof_status st = PROF_OK;
	struct jfr_event e;
	size_t at = 0;

	while (st == PROF_OK && jfr_next(r->c, &at, &e)) {
		uint32_t kind = e.class == IDMAP_NONE ? (uint32_t)N_KIND
						      : kind_of(r->c, e.class);

		if (kind < N_KIND)
			st = read_event(r, &e, kind);
	}
	if (st == PROF_OK && at < r->c->n && r->c->is_whole)
		st = damaged(r, "events");
	return st;
}

static void
add_interval(struct reader *r)
{
	const struct jfr_chunk *c = r->c;
	int64_t end;

	if (__builtin_add_overflow(c->start_ns, c->duration_ns, &end) ||
	    c->duration_ns < 0 || c->start_ns < 0)
		return;
	if (!r->start_ns || c->start_ns < r->start_ns)
		r->start_ns = c->start_ns;
	if (end > r->end_ns)
		r->end_ns = end;
}

static enum prof_status
read_chunk(struct reader *r, const void *data, size_t n, size_t *at)
{
	struct jfr_chunk c = { .b = &r->b, .err = r->err };
	enum prof_status st = jfr_header(&c, data, n, *at);

	r->c = &c;
	if (st != PROF_OK)
		return st;
	*at += c.n;
	r->n_chunk++;
	r->n_unfinished += !c.is_whole;
	if (idmap_init(&r->stack_of, 256) < 0 ||
	    idmap_init(&r->thread_of, 64) < 0 ||
	    idmap_init(&r->method_of, 1024) < 0)
		st = prof_nomem(r->err);
	/* The process ended before it wrote the layout: nothing can be read. */
	if (st == PROF_OK && (c.is_whole || c.metadata)) {
		st = jfr_layout(&c);
		if (st == PROF_OK)
			st = read_events(r);
		add_interval(r);
	}
	idmap_release(&r->stack_of);
	idmap_release(&r->thread_of);
	idmap_release(&r->method_of);
	jfr_chunk_release(&c);
	return st;
}

/* --- the profile --- */

static int
by_stack(const void *a, const void *b)
{
	const struct shot *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Columns of what there is: of kind k they begin at column[k]. */
static enum prof_status
add_columns(struct reader *r, size_t *column)
{
	struct profile *p = r->b.p;

	for (size_t k = 0; k < N_KIND; k++) {
		column[k] = p->n_type;
		if (r->n_kind[k] &&
		    (profile_add_type(p, kinds[k].count, "count") ==
			     PROF_NONE ||
		     (kinds[k].type &&
		      profile_add_type(p, kinds[k].type, kinds[k].unit) ==
			      PROF_NONE)))
			return prof_nomem(r->err);
	}
	if (!p->n_type)
		return prof_fail(r->err, PROF_EFORMAT,
				 "jfr: no samples, allocations or contended "
				 "monitors; record with settings=profile");
	p->default_type = p->type[0].type;
	return PROF_OK;
}

/* Add the samples of n events with one stack and thread. */
static enum prof_status
add_sample(struct reader *r, const struct shot *shot, size_t n,
	   const size_t *column, uint32_t key, uint64_t *room)
{
	const struct stack *stack = &r->stack[shot->stack];
	struct label label = { .key = key, .str = shot->thread };
	int64_t value[2 * N_KIND] = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct event_kind *kind = &kinds[shot[i].kind];
		size_t c = column[shot[i].kind];

		value[c] = units_add(value[c], kind->field && !kind->type
						       ? shot[i].value
						       : 1);
		if (kind->type)
			value[c + 1] = units_add(value[c + 1], shot[i].value);
	}
	/* Few bytes can refer to a long stack very often. */
	if (stack->n > *room)
		return prof_fail(r->err, PROF_ELIMIT,
				 "jfr: too many frames for a file of its size");
	*room -= stack->n;
	for (uint32_t i = 0; i < stack->n; i++)
		if (byname_push(&r->b, r->frame[stack->first + i]) < 0)
			return prof_nomem(r->err);
	return byname_sample(&r->b, value, &label, shot->thread != 0) < 0
		       ? prof_nomem(r->err)
		       : PROF_OK;
}

static enum prof_status
build_profile(struct reader *r, size_t n)
{
	uint32_t key = profile_intern(r->b.p, "thread");
	uint64_t room = ((uint64_t)1 << 24) + 64 * (uint64_t)n;
	size_t column[N_KIND], k;
	enum prof_status st = key == STRTAB_NONE ? prof_nomem(r->err)
						 : add_columns(r, column);

	if (r->n_shot)
		qsort(r->shot, r->n_shot, sizeof(*r->shot), by_stack);
	for (size_t i = 0; st == PROF_OK && i < r->n_shot; i += k) {
		for (k = 1; i + k < r->n_shot &&
			    !by_stack(&r->shot[i], &r->shot[i + k]);
		     k++)
			;
		st = add_sample(r, &r->shot[i], k, column, key, &room);
	}
	r->b.p->time_ns = r->start_ns;
	r->b.p->duration_ns = r->end_ns - r->start_ns;
	return st;
}

static void
tell_doubts(const struct reader *r)
{
	struct profile *p = r->b.p;

	if (r->n_unfinished)
		profile_doubt(p,
			      "the last of %zu chunks was not finished: events "
			      "are missing",
			      r->n_chunk);
	if (r->n_cut)
		profile_doubt(p,
			      "%zu of %zu stacks are cut at their root; "
			      "-XX:FlightRecorderOptions=stackdepth=N keeps "
			      "more",
			      r->n_cut, r->n_stack - 1);
	if (r->n_stackless)
		profile_doubt(p, "%zu of %zu events have no stack",
			      r->n_stackless, r->n_shot);
}

static enum prof_status
read_all(struct reader *r, const void *data, size_t n)
{
	enum prof_status st = PROF_OK;

	r->stack = calloc(1, sizeof(*r->stack));
	if (!r->stack)
		return prof_nomem(r->err);
	r->n_stack = r->cap_stack = 1;
	for (size_t at = 0; st == PROF_OK && at < n;)
		st = read_chunk(r, data, n, &at);
	if (st == PROF_OK)
		st = build_profile(r, n);
	if (st == PROF_OK)
		tell_doubts(r);
	return st;
}

enum prof_status
jfr_parse(const void *data, size_t n, struct profile **out,
	  struct prof_err *err)
{
	struct reader r = { .err = err };
	enum prof_status st = byname_init(&r.b, err);

	*out = NULL;
	if (st == PROF_OK)
		st = read_all(&r, data, n);
	if (st == PROF_OK)
		*out = byname_take(&r.b);
	byname_release(&r.b);
	free(r.stack);
	free(r.frame);
	free(r.shot);
	return st;
}
