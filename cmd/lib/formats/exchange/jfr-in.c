/*
 * jfr-in.c - reading recordings of Java Flight Recorder; see jfr.h. Samples
 * with the same stack and labels become one, with a column for each kind of
 * event.
 */
#include "config.h"

#include "jfr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jfr-impl.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
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
	{ "jdk.JavaMonitorWait", "monitor_waits", "duration",
	  "monitor_wait_delay", "nanoseconds" },
	{ "jdk.ThreadPark", "parks", "duration", "park_delay", "nanoseconds" },
	{ "jdk.ThreadSleep", "sleeps", "duration", "sleep_delay",
	  "nanoseconds" },
	{ "jdk.CPUTimeSample", "cpu_time_samples", "samplingPeriod", "cpu",
	  "nanoseconds" },
	{ "jdk.MethodTrace", "traced_calls", "duration", "traced_time",
	  "nanoseconds" },
	{ "profiler.NativeLock", "native_contentions", "duration",
	  "native_delay", "nanoseconds" },
	{ "profiler.Malloc", "malloc_calls", "size", "malloc_space", "bytes" },
	{ "profiler.LiveObject", "live_objects", "allocationSize", "live_space",
	  "bytes" },
	/* No event, but calls of malloc() whose block was not freed. */
	{ "", "unfreed_calls", "size", "unfreed_space", "bytes" },
};

enum {
	N_KIND = sizeof(kinds) / sizeof(*kinds),
	UNFREED = N_KIND - 1,
	FRAMES = 65536,
};

/* Labels: constants that a field of the event refers to, and their name. */
static const struct {
	const char *key;
	const char *field[3];
	const char *name[2]; /* of fields of the constant: the first, or else */
} labels[] = {
	{ "class",
	  { "objectClass", "monitorClass", "parkedClass" },
	  { "name", "" } },
	{ "state", { "state", "", "" }, { "name", "" } },
	{ "thread",
	  { "sampledThread", "eventThread", "" },
	  { "javaName", "osName" } },
};

enum { N_LABEL = 3, CLASS = 0 };

/* What the JVM says of its own losses: a field to be added up. */
static const struct {
	const char *name, *field, *says;
} losses[] = {
	{ "jdk.CPUTimeSamplesLost", "lostSamples",
	  "samples of CPU time were lost by the JVM" },
	{ "jdk.DataLoss", "amount",
	  "bytes of events were lost: the JVM's buffers were full" },
};

enum { N_LOSS = 2 };

/* One event. */
struct shot {
	uint32_t stack;
	uint32_t label[N_LABEL]; /* strings; 0: not known */
	uint32_t kind;
	int64_t value;
};

/* That malloc() gave a block, or free() took it: of the shot, or PROF_NONE. */
struct block {
	uint64_t address, time;
	uint32_t shot;
};

/* Events that have a stack and make no column. */
struct other {
	uint32_t name; /* of their class, a string */
	size_t n;
};

struct stack {
	size_t first;
	uint32_t n;
};

