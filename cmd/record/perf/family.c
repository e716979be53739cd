/* family.c - see family.h. */
#include "config.h"

#include "family.h"

#include <stdlib.h>

#include "by-id.h"

struct member {
	struct by_id by; /* its pid */
	bool is_loaded, is_joined;
	bool is_idle; /* loaded for long, and not joined */
	unsigned n_thread;
	bool is_ours; /* it runs our code: it has not executed the command */
	uint64_t seen_ns; /* the first family_look(), or 0 */
	uint64_t task_ns; /* when it got events of its own, or 0 */
};

/*
 * Events of a process lack half a period of each of its threads on each
 * processor, those of processors nothing; but these copy stacks of strangers,
 * too. After that time the half periods of many threads are few.
 */
static const uint64_t by_cpu_ns = UINT64_C(10000000000);

/* libsample joins with the first tick of the kernel, a few ms of CPU time. */
static const uint64_t idle_ns = UINT64_C(1000000000);

struct family {
	struct by_id_table members;
	size_t n_open;
	bool was_open, is_inherited;
};

struct family *
family_new(bool is_inherited)
{
	struct family *f = calloc(1, sizeof(*f));

	if (f)
		f->is_inherited = is_inherited;
	return f;
}

static struct member *
member_find(const struct family *f, int32_t pid)
{
	struct by_id *e = f->members.bucket[(uint32_t)pid % BY_ID_BUCKETS];

	while (e && e->id != pid)
		e = e->next;
	return (struct member *)e;
}

static bool
is_open(const struct family *f, const struct member *m)
{
	return !m->is_joined && !m->is_idle && m->n_thread &&
	       !(f->is_inherited && m->task_ns);
}

/* Before and after each change of a member: count. */
static void
change_begin(struct family *f, const struct member *m)
{
	f->n_open -= is_open(f, m);
}

static void
change_end(struct family *f, const struct member *m)
{
	f->n_open += is_open(f, m);
	f->was_open |= is_open(f, m);
}

static void
member_forget(struct family *f, int32_t pid)
{
	struct member *m = by_id_take(&f->members, pid);

	if (m)
		change_begin(f, m);
	free(m);
}

void
family_free(struct family *f)
{
	for (size_t i = 0; f && i < BY_ID_BUCKETS; i++)
		while (f->members.bucket[i])
			member_forget(f, f->members.bucket[i]->id);
	free(f);
}

static void
member_add(struct family *f, int32_t pid, bool is_ours)
{
	struct member *m;

	member_forget(f, pid);
	m = calloc(1, sizeof(*m));
	if (!m)
		return;
	m->by.id = pid;
	m->n_thread = 1;
	m->is_ours = is_ours;
	*by_id_place(&f->members, pid) = &m->by;
	change_end(f, m);
}

void
family_add(struct family *f, int32_t pid)
{
	member_add(f, pid, true);
}

bool
family_is_ours(const struct family *f, int32_t pid)
{
	const struct member *m = member_find(f, pid);

	return m && m->is_ours;
}

void
family_fork(struct family *f, int32_t pid, int32_t parent)
{
	struct member *m = member_find(f, parent);

	if (m && pid == parent) { /* a thread */
		change_begin(f, m);
		m->n_thread++;
		change_end(f, m);
	} else if (m)
		member_add(f, pid, false);
	else
		member_forget(f, pid);
}

void
family_exec(struct family *f, int32_t pid)
{
	struct member *m = member_find(f, pid);

	if (!m)
		return;
	change_begin(f, m);
	*m = (struct member){ .by = m->by, .n_thread = 1 };
	change_end(f, m);
}

void
family_load(struct family *f, int32_t pid)
{
	struct member *m = member_find(f, pid);

	if (m)
		m->is_loaded = true;
}

void
family_join(struct family *f, int32_t pid)
{
	struct member *m = member_find(f, pid);

	if (!m)
		return;
	change_begin(f, m);
	m->is_joined = true;
	change_end(f, m);
}

void
family_exit(struct family *f, int32_t pid)
{
	struct member *m = member_find(f, pid);

	if (!m)
		return;
	change_begin(f, m);
	m->n_thread -= m->n_thread > 0;
	change_end(f, m);
}

void
family_map(struct family *f, int32_t pid)
{
	struct member *m = member_find(f, pid);

	if (!m || m->n_thread)
		return;
	change_begin(f, m);
	m->n_thread = 1;
	change_end(f, m);
}

bool
family_has(const struct family *f, int32_t pid)
{
	return member_find(f, pid);
}

enum family_sampler
family_sampler(const struct family *f, int32_t pid, uint64_t time_ns)
{
	const struct member *m = member_find(f, pid);

	if (m && m->is_joined)
		return FAMILY_JOINED;
	return m && m->task_ns && m->task_ns <= time_ns ? FAMILY_BY_TASK
							: FAMILY_BY_CPU;
}

static void
member_look(struct family *f, struct member *m, uint64_t time_ns,
	    family_tasks *set, void *ctx)
{
	if (m->is_joined && m->task_ns) {
		m->task_ns = 0;
		set(ctx, m->by.id, false);
	}
	if (m->is_loaded && m->seen_ns && time_ns - m->seen_ns > idle_ns) {
		change_begin(f, m);
		m->is_idle = true;
		change_end(f, m);
	}
	if (is_open(f, m) && !m->is_loaded && m->seen_ns && !m->task_ns &&
	    (f->is_inherited || time_ns - m->seen_ns > by_cpu_ns) &&
	    set(ctx, m->by.id, true)) {
		change_begin(f, m);
		m->task_ns = time_ns;
		change_end(f, m);
	}
	if (!m->seen_ns)
		m->seen_ns = time_ns;
}

void
family_look(struct family *f, uint64_t time_ns, family_tasks *set, void *ctx)
{
	for (size_t i = 0; i < BY_ID_BUCKETS; i++)
		for (struct by_id *e = f->members.bucket[i]; e; e = e->next)
			member_look(f, (struct member *)e, time_ns, set, ctx);
}

bool
family_is_open(struct family *f)
{
	bool was_open = f->was_open;

	f->was_open = f->n_open;
	return was_open;
}
