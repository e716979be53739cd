/*
 * space.c - processes, their mappings, and the mapped objects. One object
 * stands for all processes that map the same part of a file: its addresses are
 * those in the process that came first.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"
#include "lib/base/search.h"

#define MAX_KERNEL ((uint64_t)1 << 30) /* size of its image on x86-64 */
#define MAX_SPACE (1u << 18)           /* mappings of one process */

void
perf_space_release(struct perf *r, struct perf_space *s)
{
	if (!s || --s->refs)
		return;
	r->n_vma -= s->n;
	free(s->vma);
	free(s);
}

const struct perf_vma *
perf_find(const struct perf_space *s, uint64_t address)
{
	size_t lo;

	if (!s)
		return NULL;
	lo = search_above(s->vma, s->n, sizeof(*s->vma),
			  offsetof(struct perf_vma, limit), address);
	if (lo == s->n || s->vma[lo].start > address)
		return NULL;
	return &s->vma[lo];
}

const struct perf_vma *
perf_find_kernel(struct perf *r, uint64_t address)
{
	const struct perf_space *s = r->kernel;
	const struct perf_vma *v = perf_find(s, address);
	static const char name[] = "[kernel.kallsyms]";

	for (uint32_t i = 0; !v && i < s->n; i++) {
		struct perf_object *o = &r->object[s->vma[i].object];

		if (address < s->vma[i].limit ||
		    address - s->vma[i].start >= MAX_KERNEL ||
		    strncmp(profile_str(r->p, o->file), name, strlen(name)) !=
			    0)
			continue;
		if (o->reach <= address)
			o->reach = address + 1;
		return &s->vma[i];
	}
	return v;
}

/* A space that no other process shares, to change: s itself or a copy of it. */
static struct perf_space *
own_space(struct perf *r, struct perf_space *s)
{
	struct perf_space *copy;

	if (s && s->refs == 1) {
		s->generation = ++r->generation;
		return s;
	}
	copy = calloc(1, sizeof(*copy));
	if (!copy)
		return NULL;
	copy->refs = 1;
	copy->generation = ++r->generation;
	if (!s)
		return copy;
	if (array_reserve(&copy->vma, &copy->cap, s->n + 1,
			  sizeof(*copy->vma)) < 0) {
		free(copy);
		return NULL;
	}
	copy->n = s->n;
	if (s->n)
		memcpy(copy->vma, s->vma, s->n * sizeof(*copy->vma));
	r->n_vma += copy->n;
	s->refs--;
	return copy;
}

/* Insert v; mappings that it overlaps are cut. */
static enum prof_status
insert_vma(struct perf *r, struct perf_space *s, const struct perf_vma *v)
{
	struct perf_vma left, right;
	uint32_t from = 0, to, hi = s->n, n_new;

	while (from < hi) {
		uint32_t mid = from + (hi - from) / 2;

		if (s->vma[mid].limit <= v->start)
			from = mid + 1;
		else
			hi = mid;
	}
	for (to = from; to < s->n && s->vma[to].start < v->limit; to++)
		;
	if (array_reserve(&s->vma, &s->cap, s->n + 2, sizeof(*s->vma)) < 0)
		return prof_nomem(r->err);
	left = right = (struct perf_vma){ 0 };
	if (from < to) {
		left = s->vma[from];
		right = s->vma[to - 1];
		left.limit = v->start;
		right.start = v->limit;
	}
	n_new = 1 + (left.start < left.limit) + (right.start < right.limit);
	if (s->n - (to - from) + n_new > MAX_SPACE ||
	    r->n_vma + 2 > PERF_MAX_VMA)
		return prof_fail(r->err, PROF_ELIMIT,
				 "too many mappings in one process, or in all");
	memmove(s->vma + from + n_new, s->vma + to,
		(s->n - to) * sizeof(*s->vma));
	r->n_vma = r->n_vma - (to - from) + n_new;
	s->n += n_new - (to - from);
	if (left.start < left.limit)
		s->vma[from++] = left;
	s->vma[from++] = *v;
	if (right.start < right.limit)
		s->vma[from] = right;
	return PROF_OK;
}

