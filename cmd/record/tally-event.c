/*
 * tally-event.c - stacks counted for events other than ticks: allocations,
 * growth of the heap, waits for locks; and profiles of them. doc/sampling.md
 * has the estimators.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "lib/formats/legacy/legacy.h"
#include "tally-int.h"

/* Counting. */

static bool
same_event(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct event *a = &t->event[i], *b = key;

	return a->event == b->event && a->number == b->number &&
	       tally_same_stack(&t->event_frames, &a->stack, &b->stack);
}

static bool
same_raw(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;

	return t->raw[i].hash == *(const uint64_t *)key;
}

/* The index of the event of key and pc, after resolving them. */
static uint32_t
resolve(struct tally *t, uint64_t key, const uint64_t *pc)
{
	struct event e = { .event = SHM_KEY_EVENT(key) };
	uint64_t hash;
	uint32_t i;

	if (!tally_reserve(t, &t->event, &t->room_event, t->n_event, 1,
			   sizeof(e)) ||
	    !tally_frames(t, &t->event_frames, key, pc, &e.stack, &hash))
		return PROF_NONE;
	e.number = pc[SHM_KEY_DEPTH(key) - 1];
	hash = hash_mix(t->key, hash_mix(t->key, hash, e.event), e.number);
	i = tally_add(t, &t->events, hash, same_event, &e, t->n_event);
	if (i == t->n_event) {
		t->event[t->n_event++] = e;
		t->event_frames.n += e.stack.n;
	}
	return i;
}

/* The same, by its hash, if it was seen before. NULL: it was not. */
static struct event *
find_event(struct tally *t, uint64_t key, const uint64_t *pc)
{
	uint64_t hash = shm_hash(key, pc, SHM_KEY_DEPTH(key));
	uint32_t i, event;

	if (SHM_KEY_DEPTH(key) < 2 || SHM_KEY_EVENT(key) > SHM_DELAY ||
	    !tally_reserve(t, &t->raw, &t->room_raw, t->n_raw, 1,
			   sizeof(*t->raw)))
		return NULL;
	i = tally_add(t, &t->raws, hash, same_raw, &hash, t->n_raw);
	if (i == PROF_NONE)
		return NULL;
	if (i == t->n_raw) {
		event = resolve(t, key, pc);
		t->raw[t->n_raw++] = (struct raw){ hash, event };
	}
	event = t->raw[i].event;
	return event == PROF_NONE ? NULL : &t->event[event];
}

void
tally_event(struct tally *t, uint64_t key, const uint64_t *pc, uint64_t count)
{
	struct event *e;

	/* Waits and their duration are two counts of one event. */
	if (SHM_KEY_EVENT(key) == SHM_DELAY) {
		e = find_event(t, SHM_KEY_AS(SHM_WAIT, key), pc);
		if (e)
			e->delay = tally_plus(e->delay, count);
	} else {
		e = find_event(t, key, pc);
		if (e)
			e->stack.ticks = tally_plus(e->stack.ticks, count);
	}
}

void
tally_begin_live(struct tally *t)
{
	for (size_t i = 0; i < t->n_event; i++) {
		t->event[i].live = 0;
		t->event[i].left = t->event[i].ended;
	}
}

/* The event of an allocation that was counted; or NULL. */
static struct event *
find_known(struct tally *t, uint64_t hash)
{
	uint32_t h = (uint32_t)hashtab_mix(&t->raws, 0, hash);
	size_t at;
	uint32_t i;

	if (!t->raws.slot)
		return NULL;
	at = hashtab_start(&t->raws, h);
	while ((i = hashtab_next(&t->raws, h, &at)) != HASHTAB_NONE)
		if (same_raw(t, i, &hash))
			break;
	if (i == HASHTAB_NONE || t->raw[i].event == PROF_NONE ||
	    t->event[t->raw[i].event].event != SHM_ALLOC)
		return NULL;
	return &t->event[t->raw[i].event];
}