struct reader {
	struct byname b;
	struct prof_err *err;
	struct jfr_chunk *c;   /* in work */
	uint64_t work;         /* of jfr_chunk */
	struct idmap stack_of; /* of the chunk: key -> stack */
	struct idmap label_of[N_LABEL], method_of; /* key -> string */
	struct stack *stack;                       /* stack[0] is empty */
	size_t n_stack, cap_stack;
	uint32_t *frame; /* locations of all stacks, leaf first */
	size_t n_frame, cap_frame;
	struct shot *shot;
	size_t n_shot, cap_shot;
	struct block *block;
	size_t n_block, cap_block, n_free;
	struct other *other;
	struct idmap other_of; /* name -> other */
	size_t n_other, cap_other;
	size_t n_kind[N_KIND];
	int64_t lost[N_LOSS];
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

/* As in a program, "java.lang.String[]" of "[Ljava/lang/String;": a string. */
static uint32_t
class_name(struct reader *r, uint32_t class)
{
	static const char *const base[][2] = {
		{ "B", "byte" },  { "C", "char" },    { "D", "double" },
		{ "F", "float" }, { "I", "int" },     { "J", "long" },
		{ "S", "short" }, { "Z", "boolean" },
	};
	const struct str *k = &r->b.p->strings.str[class];
	const char *text = k->s;
	size_t n = k->len, depth = strspn(text, "[");
	struct buf b = { 0 };
	uint32_t s;
	int failed;

	if (depth == n)
		return class;
	text += depth;
	n -= depth;
	if (depth && n > 2 && *text == 'L' && text[n - 1] == ';') {
		text++;
		n -= 2;
	}
	for (size_t i = 0; depth && n == 1 && i < 8; i++)
		if (*text == *base[i][0]) {
			text = base[i][1];
			n = strlen(text);
		}
	failed = buf_add(&b, text, n);
	for (size_t i = 0; !failed && i < n; i++)
		if (b.data[i] == '/')
			b.data[i] = '.';
	while (!failed && depth--)
		failed = buf_add(&b, "[]", 2);
	s = failed ? STRTAB_NONE : byname_string(&r->b, (char *)b.data, b.n);
	buf_release(&b);
	return s;
}

/* "java.util.HashMap.put" of a class and a method. */
static uint32_t
full_name(struct reader *r, uint32_t class, uint32_t method)
{
	const struct str *k, *m;
	struct buf b = { 0 };
	uint32_t s;

	class = class ? class_name(r, class) : 0;
	if (!class || class == STRTAB_NONE)
		return class ? class : method;
	k = &r->b.p->strings.str[class];
	m = &r->b.p->strings.str[method];
	s = buf_add(&b, k->s, k->len) < 0 || buf_add(&b, ".", 1) < 0 ||
			    buf_add(&b, m->s, m->len) < 0
		    ? STRTAB_NONE
		    : byname_string(&r->b, (char *)b.data, b.n);
	buf_release(&b);
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
	uint32_t s = idmap_find(&r->method_of, method->number);

	if (s != IDMAP_NONE)
		return s;
	s = make_name(r, method);
	return s == STRTAB_NONE ||
			       idmap_add(&r->method_of, method->number, s) < 0
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
	*out = idmap_find(&r->stack_of, v->number);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	*out = (uint32_t)r->n_stack;
	st = add_stack(r, &at, v->class);
	if (st == PROF_OK && idmap_add(&r->stack_of, v->number, *out) < 0)
		st = prof_nomem(r->err);
	return st;
}

/* The name of the constant at v: a string, 0: none. */
static enum prof_status
label_name(struct reader *r, size_t label, const struct jfr_value *v,
	   uint32_t *out)
{
	struct jfr_value of[] = { { .name = labels[label].name[0] },
				  { .name = labels[label].name[1] } };
	struct idmap *known = &r->label_of[label];
	struct jfr_cursor at;

	*out = 0;
	if (!jfr_constant(r->c, v, &at))
		return PROF_OK;
	*out = idmap_find(known, v->number);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	if (!jfr_read(r->c, &at, v->class, of, 2))
		return damaged(r, "constants");
	*out = jfr_string(r->c, &of[0]);
	if (!*out)
		*out = jfr_string(r->c, &of[1]);
	if (label == CLASS && *out && *out != STRTAB_NONE)
		*out = class_name(r, *out);
	return *out == STRTAB_NONE || idmap_add(known, v->number, *out) < 0
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

/* What is asked of an event: its stack, a value, a block, and all labels. */
enum { STACK, VALUE, TIME, ADDRESS, LABELS, N_ASKED = LABELS + 3 * N_LABEL };

static void
ask(struct jfr_value *of, const char *value)
{
	of[STACK].name = "stackTrace";
	of[VALUE].name = value ? value : "";
	of[TIME].name = "startTime";
	of[ADDRESS].name = "address";
	for (size_t i = 0; i < N_LABEL; i++)
		for (size_t k = 0; k < 3; k++)
			of[LABELS + 3 * i + k].name = labels[i].field[k];
}

static enum prof_status
read_labels(struct reader *r, const struct jfr_value *of, struct shot *s)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < N_LABEL; i++) {
		const struct jfr_value *v = &of[LABELS + 3 * i];
		size_t k = 0;

		while (k < 2 && v[k].class == PROF_NONE)
			k++;
		st = label_name(r, i, &v[k], &s->label[i]);
	}
	return st;
}

static enum prof_status
add_shot(struct reader *r, const struct shot *s)
{
	if (array_reserve(&r->shot, &r->cap_shot, r->n_shot + 1,
			  sizeof(*r->shot)) < 0)
		return prof_nomem(r->err);
	r->shot[r->n_shot++] = *s;
	r->n_kind[s->kind]++;
	return PROF_OK;
}

static enum prof_status
add_block(struct reader *r, const struct jfr_value *of, size_t shot)
{
	if (array_reserve(&r->block, &r->cap_block, r->n_block + 1,
			  sizeof(*r->block)) < 0)
		return prof_nomem(r->err);
	r->block[r->n_block++] =
		(struct block){ of[ADDRESS].number, of[TIME].number,
				(uint32_t)shot };
	r->n_free += shot == PROF_NONE;
	return PROF_OK;
}