/* --- objects --- */

static bool
begins(const struct perf_map *m, const char *with)
{
	size_t n = strlen(with);

	return m->n_name >= n && !memcmp(m->name, with, n);
}

/* Memory that no file is behind, as other tools and the kernel call it. */
static bool
is_anonymous(const struct perf_map *m)
{
	return !m->n_name || begins(m, "//anon") || begins(m, "/anon_huge") ||
	       begins(m, "/dev/zero") || begins(m, "/memfd:") ||
	       begins(m, "[anon") || begins(m, "[heap]") ||
	       begins(m, "[stack") || begins(m, "/SYSV");
}

static bool
has(const struct perf_map *m, const char *part)
{
	return memmem(m->name, m->n_name, part, strlen(part));
}

static bool
ends(const struct perf_map *m, const char *with)
{
	size_t n = strlen(with);

	return m->n_name >= n && !memcmp(m->name + m->n_name - n, with, n);
}

static bool
is_main_like(const struct perf_map *m)
{
	return !m->is_kernel && !is_anonymous(m) && m->name[0] != '[' &&
	       !ends(m, ".so") && !has(m, ".so.") && !ends(m, ".ko");
}

static bool
same_object(const struct perf_object *a, const struct perf_object *b)
{
	return a->file == b->file && a->build_id == b->build_id &&
	       a->offset == b->offset && a->pid == b->pid &&
	       a->limit - a->start == b->limit - b->start &&
	       a->is_kernel == b->is_kernel && a->symbol == b->symbol &&
	       /* Only files have the same bytes wherever they are. */
	       (a->start == b->start || (!a->pid && !a->is_kernel));
}

static uint32_t
object_hash(const struct perf *r, const struct perf_object *o)
{
	const struct hashtab *t = &r->object_table;
	uint64_t h = hashtab_mix(t, 0, (uint64_t)o->file << 32 | o->build_id);

	h = hashtab_mix(t, h, o->offset);
	h = hashtab_mix(t, h, (uint64_t)o->pid << 32 | o->symbol);
	return (uint32_t)hashtab_mix(t, h, o->limit - o->start);
}

static enum prof_status
find_object(struct perf *r, const struct perf_map *m, uint32_t *out)
{
	struct perf_object o = {
		.start = m->start,
		.limit = m->start + m->size,
		.offset = m->offset,
		.build_id = m->build_id,
		.mapping = PROF_NONE,
		.pid = !m->is_kernel && is_anonymous(m) ? m->pid + 1 : 0,
		.is_kernel = m->is_kernel,
		.is_main_like = is_main_like(m),
		.symbol = m->symbol,
	};
	size_t n = m->n_name;
	uint32_t hash, i;
	size_t at;

	if (ends(m, " (deleted)"))
		n -= strlen(" (deleted)");
	o.file = n ? strtab_add(&r->p->strings, m->name, n)
		   : profile_intern(r->p, "//anon");
	if (o.file == STRTAB_NONE)
		return prof_nomem(r->err);
	hash = object_hash(r, &o);
	at = hashtab_start(&r->object_table, hash);
	while ((i = hashtab_next(&r->object_table, hash, &at)) != HASHTAB_NONE)
		if (same_object(&r->object[i], &o)) {
			*out = i;
			return PROF_OK;
		}
	if (array_reserve(&r->object, &r->cap_object, r->n_object + 1,
			  sizeof(*r->object)) < 0 ||
	    hashtab_add(&r->object_table, hash, (uint32_t)r->n_object) < 0)
		return prof_nomem(r->err);
	*out = (uint32_t)r->n_object;
	r->object[r->n_object++] = o;
	return PROF_OK;
}

/* --- processes --- */

