/* label.c - see label.h. */
#include "config.h"

#include "label.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by-id.h"
#include "cgroup.h"
#include "lib/base/arena.h"
#include "lib/base/strtab.h"
#include "libsample/shm.h"
#include "record/procfs.h"
#include "record/tally.h"

enum {
	MAX_NAME = 16,   /* TASK_COMM_LEN */
	MAX_TEXT = 1024, /* of all labels of a sample */
	MAX_NUMBER = SHM_MAX_LABEL,
	LAST_ENDED = 1024, /* a power of two */
};

struct thread_name {
	struct by_id by; /* its tid */
	char name[MAX_NAME + 1];
};

/* The control group of a process. */
struct group {
	struct by_id by; /* its pid */
	char path[CGROUP_PATH];
	char container[CGROUP_ID]; /* "": none */
};

struct labeler {
	struct tally *tally;
	unsigned labels;
	struct by_id_table threads; /* of struct thread_name */
	/* The last threads that ended, whose names are kept: the kernel samples
	 * the rest of an exit after it has told of it. */
	int32_t ended[LAST_ENDED];
	size_t n_ended;
	struct by_id_table groups; /* of struct group */
	struct arena *arena;
	struct strtab sets; /* texts as in struct shm_label; their indices are
			       the numbers */
};

struct labeler *
labeler_new(struct tally *t, unsigned labels)
{
	struct labeler *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->tally = t;
	l->labels = labels;
	l->arena = arena_new();
	if (l->arena && strtab_init(&l->sets, l->arena) == 0)
		return l;
	labeler_free(l);
	return NULL;
}

static void
forget_all(struct by_id_table *t)
{
	for (size_t i = 0; i < BY_ID_BUCKETS; i++)
		while (t->bucket[i])
			free(by_id_take(t, t->bucket[i]->id));
}

static void
forget_names(struct labeler *l)
{
	forget_all(&l->threads);
	forget_all(&l->groups);
}

bool
labeler_turn(struct labeler *l, struct tally *t)
{
	struct arena *arena = arena_new();
	struct strtab sets;

	if (!arena || strtab_init(&sets, arena) != 0) {
		arena_free(arena);
		return false;
	}
	arena_free(l->arena);
	l->arena = arena;
	l->sets = sets;
	l->tally = t;
	forget_names(l);
	return true;
}

void
labeler_free(struct labeler *l)
{
	if (!l)
		return;
	forget_names(l);
	arena_free(l->arena);
	free(l);
}

void
labeler_name(struct labeler *l, int32_t tid, const char *name)
{
	struct by_id **at = by_id_place(&l->threads, tid);
	struct thread_name *t = (struct thread_name *)*at;

	if (!(l->labels & PERF_LABEL_THREAD))
		return;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return;
		t->by.id = tid;
		*at = &t->by;
	}
	snprintf(t->name, sizeof(t->name), "%s", name);
}

void
labeler_exit(struct labeler *l, int32_t tid)
{
	int32_t *oldest = &l->ended[l->n_ended++ % LAST_ENDED];

	free(by_id_take(&l->threads, *oldest));
	*oldest = tid;
	/* Other threads of its process read it again. */
	free(by_id_take(&l->groups, tid));
}

/* Managers of containers fork, move the child to its group, and execute the
 * program there. */
void
labeler_exec(struct labeler *l, int32_t pid)
{
	free(by_id_take(&l->groups, pid));
}

/* A thread that ends soon cannot be asked for its name, nor a process for its
 * group, and what /proc says may be newer than the sample. */