static enum prof_status
read_event(struct reader *r, struct jfr_event *e, uint32_t kind)
{
	const struct event_kind *k = &kinds[kind];
	struct shot s = { .kind = kind };
	struct jfr_value of[N_ASKED];
	enum prof_status st;

	ask(of, k->field);
	if (!jfr_read(r->c, &e->body, e->class, of, N_ASKED))
		return damaged(r, "events");
	st = stack_number(r, &of[STACK], &s.stack);
	if (st == PROF_OK)
		st = read_labels(r, of, &s);
	if (st != PROF_OK)
		return st;
	s.value = (int64_t)of[VALUE].number;
	if (of[VALUE].class == PROF_NONE && !k->type)
		s.value = 1; /* async-profiler before its batches */
	if (k->unit && !strcmp(k->unit, "nanoseconds"))
		s.value = in_nanoseconds(r->c, of[VALUE].number);
	r->n_stackless += !s.stack || !r->stack[s.stack].n;
	if (!strcmp(k->count, "malloc_calls"))
		st = add_block(r, of, r->n_shot);
	return st == PROF_OK ? add_shot(r, &s) : st;
}

static enum prof_status
read_loss(struct reader *r, struct jfr_event *e, uint32_t loss)
{
	struct jfr_value of = { .name = losses[loss].field };

	if (!jfr_read(r->c, &e->body, e->class, &of, 1))
		return damaged(r, "events");
	r->lost[loss] = units_add(r->lost[loss], (int64_t)of.number);
	return PROF_OK;
}

static enum prof_status
read_free(struct reader *r, struct jfr_event *e)
{
	struct jfr_value of[N_ASKED];

	ask(of, NULL);
	return jfr_read(r->c, &e->body, e->class, of, N_ASKED)
		       ? add_block(r, of, PROF_NONE)
		       : damaged(r, "events");
}

/*
 * Count an event of a kind that makes no column, though it has a stack. Kinds
 * may have a field for one that is never set, as async-profiler's
 * ActiveSetting.
 */
static enum prof_status
count_other(struct reader *r, struct jfr_event *e)
{
	struct jfr_value of = { .name = "stackTrace" };
	uint32_t name, i;

	if (jfr_read(r->c, &e->body, e->class, &of, 1) && of.is_constant &&
	    !of.number)
		return PROF_OK;
	name = r->c->class[e->class].name;
	i = idmap_find(&r->other_of, name);
	if (i == IDMAP_NONE) {
		i = (uint32_t)r->n_other;
		if (array_reserve(&r->other, &r->cap_other, r->n_other + 1,
				  sizeof(*r->other)) < 0 ||
		    idmap_add(&r->other_of, name, i) < 0)
			return prof_nomem(r->err);
		r->other[r->n_other++] = (struct other){ name, 0 };
	}
	r->other[i].n++;
	return PROF_OK;
}

/* A kind, or one of what follows those. */
enum { LOSS = N_KIND, FREE = LOSS + N_LOSS, OTHER, STACKLESS };

static uint32_t
kind_of(const struct jfr_chunk *c, const struct jfr_class *class)
{
	const char *name = profile_str(c->b->p, class->name);

	for (uint32_t k = 0; k < UNFREED; k++)
		if (!strcmp(name, kinds[k].name))
			return k;
	for (uint32_t i = 0; i < N_LOSS; i++)
		if (!strcmp(name, losses[i].name))
			return LOSS + i;
	if (!strcmp(name, "profiler.Free"))
		return FREE;
	for (size_t i = 0; i < class->n_field; i++)
		if (!strcmp(profile_str(c->b->p,
					c->field[class->first + i].name),
			    "stackTrace"))
			return OTHER;
	return STACKLESS;
}

static enum prof_status
read_events(struct reader *r)
{
	enum prof_status st = PROF_OK;
	struct jfr_event e;
	size_t at = 0;

	for (size_t i = 0; i < r->c->n_class; i++)
		r->c->class[i].kind = kind_of(r->c, &r->c->class[i]);
	while (st == PROF_OK && jfr_next(r->c, &at, &e)) {
		const struct jfr_class *class =
			e.class == IDMAP_NONE ? NULL : &r->c->class[e.class];

		if (!class || class->kind == STACKLESS)
			continue;
		else if (class->kind == OTHER)
			st = count_other(r, &e);
		else if (class->kind == FREE)
			st = read_free(r, &e);
		else if (class->kind >= LOSS)
			st = read_loss(r, &e, class->kind - LOSS);
		else
			st = read_event(r, &e, class->kind);
	}
	if (st == PROF_OK && at < r->c->n && r->c->is_whole)
		st = damaged(r, "events");
	return st;
}