struct perf_process *
perf_process(struct perf *r, uint32_t pid)
{
	uint32_t i = idmap_find(&r->by_pid, pid);

	if (i != IDMAP_NONE)
		return &r->process[i];
	if (array_reserve(&r->process, &r->cap_process, r->n_process + 1,
			  sizeof(*r->process)) < 0 ||
	    idmap_add(&r->by_pid, pid, (uint32_t)r->n_process) < 0)
		return NULL;
	r->process[r->n_process] = (struct perf_process){
		.pid = pid,
		.main = PROF_NONE,
	};
	if (!pid) {
		uint32_t comm = profile_intern(r->p, "swapper");

		r->process[r->n_process].comm = comm == STRTAB_NONE ? 0 : comm;
	}
	return &r->process[r->n_process++];
}

static void
drop_space(struct perf *r, struct perf_process *p)
{
	perf_space_release(r, p->space);
	p->space = NULL;
	p->is_stale = false;
}

enum prof_status
perf_map(struct perf *r, const struct perf_map *m)
{
	struct perf_vma v = { m->start, m->start + m->size, 0, 0 };
	struct perf_process *p = NULL;
	struct perf_space *s;
	enum prof_status st;

	if (!m->size)
		return PROF_OK;
	if (v.limit < v.start)
		return perf_damage(r, 0, "a mapping past the end of memory");
	st = find_object(r, m, &v.object);
	if (st != PROF_OK)
		return st;
	v.shift = r->object[v.object].start - m->start;
	if (!m->is_kernel) {
		p = perf_process(r, m->pid);
		if (!p)
			return prof_nomem(r->err);
		if (p->is_stale)
			drop_space(r, p);
		p->has_mapped = true;
		if (p->main == PROF_NONE && r->object[v.object].is_main_like)
			p->main = v.object;
	}
	s = own_space(r, p ? p->space : r->kernel);
	if (!s)
		return prof_nomem(r->err);
	*(p ? &p->space : &r->kernel) = s;
	return insert_vma(r, s, &v);
}

enum prof_status
perf_unmap_kernel(struct perf *r, uint64_t start)
{
	struct perf_space *s = r->kernel;
	const struct perf_vma *v = perf_find(s, start);
	uint32_t i;

	if (!v || v->start != start)
		return PROF_OK;
	i = (uint32_t)(v - s->vma);
	memmove(s->vma + i, s->vma + i + 1, (s->n - i - 1) * sizeof(*s->vma));
	s->n--;
	r->n_vma--;
	s->generation = ++r->generation;
	return PROF_OK;
}

enum prof_status
perf_fork(struct perf *r, uint32_t pid, uint32_t parent, bool copy)
{
	struct perf_process *p = perf_process(r, parent), *child;
	struct perf_space *old;

	child = p ? perf_process(r, pid) : NULL;
	if (!child)
		return prof_nomem(r->err);
	p = perf_process(r, parent); /* the array may have moved */
	old = child->space;
	child->space = NULL;
	child->dead = 0;
	child->is_stale = copy && p->is_stale;
	child->has_mapped = false;
	child->comm = p->comm;
	child->main = PROF_NONE;
	if (copy) {
		child->main = p->main;
		child->space = p->space;
		child->has_mapped = p->has_mapped;
		if (p->space)
			p->space->refs++;
	}
	perf_space_release(r, old);
	return PROF_OK;
}

/*
 * Until the new image maps something, samples are of the call of exec: their
 * user frames are in the old one.
 */
void
perf_exec(struct perf_process *p)
{
	p->is_stale = true;
	p->main = PROF_NONE;
	p->has_mapped = false;
}

/*
 * Samples of a process may come after its end, but not for long: the maps of
 * the last thousand are kept.
 */
void
perf_exit(struct perf *r, uint32_t pid)
{
	const size_t n = sizeof(r->grave) / sizeof(r->grave[0]);
	uint32_t i = idmap_find(&r->by_pid, pid);
	uint32_t slot = r->n_dead % n;

	if (i == IDMAP_NONE || r->process[i].dead)
		return;
	if (r->n_dead >= n) {
		struct perf_process *p = &r->process[r->grave[slot]];

		if (p->dead == r->grave_mark[slot])
			drop_space(r, p);
	}
	r->process[i].dead = ++r->n_dead;
	r->grave[slot] = i;
	r->grave_mark[slot] = r->n_dead;
}
