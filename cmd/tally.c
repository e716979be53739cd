/*
 * tally.c - stacks of several address spaces into one profile. Addresses are
 * resolved to a module and a place in it when they arrive, so an address space
 * need only be remembered while the sampler may still use it.
 *
 * The same object at another address, in another process or loaded again, is
 * not another mapping: its addresses are moved to where it was seen first. A
 * thousand runs of one command under a shell then share their stacks.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/profile.h"
#include "set.h"
#include "tally.h"

enum { N_SPACE_SWEEP = 1024 };

struct module {
	uint32_t file; /* strings of the profile */
	uint32_t build_id;
	uint64_t offset;
	uint64_t start; /* where it was seen first */
	uint64_t size;
	bool is_self;     /* libsample */
	uint32_t mapping; /* of the profile; PROF_NONE until it is used */
};

struct range {
	uint64_t start;
	uint64_t limit;
	uint32_t module;
};

struct space {
	uint32_t id;
	uint32_t process;
	uint32_t next; /* space of the same process that replaced it, or 0 */
	struct range *range; /* sorted by start */
	size_t n_range;
};

struct process {
	int32_t pid;
	uint32_t name; /* string of the profile */
};

struct stack {
	uint32_t process;
	uint32_t n;
	size_t at; /* in tally.frame */
	uint64_t ticks;
};

struct tally {
	struct profile *p;
	bool failed; /* for want of memory */

	struct module *module;
	size_t n_module, room_module;
	struct set modules;
	struct space *space; /* sorted by id */
	size_t n_space, room_space, n_swept;
	struct process *process;
	size_t n_process, room_process;
	struct set locations; /* of the profile */
	uint32_t *frame;
	size_t n_frame, room_frame;
	struct stack *stack;
	size_t n_stack, room_stack;
	struct set stacks;
};

struct tally *
tally_new(void)
{
	struct tally *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->p = profile_new();
	if (!t->p) {
		free(t);
		return NULL;
	}
	return t;
}

void
tally_free(struct tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_space; i++)
		free(t->space[i].range);
	profile_free(t->p);
	free(t->module);
	set_release(&t->modules);
	free(t->space);
	free(t->process);
	set_release(&t->locations);
	free(t->frame);
	free(t->stack);
	set_release(&t->stacks);
	free(t);
}

/*
 * Room for n more of size bytes in the array whose address array is; false,
 * and failed, without.
 */
static bool
reserve(struct tally *t, void *array, size_t *room, size_t used, size_t n,
	size_t size)
{
	size_t more = *room ? *room : 64;
	void *p;

	if (n <= *room - used)
		return true;
	while (more - used < n)
		more *= 2;
	memcpy(&p, array, sizeof p);
	p = reallocarray(p, more, size);
	if (!p) {
		t->failed = true;
		return false;
	}
	memcpy(array, &p, sizeof p);
	*room = more;
	return true;
}

static uint64_t
mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 32;
}

/* set_add(), with want of memory remembered. */
static uint32_t
add_to(struct tally *t, struct set *s, uint64_t hash, set_same_fn *same,
       const void *key, size_t next)
{
	uint32_t i = set_add(s, hash, same, t, key, next);

	if (i == SET_NONE)
		t->failed = true;
	return i;
}

/* Spaces. */

