/*
 * tally-space.c - address spaces, their modules, and their processes. Addresses
 * are resolved to a module and an offset when they arrive, so an address space
 * is kept only while the sampler may still use it.
 *
 * The same object at another address, in another process or loaded again, is
 * not another mapping: its addresses are moved to where it was first seen. A
 * thousand runs of one command under a shell then share their stacks.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "lib/base/buildid.h"
#include "lib/base/search.h"
#include "tally-int.h"

enum {
	N_SWEEP = 1 << 20,    /* new spaces and ranges, of 24 bytes each */
	MAX_RANGE = 1 << 16,  /* ranges in a space: the kernel allows no more */
	MAX_COPIED = 1 << 22, /* ranges copied from base spaces */
};

static void
free_ranges(struct tally *t, struct space *s)
{
	t->n_range -= s->n_range;
	free(s->range);
}

static size_t
place_space(const struct tally *t, uint32_t id)
{
	return search_from(t->space, t->n_space, sizeof(*t->space),
			   offsetof(struct space, id), id);
}

static size_t
place_range(const struct space *s, uint64_t start)
{
	return search_from(s->range, s->n_range, sizeof(*s->range),
			   offsetof(struct range, start), start);
}

struct space *
tally_find_space(const struct tally *t, uint32_t id)
{
	size_t i = place_space(t, id);

	if (i == t->n_space || t->space[i].id != id)
		return NULL;
	t->space[i].is_used = true;
	return &t->space[i];
}

static bool
same_process(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct process *a = &t->process[i], *b = key;

	return a->pid == b->pid && a->name == b->name;
}

static uint32_t
add_process(struct tally *t, int32_t pid, const char *name)
{
	struct process process = { pid, tally_intern(t, name), PROF_NONE };
	uint32_t i;

	if (process.name == STRTAB_NONE ||
	    !tally_reserve(t, &t->process, &t->room_process, t->n_process, 1,
			   sizeof(*t->process)))
		return PROF_NONE;
	i = tally_add(t, &t->processes,
		      hash_mix(t->key, (uint32_t)pid, process.name),
		      same_process, &process, t->n_process);
	if (i == t->n_process)
		t->process[t->n_process++] = process;
	return i;
}

/*
 * Forget spaces that nothing has named since the last sweep, if their process
 * has ended, or has used later ones. That alone would say too little: a forked
 * child names the space of its parent at its first tick, when the parent may
 * have ended long ago; and a process in a pid namespace has another number.
 */
static void
sweep(struct tally *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_space; i++) {
		struct space *s = &t->space[i];

		if (!s->is_used &&
		    (s->next || (kill(t->process[s->process].pid, 0) != 0 &&
				 errno == ESRCH))) {
			free_ranges(t, s);
		} else {
			s->is_used = false;
			t->space[kept++] = *s;
		}
	}
	t->n_space = kept;
	t->n_swept = kept + t->n_range;
}

bool
tally_space(struct tally *t, const struct shm_space *s, size_t n)
{
	struct space space = { .id = s->space, .is_used = true };
	struct space *base;
	bool fits;
	size_t i;

	if (n <= offsetof(struct shm_space, name) || !s->space ||
	    tally_find_space(t, s->space) ||
	    !memchr(s->name, '\0', n - offsetof(struct shm_space, name)))
		return true;
	space.process = add_process(t, s->pid, s->name);
	if (space.process == PROF_NONE)
		return true;
	/* Named before the sweep, so that it stays. */
	tally_find_space(t, s->base);
	if (t->n_space + t->n_range >= t->n_swept + N_SWEEP)
		sweep(t);
	if (!tally_reserve(t, &t->space, &t->room_space, t->n_space, 1,
			   sizeof(*t->space)))
		return true;
	base = tally_find_space(t, s->base);
	fits = base && t->n_range + base->n_range <= MAX_COPIED;
	if (fits && base->n_range) {
		space.range = calloc(base->n_range, sizeof(*space.range));
		if (!space.range) {
			t->failed = true;
			return true;
		}
		memcpy(space.range, base->range,
		       base->n_range * sizeof(*space.range));
		space.n_range = base->n_range;
		t->n_range += space.n_range;
	}
	if (base && t->process[space.process].program == PROF_NONE)
		t->process[space.process].program =
			t->process[base->process].program;
	if (base && base->process == space.process)
		base->next = space.id;
	i = place_space(t, space.id);
	memmove(t->space + i + 1, t->space + i,
		(t->n_space++ - i) * sizeof(space));
	t->space[i] = space;
	tally_early(t, space.process, s->early_ns);
	return fits || !s->base;
}