void
tally_live(struct tally *t, uint64_t hash, bool is_alive)
{
	struct event *e = find_known(t, hash);

	if (e && is_alive)
		e->live++;
	else if (e)
		e->left++;
}

void
tally_ended(struct tally *t, uint64_t hash)
{
	struct event *e = find_known(t, hash);

	if (e)
		e->ended++;
}

uint64_t
tally_grown(const struct tally *t)
{
	uint64_t kib = 0;

	for (size_t i = 0; i < t->n_event; i++)
		if (t->event[i].event == SHM_GROW)
			kib = tally_plus(kib, t->event[i].stack.ticks);
	return kib;
}

void
tally_event_release(struct tally *t)
{
	free(t->event);
	hashtab_release(&t->events);
	free(t->event_frames.frame);
	free(t->raw);
	hashtab_release(&t->raws);
}

/* Profiles. */

static const struct {
	enum shm_event event;
	const char *type[4][2];
	const char *default_type;
} kinds[] = {
	[TALLY_HEAP] = { SHM_ALLOC,
			 { { "alloc_objects", "count" },
			   { "alloc_space", "bytes" },
			   { "inuse_objects", "count" },
			   { "inuse_space", "bytes" } },
			 "inuse_space" },
	[TALLY_GROWTH] = { SHM_GROW,
			   { { "objects", "count" }, { "space", "bytes" } },
			   "space" },
	[TALLY_LOCK] = { SHM_WAIT,
			 { { "contentions", "count" },
			   { "delay", "nanoseconds" } },
			 "delay" },
};

/*
 * Round a real number to an integer and carry the rest to the next one, so that
 * sums are right. pprof truncates each: an allocation as large as the period,
 * which counts 1.58, becomes 1.
 */
static int64_t
whole(double x, double *rest)
{
	double rounded = floor(x + *rest + 0.5);

	*rest += x - rounded;
	if (rounded <= -0x1p62)
		return -INT64_MAX;
	return rounded < 0x1p62 ? (int64_t)rounded : INT64_MAX;
}

/* The number of allocations that one sample of this size represents. */
static double
scale(const struct build *b, uint64_t size)
{
	double period = (double)b->info->set->heap_period;

	return period <= 1 || !size ? 1 : -1 / expm1(-(double)size / period);
}

/* The counts of event i, or their change since the mark. Only memory in use can
 * decrease. */
static void
counts_of(const struct build *b, size_t i, struct event_mark *count)
{
	const struct event *e = &b->t->event[i];
	const struct tally_mark *since = b->info->since;
	struct event_mark before = { 0 };

	if (since && i < since->n_event)
		before = since->event[i];
	if (b->info->with_ended) {
		count->live = e->live + e->left;
		before.live += before.left;
	} else {
		count->live = e->live;
	}
	count->live -= before.live;
	count->ticks = e->stack.ticks - before.ticks;
	count->delay = e->delay - before.delay;
}

/* The values of event i in the profile; rest is carried along. */
static void
values_of(const struct build *b, size_t i, double rest[4], int64_t value[4])
{
	uint64_t number = b->t->event[i].number;
	double size = (double)number, ticks, live, k;
	struct event_mark count;

	counts_of(b, i, &count);
	ticks = (double)count.ticks;
	live = (double)(int64_t)count.live;
	switch (b->info->kind) {
	case TALLY_HEAP:
		k = scale(b, number);
		value[0] = whole(k * ticks, &rest[0]);
		value[1] = whole(k * ticks * size, &rest[1]);
		value[2] = whole(k * live, &rest[2]);
		value[3] = whole(k * live * size, &rest[3]);
		break;
	case TALLY_GROWTH:
		value[1] = tally_times(count.ticks, 1024);
		value[0] = whole((double)value[1] / fmax(size, 1), &rest[0]);
		break;
	default:
		value[0] = (int64_t)count.ticks;
		value[1] = tally_times(count.delay, 1000);
		break;
	}
}