/* Where the space with this id is or belongs; they are sorted. */
static size_t
place_space(const struct tally *t, uint32_t id)
{
	size_t lo = 0, hi = t->n_space;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->space[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct space *
find_space(struct tally *t, uint32_t id)
{
	size_t i = place_space(t, id);

	return i < t->n_space && t->space[i].id == id ? &t->space[i] : NULL;
}

static uint32_t
add_process(struct tally *t, int32_t pid, const char *name)
{
	uint32_t s = profile_intern(t->p, name);

	for (size_t i = t->n_process; i-- > 0;)
		if (t->process[i].pid == pid && t->process[i].name == s)
			return (uint32_t)i;
	if (s == STRTAB_NONE || !reserve(t, &t->process, &t->room_process,
					 t->n_process, 1, sizeof *t->process)) {
		t->failed = true;
		return PROF_NONE;
	}
	t->process[t->n_process] = (struct process){ pid, s };
	return (uint32_t)t->n_process++;
}

/*
 * Forget spaces that no tick can come from any more: their process is gone, or
 * has moved on to others long ago.
 */
static void
sweep(struct tally *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_space; i++) {
		struct space *s = &t->space[i];
		bool old = i + N_SPACE_SWEEP / 2 < t->n_space;

		if (old &&
		    (s->next || (kill(t->process[s->process].pid, 0) != 0 &&
				 errno == ESRCH)))
			free(s->range);
		else
			t->space[kept++] = *s;
	}
	t->n_space = t->n_swept = kept;
}

void
tally_space(struct tally *t, const struct shm_space *s, size_t n)
{
	struct space space = { .id = s->space };
	struct space *base;
	size_t i;

	if (n <= offsetof(struct shm_space, name) || !s->space ||
	    find_space(t, s->space) ||
	    !memchr(s->name, '\0', n - offsetof(struct shm_space, name)))
		return;
	space.process = add_process(t, s->pid, s->name);
	if (space.process == PROF_NONE)
		return;
	if (t->n_space - t->n_swept >= N_SPACE_SWEEP)
		sweep(t);
	if (!reserve(t, &t->space, &t->room_space, t->n_space, 1,
		     sizeof *t->space))
		return;
	base = find_space(t, s->base);
	if (base && base->n_range) {
		space.range = calloc(base->n_range, sizeof *space.range);
		if (!space.range) {
			t->failed = true;
			return;
		}
		memcpy(space.range, base->range,
		       base->n_range * sizeof *space.range);
		space.n_range = base->n_range;
	}
	if (base && base->process == space.process)
		base->next = space.id;
	i = place_space(t, space.id);
	memmove(t->space + i + 1, t->space + i,
		(t->n_space++ - i) * sizeof space);
	t->space[i] = space;
}

static bool
same_module(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct module *a = &t->module[i], *b = key;

	return a->file == b->file && a->build_id == b->build_id &&
	       a->offset == b->offset && a->size == b->size;
}

/* Where start is or belongs among the ranges of s. */
static size_t
place(const struct space *s, uint64_t start)
{
	size_t lo = 0, hi = s->n_range;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->range[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void
add_range(struct tally *t, struct space *s, const struct range *r)
{
	size_t i = place(s, r->start);
	struct range *more;

	if (i == s->n_range || s->range[i].start != r->start) {
		more = reallocarray(s->range, s->n_range + 1, sizeof *more);
		if (!more) {
			t->failed = true;
			return;
		}
		s->range = more;
		memmove(more + i + 1, more + i,
			(s->n_range - i) * sizeof *more);
		s->n_range++;
	}
	s->range[i] = *r;
}

void
tally_module(struct tally *t, const struct shm_module *m, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	struct space *s = find_space(t, m->space);
	char id[2 * sizeof m->build_id + 1];
	struct module module = { 0 };
	struct range range;
	uint64_t hash;

	if (!s || n <= offsetof(struct shm_module, path) ||
	    !memchr(m->path, '\0', n - offsetof(struct shm_module, path)) ||
	    m->limit <= m->start || m->n_build_id > sizeof m->build_id)
		return;
	for (uint32_t i = 0; i < m->n_build_id; i++) {
		id[2 * i] = digit[m->build_id[i] >> 4];
		id[2 * i + 1] = digit[m->build_id[i] & 15];
	}
	id[2 * m->n_build_id] = '\0';
	module.file = profile_intern(t->p, m->path);
	module.build_id = profile_intern(t->p, id);
	module.offset = m->offset;
	module.start = m->start;
	module.size = m->limit - m->start;
	module.is_self = m->is_self;
	module.mapping = PROF_NONE;
	if (module.file == STRTAB_NONE || module.build_id == STRTAB_NONE) {
		t->failed = true;
		return;
	}
	if (!reserve(t, &t->module, &t->room_module, t->n_module, 1,
		     sizeof module))
		return;
	hash = mix(mix(module.file, module.build_id), module.offset);
	range.start = m->start;
	range.limit = m->limit;
	range.module =
		add_to(t, &t->modules, hash, same_module, &module, t->n_module);
	if (range.module == PROF_NONE)
		return;
	if (range.module == t->n_module)
		t->module[t->n_module++] = module;
	add_range(t, s, &range);
}

void
tally_gone(struct tally *t, const struct shm_gone *g, size_t n)
{
	struct space *s = n < sizeof *g ? NULL : find_space(t, g->space);
	size_t i = s ? place(s, g->start) : 0;

	if (!s || i == s->n_range || s->range[i].start != g->start)
		return;
	s->n_range--;
	memmove(s->range + i, s->range + i + 1,
		(s->n_range - i) * sizeof *s->range);
}

/* Stacks. */

static uint32_t
mapping_of(struct tally *t, struct module *m)
{
	if (m->mapping == PROF_NONE) {
		struct mapping mapping = {
			.start = m->start,
			.limit = m->start + m->size,
			.offset = m->offset,
			.file = m->file,
			.build_id = m->build_id,
		};

		m->mapping = profile_add_mapping(t->p, &mapping);
		if (m->mapping == PROF_NONE)
			t->failed = true;
	}
	return m->mapping;
}

static bool
same_location(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct location *a = &t->p->location[i], *b = key;

	return a->address == b->address && a->mapping == b->mapping;
}

static uint32_t
location_of(struct tally *t, uint64_t address, struct module *m)
{
	struct location l = { .address = address, .mapping = PROF_NONE };
	uint32_t i;

	if (m)
		l.mapping = mapping_of(t, m);
	i = add_to(t, &t->locations, mix(mix(0, address), l.mapping),
		   same_location, &l, t->p->n_location);
	if (i == t->p->n_location &&
	    profile_add_location(t->p, &l, NULL, 0) == PROF_NONE) {
		t->failed = true;
		return PROF_NONE;
	}
	return i;
}

static struct module *
module_at(struct tally *t, const struct space *s, uint64_t *address)
{
	size_t i = place(s, *address + 1);
	struct module *m;

	if (i == 0 || *address >= s->range[i - 1].limit)
		return NULL;
	m = &t->module[s->range[i - 1].module];
	*address += m->start - s->range[i - 1].start;
	return m;
}

static bool
same_stack(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct stack *a = &t->stack[i], *b = key;

	return a->process == b->process && a->n == b->n &&
	       memcmp(t->frame + a->at, t->frame + b->at,
		      a->n * sizeof *t->frame) == 0;
}

void
tally_stack(struct tally *t, uint64_t key, const uint64_t *pc, uint64_t ticks)
{
	struct space *s = find_space(t, SHM_KEY_SPACE(key));
	uint32_t depth = SHM_KEY_DEPTH(key), i;
	struct stack stack = { .at = t->n_frame, .ticks = ticks };
	uint64_t hash;

	if (!reserve(t, &t->frame, &t->room_frame, t->n_frame, depth,
		     sizeof *t->frame) ||
	    !reserve(t, &t->stack, &t->room_stack, t->n_stack, 1, sizeof stack))
		return;
	stack.process = s ? s->process : PROF_NONE;
	hash = mix(0, stack.process);
	for (uint32_t k = 0; k < depth; k++) {
		/* Callers: a byte of the call, not what comes after. */
		uint64_t address = pc[k] - (k > 0);
		struct module *m = s ? module_at(t, s, &address) : NULL;
		uint32_t l;

		if (k > 0 && m && m->is_self)
			continue; /* a wrapper that the program never called */
		l = location_of(t, address, m);
		if (l == PROF_NONE)
			return;
		t->frame[stack.at + stack.n++] = l;
		hash = mix(hash, l);
	}
	i = add_to(t, &t->stacks, hash, same_stack, &stack, t->n_stack);
	if (i == PROF_NONE)
		return;
	if (i < t->n_stack) {
		t->stack[i].ticks += ticks;
		return;
	}
	t->stack[t->n_stack++] = stack;
	t->n_frame += stack.n;
}

/* The profile. */

static bool
add_comment(struct tally *t, const struct tally_info *info)
{
	const struct shm *shm = info->shm;
	uint64_t ticks = atomic_load(&shm->n_tick);
	uint64_t signals = atomic_load(&shm->n_signal);
	double asked = 1e9 / (double)shm->period_ns;
	char text[512];

	snprintf(text, sizeof text,
		 "sampling: clock=%s asked_hz=%.6g achieved_hz=%.6g ticks=%llu "
		 "signals=%llu lost=%llu truncated=%llu unwind_failed=%llu "
		 "untimed_threads=%llu",
		 shm->clock == SHM_CLOCK_WALL ? "wall" : "cpu", asked,
		 ticks ? asked * (double)signals / (double)ticks : 0,
		 (unsigned long long)ticks, (unsigned long long)signals,
		 (unsigned long long)atomic_load(&shm->n_lost),
		 (unsigned long long)atomic_load(&shm->n_truncated),
		 (unsigned long long)atomic_load(&shm->n_failed),
		 (unsigned long long)atomic_load(&shm->n_untimed));
	return profile_add_comment(t->p, text) != PROF_NONE;
}

/* Whose samples they are need only be said when it is not obvious. */
static bool
many_processes(const struct tally *t)
{
	for (size_t i = 1; i < t->n_stack; i++)
		if (t->stack[i].process != t->stack[0].process)
			return true;
	return false;
}

static bool
add_samples(struct tally *t, uint64_t period)
{
	bool labelled = many_processes(t);
	struct label label[2] = { 0 };

	label[0].key = profile_intern(t->p, "process");
	label[1].key = profile_intern(t->p, "pid");
	if (label[0].key == STRTAB_NONE || label[1].key == STRTAB_NONE)
		return false;
	for (size_t i = 0; i < t->n_stack; i++) {
		const struct stack *s = &t->stack[i];
		int64_t value[2] = { (int64_t)s->ticks,
				     (int64_t)(s->ticks * period) };
		size_t n_label = 0;

		if (labelled && s->process != PROF_NONE) {
			label[0].str = t->process[s->process].name;
			label[1].num = t->process[s->process].pid;
			n_label = 2;
		}
		if (profile_add_sample(t->p, t->frame + s->at, s->n, value,
				       label, n_label) == PROF_NONE)
			return false;
	}
	return true;
}

struct profile *
tally_profile(struct tally *t, const struct tally_info *info)
{
	struct profile *p = t->p;
	const char *what = info->shm->clock == SHM_CLOCK_WALL ? "wall" : "cpu";

	if (t->failed || profile_add_type(p, "samples", "count") == PROF_NONE ||
	    profile_add_type(p, what, "nanoseconds") == PROF_NONE ||
	    !add_samples(t, info->shm->period_ns) || !add_comment(t, info))
		return NULL;
	p->period_type = p->type[1];
	p->period = (int64_t)info->shm->period_ns;
	p->time_ns = info->time_ns;
	p->duration_ns = info->duration_ns;
	t->p = NULL;
	return p;
}