static int
by_address(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* Blocks that nothing freed. A recording without free() does not know. */
static enum prof_status
add_unfreed(struct reader *r)
{
	enum prof_status st = PROF_OK;

	if (!r->n_free)
		return PROF_OK;
	qsort(r->block, r->n_block, sizeof(*r->block), by_address);
	for (size_t i = 0; st == PROF_OK && i < r->n_block; i++) {
		const struct block *b = &r->block[i];
		bool is_freed = i + 1 < r->n_block &&
				b[1].address == b->address &&
				b[1].shot == PROF_NONE;
		struct shot s;

		if (b->shot == PROF_NONE || is_freed)
			continue;
		s = r->shot[b->shot];
		s.kind = UNFREED;
		st = add_shot(r, &s);
	}
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
	struct jfr_chunk c = { .b = &r->b, .err = r->err, .work = &r->work };
	enum prof_status st = jfr_header(&c, data, n, *at);

	if (st != PROF_OK)
		return st;
	r->c = &c;
	*at += c.n;
	r->n_chunk++;
	r->n_unfinished += !c.is_whole;
	if (idmap_init(&r->stack_of, 256) < 0 ||
	    idmap_init(&r->method_of, 1024) < 0)
		st = prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK && i < N_LABEL; i++)
		if (idmap_init(&r->label_of[i], 64) < 0)
			st = prof_nomem(r->err);
	/* The process ended before it wrote the layout: nothing can be read. */
	if (st == PROF_OK && (c.is_whole || c.metadata)) {
		st = jfr_layout(&c);
		if (st == PROF_OK)
			st = read_events(r);
		add_interval(r);
	}
	idmap_release(&r->stack_of);
	for (size_t i = 0; i < N_LABEL; i++)
		idmap_release(&r->label_of[i]);
	idmap_release(&r->method_of);
	jfr_chunk_release(&c);
	r->c = NULL;
	return r->work ? st
		       : prof_fail(r->err, PROF_ELIMIT,
				   "jfr: too much work for a file of its size");
}

/* --- the profile --- */

static int
by_stack(const void *a, const void *b)
{
	const struct shot *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	for (size_t i = 0; i < N_LABEL; i++)
		if (x->label[i] != y->label[i])
			return x->label[i] < y->label[i] ? -1 : 1;
	return 0;
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

/* Add the samples of n events with one stack and labels. */
static enum prof_status
add_sample(struct reader *r, const struct shot *shot, size_t n,
	   const size_t *column, const uint32_t *key, uint64_t *room)
{
	const struct stack *stack = &r->stack[shot->stack];
	struct label label[N_LABEL];
	int64_t value[2 * N_KIND] = { 0 };
	size_t n_label = 0;

	for (size_t i = 0; i < N_LABEL; i++)
		if (shot->label[i])
			label[n_label++] =
				(struct label){ .key = key[i],
						.str = shot->label[i] };
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
	return byname_sample(&r->b, value, label, n_label) < 0
		       ? prof_nomem(r->err)
		       : PROF_OK;
}

static enum prof_status
build_profile(struct reader *r, size_t n)
{
	uint64_t room = ((uint64_t)1 << 24) + 64 * (uint64_t)n;
	enum prof_status st = add_unfreed(r);
	size_t column[N_KIND], k;
	uint32_t key[N_LABEL];

	if (st == PROF_OK)
		st = add_columns(r, column);
	for (size_t i = 0; i < N_LABEL; i++) {
		key[i] = profile_intern(r->b.p, labels[i].key);
		if (key[i] == STRTAB_NONE)
			return prof_nomem(r->err);
	}
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
tell_others(const struct reader *r)
{
	size_t n = 0, most = 0;

	for (size_t i = 0; i < r->n_other; i++) {
		n += r->other[i].n;
		if (r->other[i].n > r->other[most].n)
			most = i;
	}
	if (n)
		profile_doubt(r->b.p,
			      "%zu events of other kinds with stacks are left "
			      "out, %zu of them %s",
			      n, r->other[most].n,
			      profile_str(r->b.p, r->other[most].name));
}

static void
tell_doubts(const struct reader *r)
{
	size_t n_event = r->n_shot - r->n_kind[UNFREED];
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
			      r->n_stackless, n_event);
	for (size_t i = 0; i < N_LOSS; i++)
		if (r->lost[i])
			profile_doubt(p, "%" PRId64 " %s", r->lost[i],
				      losses[i].says);
	tell_others(r);
}

static enum prof_status
read_all(struct reader *r, const void *data, size_t n)
{
	enum prof_status st = PROF_OK;

	r->stack = calloc(1, sizeof(*r->stack));
	if (!r->stack || idmap_init(&r->other_of, 16) < 0)
		return prof_nomem(r->err);
	r->n_stack = r->cap_stack = 1;
	r->work = ((uint64_t)1 << 20) + 64 * (uint64_t)n;
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
	free(r.block);
	free(r.other);
	idmap_release(&r.other_of);
	return st;
}