/* The label that distinguishes e from others with its stack. */
static bool
label_of(const struct build *b, const struct event *e, struct label *label)
{
	static const char *const lock[SHM_N_LOCK] = {
		[SHM_LOCK_MUTEX] = "mutex",
		[SHM_LOCK_RWLOCK] = "rwlock",
		[SHM_LOCK_CONDITION] = "condition",
		[SHM_LOCK_SEMAPHORE] = "semaphore",
	};
	bool is_lock = b->info->kind == TALLY_LOCK;

	*label = (struct label){ .key = profile_intern(
					 b->p, is_lock ? "lock" : "bytes") };
	if (!is_lock)
		label->num = (int64_t)e->number;
	else if (e->number < SHM_N_LOCK)
		label->str = profile_intern(b->p, lock[e->number]);
	return label->key != STRTAB_NONE && label->str != STRTAB_NONE;
}

static bool
is_wanted(const struct build *b, size_t i)
{
	const struct event *e = &b->t->event[i];
	struct event_mark count;

	if (e->event != kinds[b->info->kind].event ||
	    !build_is_of(b, e->stack.process))
		return false;
	counts_of(b, i, &count);
	return count.ticks || count.live || count.delay;
}

/* The process of all events, if there is one; *many if there are several. */
static uint32_t
only_process(const struct build *b, bool *many)
{
	uint32_t process = PROF_NONE;
	bool is_any = false;

	*many = false;
	for (size_t i = 0; i < b->t->n_event && !*many; i++) {
		const struct event *e = &b->t->event[i];

		if (!is_wanted(b, i))
			continue;
		*many = is_any && e->stack.process != process;
		process = e->stack.process;
		is_any = true;
	}
	return *many ? PROF_NONE : process;
}

static bool
add_program(struct build *b)
{
	const struct tally *t = b->t;
	uint64_t *weight = calloc(t->n_module + 1, sizeof(*weight));
	bool done;

	if (!weight)
		return false;
	for (size_t i = 0; i < t->n_event; i++) {
		const struct event *e = &t->event[i];
		uint32_t process = e->stack.process;

		if (is_wanted(b, i) && process != PROF_NONE &&
		    t->process[process].program != PROF_NONE)
			weight[t->process[process].program] += e->stack.ticks;
	}
	done = build_program(b, weight);
	free(weight);
	return done;
}

static bool
add_samples(struct build *b)
{
	const struct tally *t = b->t;
	double rest[4] = { 0 };
	bool of_process;
	uint32_t process = only_process(b, &of_process);

	for (size_t i = 0; i < t->n_event; i++) {
		const struct event *e = &t->event[i];
		int64_t value[4];
		struct label label;

		if (!is_wanted(b, i))
			continue;
		values_of(b, i, rest, value);
		if (!label_of(b, e, &label) ||
		    !build_sample(b, &t->event_frames, &e->stack, of_process,
				  value, &label))
			return false;
	}
	return build_pid(b, process);
}

static bool
add_types(struct build *b)
{
	enum tally_kind kind = b->info->kind;
	struct profile *p = b->p;

	for (size_t i = 0; i < 4 && kinds[kind].type[i][0]; i++)
		if (profile_add_type(p, kinds[kind].type[i][0],
				     kinds[kind].type[i][1]) == PROF_NONE)
			return false;
	p->default_type = profile_intern(p, kinds[kind].default_type);
	if (kind == TALLY_LOCK) {
		/* As in other profilers, which count one wait of many. */
		p->period_type = p->type[0];
		p->period = 1;
	} else {
		p->period_type.type = profile_intern(p, "space");
		p->period_type.unit = profile_intern(p, "bytes");
		p->period = (int64_t)b->info->set->heap_period;
	}
	return p->default_type != STRTAB_NONE &&
	       p->period_type.type != STRTAB_NONE &&
	       p->period_type.unit != STRTAB_NONE && legacy_set_filters(p) == 0;
}

bool
build_events(struct build *b)
{
	return add_types(b) && add_program(b) && add_samples(b) &&
	       build_comment(b);
}