static bool
same_module(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct module *a = &t->module[i], *b = key;

	return a->file == b->file && a->build_id == b->build_id &&
	       a->offset == b->offset && a->size == b->size;
}

static void
add_range(struct tally *t, struct space *s, const struct range *r)
{
	size_t i = place_range(s, r->start);
	struct range *more;

	if (i == s->n_range || s->range[i].start != r->start) {
		if (s->n_range == MAX_RANGE)
			return;
		more = reallocarray(s->range, s->n_range + 1, sizeof(*more));
		if (!more) {
			t->failed = true;
			return;
		}
		s->range = more;
		memmove(more + i + 1, more + i,
			(s->n_range - i) * sizeof(*more));
		s->n_range++;
		t->n_range++;
	}
	s->range[i] = *r;
}

void
tally_add_module(struct tally *t, struct space *s, const struct module *m)
{
	struct range range = { m->start, m->start + m->size, PROF_NONE };
	uint64_t hash;

	if (!tally_reserve(t, &t->module, &t->room_module, t->n_module, 1,
			   sizeof(*m)))
		return;
	hash = hash_mix(t->key, hash_mix(t->key, m->file, m->build_id),
			m->offset);
	range.module =
		tally_add(t, &t->modules, hash, same_module, m, t->n_module);
	if (range.module == PROF_NONE)
		return;
	if (range.module == t->n_module) {
		t->module[t->n_module] = *m;
		/* The kernel samples libsample's start, also in processes in
		 * which it never tells what is loaded. */
		t->module[t->n_module].is_self |=
			t->launch &&
			launch_is_own(t->launch, t->strings.str[m->file].s);
		tally_hold_file(t, s, &t->module[t->n_module++]);
	}
	/* The kernel's sampler may have met it first, and does not know. */
	t->module[range.module].hide |= m->hide;
	/* The program is first in the loader's list. */
	if (t->process[s->process].program == PROF_NONE)
		t->process[s->process].program = range.module;
	add_range(t, s, &range);
}

void
tally_module(struct tally *t, const struct shm_module *m, size_t n)
{
	struct space *s = tally_find_space(t, m->space);
	char id[2 * sizeof(m->build_id) + 1];
	struct module module = { 0 };

	if (!s || n <= offsetof(struct shm_module, path) ||
	    !memchr(m->path, '\0', n - offsetof(struct shm_module, path)) ||
	    m->limit <= m->start || m->n_build_id > sizeof(m->build_id))
		return;
	build_id_hex(m->build_id, m->n_build_id, id);
	module.file = tally_intern(t, m->path);
	module.build_id = tally_intern(t, id);
	module.offset = m->offset;
	module.start = m->start;
	module.size = m->limit - m->start;
	module.is_self = m->is_self;
	module.hide = m->hide;
	if (module.file != STRTAB_NONE && module.build_id != STRTAB_NONE)
		tally_add_module(t, s, &module);
}

void
tally_gone(struct tally *t, const struct shm_gone *g, size_t n)
{
	struct space *s = n < sizeof(*g) ? NULL : tally_find_space(t, g->space);
	size_t i = s ? place_range(s, g->start) : 0;

	if (!s || i == s->n_range || s->range[i].start != g->start)
		return;
	s->n_range--;
	t->n_range--;
	memmove(s->range + i, s->range + i + 1,
		(s->n_range - i) * sizeof(*s->range));
}

uint32_t
tally_module_at(const struct tally *t, const struct space *s, uint64_t *address)
{
	size_t i = place_range(s, *address + 1);
	const struct range *r;

	if (i == 0)
		return PROF_NONE;
	r = &s->range[i - 1];
	if (*address >= r->limit)
		return PROF_NONE;
	*address += t->module[r->module].start - r->start;
	return r->module;
}
