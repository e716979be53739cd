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
#include "lib/sampling.h"
#include "set.h"
#include "tally.h"

enum {
	N_SPACE_SWEEP = 1024,
	MAX_LABELS = 32, /* of one sample */
};

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
	uint32_t name;    /* string of the profile */
	uint32_t program; /* module; PROF_NONE: not known yet */
};

/* A set of labels: n in tally.label from at on. */
struct labels {
	size_t at;
	size_t n;
};

struct stack {
	uint32_t process;
	uint32_t labels; /* and 1; 0: none */
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
	struct label *label;
	size_t n_label, room_label;
	struct labels *labels;
	size_t n_labels, room_labels;
	struct set label_sets;
	uint32_t *labels_of; /* from the sampler's number: index and 1 */
	size_t n_number, room_number;
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
	free(t->label);
	free(t->labels);
	free(t->labels_of);
	set_release(&t->label_sets);
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
	t->process[t->n_process] = (struct process){ pid, s, PROF_NONE };
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
	if (base && t->process[space.process].program == PROF_NONE)
		t->process[space.process].program =
			t->process[base->process].program;
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
	/* The loader's list begins with the program. */
	if (t->process[s->process].program == PROF_NONE)
		t->process[s->process].program = range.module;
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

/* Labels. */

static bool
same_labels(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct labels *a = &t->labels[i], *b = key;

	return a->n == b->n && memcmp(t->label + a->at, t->label + b->at,
				      a->n * sizeof *t->label) == 0;
}

/* Read key NUL value NUL into the pool; false when there is no more. */
static bool
read_label(struct tally *t, const char **text, const char *end)
{
	const char *value = memchr(*text, '\0', (size_t)(end - *text));
	struct label label = { 0 };

	if (!value || ++value >= end ||
	    !memchr(value, '\0', (size_t)(end - value)) ||
	    !reserve(t, &t->label, &t->room_label, t->n_label, 1, sizeof label))
		return false;
	label.key = profile_intern(t->p, *text);
	label.str = profile_intern(t->p, value);
	if (label.key == STRTAB_NONE || label.str == STRTAB_NONE) {
		t->failed = true;
		return false;
	}
	t->label[t->n_label++] = label;
	*text = value + strlen(value) + 1;
	return true;
}

void
tally_label(struct tally *t, const struct shm_label *l, size_t n)
{
	struct labels set = { .at = t->n_label };
	const char *text = l->text, *end = (const char *)l + n;
	uint32_t i;
	uint64_t hash = 0;

	if (n <= offsetof(struct shm_label, text) || l->label > 0xffffff ||
	    !reserve(t, &t->labels, &t->room_labels, t->n_labels, 1,
		     sizeof set) ||
	    !reserve(t, &t->labels_of, &t->room_number, t->n_number,
		     l->label >= t->n_number ? l->label + 1 - t->n_number : 0,
		     sizeof *t->labels_of))
		return;
	while (t->n_number <= l->label)
		t->labels_of[t->n_number++] = 0;
	while (text < end && read_label(t, &text, end)) {
		hash = mix(mix(hash, t->label[set.at + set.n].key),
			   t->label[set.at + set.n].str);
		set.n++;
	}
	i = add_to(t, &t->label_sets, hash, same_labels, &set, t->n_labels);
	if (i == t->n_labels)
		t->labels[t->n_labels++] = set;
	else
		t->n_label = set.at;
	t->labels_of[l->label] = i == SET_NONE ? 0 : i + 1;
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

	return a->process == b->process && a->labels == b->labels &&
	       a->n == b->n &&
	       memcmp(t->frame + a->at, t->frame + b->at,
		      a->n * sizeof *t->frame) == 0;
}

void
tally_stack(struct tally *t, uint64_t key, const uint64_t *pc, uint64_t ticks)
{
	struct space *s = find_space(t, SHM_KEY_SPACE(key));
	uint32_t depth = SHM_KEY_DEPTH(key), number = SHM_KEY_LABEL(key), i;
	struct stack stack = { .at = t->n_frame, .ticks = ticks };
	uint64_t hash;

	if (!reserve(t, &t->frame, &t->room_frame, t->n_frame, depth,
		     sizeof *t->frame) ||
	    !reserve(t, &t->stack, &t->room_stack, t->n_stack, 1, sizeof stack))
		return;
	stack.process = s ? s->process : PROF_NONE;
	if (number < t->n_number)
		stack.labels = t->labels_of[number];
	hash = mix(stack.labels, stack.process);
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
	struct sampling s = {
		.clock = shm->clock == SHM_CLOCK_WALL ? "wall" : "cpu",
		.asked_hz = 1e9 / (double)shm->period_ns,
		.ticks = atomic_load(&shm->n_tick),
		.signals = atomic_load(&shm->n_signal),
		.lost = atomic_load(&shm->n_lost),
		.truncated = atomic_load(&shm->n_truncated),
		.unwind_failed = atomic_load(&shm->n_failed),
		.untimed = atomic_load(&shm->n_untimed),
	};

	if (s.ticks)
		s.achieved_hz = s.asked_hz * (double)s.signals / (double)s.ticks;
	return sampling_add(t->p, &s) == 0;
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

/* The labels of a stack into label, which has room for MAX_LABELS. */
static size_t
labels_of(const struct tally *t, const struct stack *s, bool of_process,
	  const uint32_t key[2], struct label *label)
{
	size_t n = 0;

	if (of_process && s->process != PROF_NONE) {
		label[n++] = (struct label){
			.key = key[0],
			.str = t->process[s->process].name,
		};
		label[n++] = (struct label){
			.key = key[1],
			.num = t->process[s->process].pid,
		};
	}
	if (s->labels) {
		const struct labels *set = &t->labels[s->labels - 1];

		for (size_t i = 0; i < set->n && n < MAX_LABELS; i++)
			label[n++] = t->label[set->at + i];
	}
	return n;
}

static bool
add_samples(struct tally *t, uint64_t period)
{
	bool of_process = many_processes(t);
	uint32_t key[2] = { profile_intern(t->p, "process"),
			    profile_intern(t->p, "pid") };
	struct label label[MAX_LABELS];

	if (key[0] == STRTAB_NONE || key[1] == STRTAB_NONE)
		return false;
	for (size_t i = 0; i < t->n_stack; i++) {
		const struct stack *s = &t->stack[i];
		int64_t value[2] = { (int64_t)s->ticks,
				     (int64_t)(s->ticks * period) };

		if (profile_add_sample(t->p, t->frame + s->at, s->n, value,
				       label,
				       labels_of(t, s, of_process, key,
						 label)) == PROF_NONE)
			return false;
	}
	return true;
}

/*
 * The program that is the profile's: of those that its processes ran, the one
 * with the most ticks, so that it is not the shell that started it. PROF_NONE
 * without memory or modules.
 */
static uint32_t
main_program(struct tally *t)
{
	uint64_t *ticks = calloc(t->n_module + 1, sizeof *ticks);
	uint32_t best = PROF_NONE;

	if (!ticks) {
		t->failed = true;
		return PROF_NONE;
	}
	for (size_t i = 0; i < t->n_stack; i++) {
		uint32_t process = t->stack[i].process;

		if (process != PROF_NONE &&
		    t->process[process].program != PROF_NONE)
			ticks[t->process[process].program] += t->stack[i].ticks;
	}
	/* Without ticks, the first that ran. */
	for (size_t i = 0; i < t->n_process; i++) {
		uint32_t m = t->process[i].program;

		if (m != PROF_NONE &&
		    (best == PROF_NONE || ticks[m] > ticks[best]))
			best = m;
	}
	free(ticks);
	return best;
}

/*
 * Readers take the first mapping for the program. The order is that of first
 * use until now. Nothing may be added after this: the sets hold old numbers.
 */
static bool
program_first(struct tally *t)
{
	uint32_t program = main_program(t), old;
	struct profile *p = t->p;
	struct mapping m;

	if (program == PROF_NONE)
		return !t->failed;
	old = mapping_of(t, &t->module[program]);
	if (old == PROF_NONE)
		return false;
	m = p->mapping[old];
	memmove(p->mapping + 1, p->mapping, old * sizeof m);
	p->mapping[0] = m;
	for (size_t i = 0; i < p->n_mapping; i++)
		p->mapping[i].id = i + 1;
	for (size_t i = 0; i < p->n_location; i++) {
		uint32_t *of = &p->location[i].mapping;

		if (*of == old)
			*of = 0;
		else if (*of < old)
			++*of;
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
	    !program_first(t) || !add_samples(t, info->shm->period_ns) ||
	    !add_comment(t, info))
		return NULL;
	p->period_type = p->type[1];
	p->period = (int64_t)info->shm->period_ns;
	p->time_ns = info->time_ns;
	p->duration_ns = info->duration_ns;
	t->p = NULL;
	return p;
}