void
labeler_fork(struct labeler *l, const struct perf_task *new)
{
	const struct thread_name *creator =
		(struct thread_name *)*by_id_place(&l->threads, new->creator);
	struct group *from, *g;

	if (new->tid == new->creator)
		return; /* of a damaged record */
	free(by_id_take(&l->threads, new->tid));
	if (creator)
		labeler_name(l, new->tid, creator->name);
	if (new->pid == new->parent)
		return;
	from = (struct group *)*by_id_place(&l->groups, new->parent);
	labeler_exec(l, new->pid);
	if (!from)
		return;
	g = malloc(sizeof(*g));
	if (!g)
		return;
	*g = *from;
	g->by = (struct by_id){ .id = new->pid };
	*by_id_place(&l->groups, new->pid) = &g->by;
}

/* NULL: unknown. */
static const struct group *
group_of(struct labeler *l, int32_t pid)
{
	struct by_id **at = by_id_place(&l->groups, pid);
	struct group *g = (struct group *)*at;

	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->by.id = pid;
	*at = &g->by;
	if (!cgroup_read(pid, g->path))
		*g->path = '\0';
	else if (!cgroup_container(g->path, g->container))
		*g->container = '\0';
	return g;
}

/* The name of a thread, read from /proc unless the kernel has reported it. */
static const char *
name_of(struct labeler *l, int32_t pid, int32_t tid)
{
	struct thread_name *known =
		(struct thread_name *)*by_id_place(&l->threads, tid);
	char file[32], name[MAX_NAME + 1];

	if (known)
		return known->name;
	snprintf(file, sizeof(file), "task/%d/comm", tid);
	procfs_line(pid, file, name, sizeof(name));
	labeler_name(l, tid, *name ? name : "unknown");
	known = (struct thread_name *)*by_id_place(&l->threads, tid);
	return known ? known->name : "unknown";
}

/* Append key and value, each with its NUL. Returns the new length. */
static size_t
put_pair(char *text, size_t n, const char *key, const char *value)
{
	if (strlen(key) + strlen(value) + 2 > MAX_TEXT - n)
		return n;
	n += (size_t)sprintf(text + n, "%s", key) + 1;
	n += (size_t)sprintf(text + n, "%s", value) + 1;
	return n;
}

static size_t
put_group(struct labeler *l, int32_t pid, char *text, size_t n)
{
	const struct group *g =
		l->labels & (PERF_LABEL_CGROUP | PERF_LABEL_CONTAINER)
			? group_of(l, pid)
			: NULL;

	if (g && l->labels & PERF_LABEL_CGROUP && *g->path)
		n = put_pair(text, n, "cgroup", g->path);
	if (g && l->labels & PERF_LABEL_CONTAINER && *g->container)
		n = put_pair(text, n, "container", g->container);
	return n;
}

uint32_t
labeler_number(struct labeler *l, int32_t pid, int32_t tid, uint32_t cpu,
	       bool preempted)
{
	union {
		struct shm_label label;
		char bytes[sizeof(struct shm_label) + MAX_TEXT];
	} u = { .label = { 0 } };
	char *text = u.bytes + offsetof(struct shm_label, text), number[16];
	size_t n = 0, n_set = l->sets.n_str;
	uint32_t set;

	if (l->labels & PERF_LABEL_THREAD)
		n = put_pair(text, n, "thread", name_of(l, pid, tid));
	if (l->labels & PERF_LABEL_TID) {
		snprintf(number, sizeof(number), "%d", tid);
		n = put_pair(text, n, "tid", number);
	}
	if (l->labels & PERF_LABEL_CPU) {
		snprintf(number, sizeof(number), "%u", cpu);
		n = put_pair(text, n, "cpu", number);
	}
	n = put_group(l, pid, text, n);
	if (preempted)
		n = put_pair(text, n, "offcpu", "preempted");
	if (n == 0 || n_set > MAX_NUMBER)
		return 0;
	set = strtab_add(&l->sets, text, n);
	if (set == STRTAB_NONE)
		return 0;
	if (set == n_set) { /* a new one */
		u.label.label = set;
		tally_label(l->tally, &u.label,
			    offsetof(struct shm_label, text) + n);
	}
	return set;
}
