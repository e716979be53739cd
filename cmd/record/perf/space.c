/*
 * space.c - see space.h. A process is added to the tally with its first sample,
 * as most short-lived ones have none. For the same reason a file is opened for
 * its rows with its first sample; but files mapped before recording began are
 * opened at once, for their build-ids, which the kernel's records have.
 */
#include "config.h"

#include "libsample/shm.h"
#include "space.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by-id.h"
#include "kernel.h"
#include "lib/base/array.h"
#include "lib/base/now.h"
#include "lib/base/search.h"
#include "record/procfs.h"
#include "record/tally.h"

enum {
	MAX_MAPS = 1 << 17, /* lines of a maps file to read */
	MAX_NAME = 16,      /* TASK_COMM_LEN */
	MAX_ID_BYTES = 36,  /* of a build-id, for the tally */
};

struct mapping {
	uint64_t start, limit, offset;
	struct mapped_file *file; /* NULL: code made at run time */
	uint64_t bias;            /* to the addresses of file's rows */
	bool has_bias;            /* it and rows will not change */
	const struct rows *rows;  /* the file's; NULL: none, or no bias */
};

struct process_space {
	struct by_id by; /* its pid */
	struct spaces *all;
	uint32_t number; /* in the tally; 0: not added yet */
	unsigned ended;  /* passes since it has ended */
	char name[MAX_NAME + 1];
	struct mapping *map; /* by start, disjoint */
	size_t n_map, room;
	size_t last; /* position of the last look-up */
};

struct spaces {
	struct tally *tally;
	struct files *files;
	struct perf_kernel kernel;    /* start 0: not recorded, or hidden */
	struct by_id_table processes; /* of struct process_space */
	uint32_t next_number;
	size_t n_ended;
};

struct spaces *
spaces_new(struct tally *t, const struct perf_kernel *kernel)
{
	struct spaces *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->tally = t;
	if (kernel)
		s->kernel = *kernel;
	/* Below are those of libsample, which may sample beside. */
	s->next_number = SHM_MAX_SPACE / 2 + 1;
	s->files = files_new();
	if (s->files)
		return s;
	free(s);
	return NULL;
}

static void
drop_maps(struct process_space *p)
{
	for (size_t i = 0; i < p->n_map; i++)
		files_put(p->all->files, p->map[i].file);
	p->n_map = 0;
	p->last = 0;
	p->number = 0;
}

static void
process_free(struct process_space *p)
{
	drop_maps(p);
	free(p->map);
	free(p);
}

void
spaces_free(struct spaces *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < BY_ID_BUCKETS; i++)
		while (s->processes.bucket[i])
			process_free(by_id_take(&s->processes,
						s->processes.bucket[i]->id));
	files_free(s->files);
	free(s);
}

static struct process_space *
look_up(struct spaces *s, int32_t pid)
{
	return (struct process_space *)*by_id_place(&s->processes, pid);
}

struct process_space *
spaces_find(struct spaces *s, int32_t pid)
{
	struct by_id **at = by_id_place(&s->processes, pid);
	struct process_space *p = (struct process_space *)*at;

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->all = s;
	p->by.id = pid;
	*at = &p->by;
	return p;
}

static void
set_name(struct process_space *p, const char *name)
{
	snprintf(p->name, sizeof(p->name), "%s", name);
}

/* --- the tally --- */

/* Set the build-id of module from hex; what does not fit is cut. */
static void
put_build_id(struct shm_module *module, const char *id)
{
	for (; module->n_build_id < MAX_ID_BYTES && id[0] && id[1]; id += 2) {
		const char digits[] = { id[0], id[1], '\0' };

		module->build_id[module->n_build_id++] =
			(uint8_t)strtoul(digits, NULL, 16);
	}
}

static void
tell_module(struct process_space *p, const struct mapping *m)
{
	const struct file_from from = { .pid = p->by.id,
					.start = m->start,
					.limit = m->limit };
	const char *path = file_path(m->file),
		   *id = file_build_id(m->file, &from);
	size_t n = offsetof(struct shm_module, path) + strlen(path) + 1;
	struct shm_module *module = calloc(1, n);

	if (!module)
		return;
	module->space = p->number;
	module->start = m->start;
	module->limit = m->limit;
	module->offset = m->offset;
	put_build_id(module, id);
	strcpy(module->path, path);
	tally_module(p->all->tally, module, n);
	free(module);
}

static void
tell_kernel(struct process_space *p)
{
	const struct perf_kernel *k = &p->all->kernel;
	union {
		struct shm_module module;
		char bytes[sizeof(struct shm_module) +
			   sizeof(PERF_KERNEL_NAME)];
	} u = { .module = { .space = p->number,
			    .start = k->start,
			    .limit = k->limit,
			    .offset = k->start } };

	put_build_id(&u.module, k->build_id);
	strcpy(u.bytes + offsetof(struct shm_module, path), PERF_KERNEL_NAME);
	tally_module(p->all->tally, &u.module, sizeof(u));
}

static void
tell_gone(struct process_space *p, const struct mapping *m)
{
	struct shm_gone gone = { p->number, m->start };

	if (p->number && m->file)
		tally_gone(p->all->tally, &gone, sizeof(gone));
}

/* --- mappings --- */

/* The first mapping that ends after address. */
static size_t
place_address(const struct process_space *p, uint64_t address)
{
	return search_above(p->map, p->n_map, sizeof(*p->map),
			    offsetof(struct mapping, limit), address);
}

static bool
insert_mapping(struct process_space *p, const struct mapping *m)
{
	size_t i;

	if (array_reserve(&p->map, &p->room, p->n_map + 1, sizeof(*p->map)) !=
	    0)
		return false;
	i = place_address(p, m->start);
	memmove(p->map + i + 1, p->map + i, (p->n_map - i) * sizeof(*p->map));
	p->map[i] = *m;
	p->n_map++;
	if (p->number && m->file)
		tell_module(p, m);
	return true;
}

/* Remove [start, limit) from the mappings; the parts on either side stay. */
static void
clear(struct process_space *p, uint64_t start, uint64_t limit)
{
	size_t i;

	while ((i = place_address(p, start)) < p->n_map &&
	       p->map[i].start < limit) {
		struct mapping old = p->map[i], left = old, right = old;

		tell_gone(p, &old);
		p->n_map--;
		memmove(p->map + i, p->map + i + 1,
			(p->n_map - i) * sizeof(*p->map));
		left.limit = start;
		right.start = limit;
		right.offset += limit - old.start;
		if (old.start < start) {
			files_hold(old.file);
			insert_mapping(p, &left);
		}
		if (old.limit > limit) {
			files_hold(old.file);
			insert_mapping(p, &right);
		}
		files_put(p->all->files, old.file);
	}
	p->last = 0;
}

static void
space_add(struct process_space *p, const struct space_map *m, bool is_live)
{
	const struct file_from from = { p->by.id, is_live, m->start, m->limit,
					m->inode };
	struct mapping map = { .start = m->start,
			       .limit = m->limit,
			       .offset = m->offset };
	size_t i = place_address(p, m->start);
	struct mapping *same = i < p->n_map ? &p->map[i] : NULL;

	if (m->limit <= m->start)
		return;
	if (same && (same->start != m->start || same->limit != m->limit ||
		     same->offset != m->offset))
		same = NULL;
	/* Read from /proc again: the file need not be. */
	if (is_live && same && same->file &&
	    file_is(same->file, m->path, &m->inode))
		return;
	map.file = files_get(p->all->files, m->path, m->build_id, &from);
	/* Read from /proc, and also reported by the kernel. */
	if (same && same->file == map.file) {
		files_put(p->all->files, map.file);
		return;
	}
	clear(p, m->start, m->limit);
	if (!insert_mapping(p, &map))
		files_put(p->all->files, map.file);
}

/* --- events --- */

/* Its current mappings, by the text of its maps. */
static void
add_maps(struct process_space *p, char *text)
{
	int64_t now = now_ns(CLOCK_MONOTONIC);
	char *row;

	procfs_line(p->by.id, "comm", p->name, sizeof(p->name));
	/* A process may map faster than we read: limit it. */
	for (int n = 0; n < MAX_MAPS && (row = strsep(&text, "\n")); n++) {
		struct procfs_map m;

		if (procfs_map(row, &m))
			space_add(p,
				  &(struct space_map){ p->by.id,
						       m.start,
						       m.limit,
						       m.offset,
						       "",
						       m.path,
						       { m.ino, 0, now } },
				  true);
	}
}

void
spaces_read(struct spaces *s, int32_t pid)
{
	size_t n;
	char *text = procfs_read(pid, "maps", &n);
	struct process_space *p = text ? spaces_find(s, pid) : NULL;

	if (p)
		add_maps(p, text);
	free(text);
}

uint32_t
space_number(struct process_space *p)
{
	union {
		struct shm_space space;
		char bytes[sizeof(struct shm_space) + MAX_NAME + 1];
	} u = { .space = { .pid = p->by.id } };

	if (p->number)
		return p->number;
	/* A process that joined the control group, or whose start was lost. */
	if (!p->n_map)
		spaces_read(p->all, p->by.id);
	p->number = p->all->next_number++ & SHM_MAX_SPACE;
	u.space.space = p->number;
	strcpy(u.bytes + offsetof(struct shm_space, name), p->name);
	tally_space(p->all->tally, &u.space,
		    offsetof(struct shm_space, name) + strlen(p->name) + 1);
	/* The program first: usually the lowest mapping. */
	for (size_t i = 0; i < p->n_map; i++)
		if (p->map[i].file)
			tell_module(p, &p->map[i]);
	if (p->all->kernel.start)
		tell_kernel(p);
	return p->number;
}

void
spaces_map(struct spaces *s, const struct space_map *m)
{
	struct process_space *p = spaces_find(s, m->pid);

	if (p)
		space_add(p, m, false);
}

/* The pid was reused, or the process runs another program. */
static void
revive(struct process_space *p)
{
	drop_maps(p);
	p->all->n_ended -= p->ended > 0;
	p->ended = 0;
}

void
spaces_fork(struct spaces *s, int32_t pid, int32_t parent)
{
	struct process_space *from, *p;

	if (pid == parent) /* a thread */
		return;
	from = look_up(s, parent);
	p = spaces_find(s, pid);
	if (!p)
		return;
	revive(p);
	if (!from || array_reserve(&p->map, &p->room, from->n_map + 1,
				   sizeof(*p->map)) != 0)
		return;
	set_name(p, from->name);
	for (size_t i = 0; i < from->n_map; i++) {
		p->map[i] = from->map[i];
		files_hold(p->map[i].file);
	}
	p->n_map = from->n_map;
}

void
spaces_exec(struct spaces *s, int32_t pid, const char *name)
{
	struct process_space *p = spaces_find(s, pid);

	if (!p)
		return;
	revive(p);
	set_name(p, name);
}

void
spaces_exit(struct spaces *s, int32_t pid)
{
	struct process_space *p = look_up(s, pid);

	if (!p || p->ended)
		return;
	p->ended = 1;
	s->n_ended++;
}

static bool
is_gone(int32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return access(path, F_OK) != 0;
}

/* Other threads may outlive the one that ended, and a process the record of its
 * end: see family.h. So wait for some passes, and look. */
void
spaces_sweep(struct spaces *s)
{
	enum { PASSES = 20 };

	for (size_t i = 0; s->n_ended && i < BY_ID_BUCKETS; i++) {
		struct by_id **at = &s->processes.bucket[i];
		struct process_space *p;

		while ((p = (struct process_space *)*at)) {
			if (p->ended && p->ended++ >= PASSES &&
			    !is_gone(p->by.id))
				p->ended = 1;
			if (p->ended <= PASSES) {
				at = &p->by.next;
				continue;
			}
			*at = p->by.next;
			process_free(p);
			s->n_ended--;
		}
	}
}

void
spaces_turn(struct spaces *s, struct tally *t)
{
	s->tally = t;
	s->next_number = 1;
	for (size_t i = 0; i < BY_ID_BUCKETS; i++)
		for (struct by_id *e = s->processes.bucket[i]; e; e = e->next) {
			((struct process_space *)e)->number = 0;
			if (is_gone(e->id))
				spaces_exit(s, e->id);
		}
}

struct files *
spaces_files(struct spaces *s)
{
	return s->files;
}

bool
space_code(void *space, uint64_t pc, struct walk_code *out)
{
	struct process_space *p = space;
	struct mapping *m;
	size_t i = p->last;

	if (i >= p->n_map || pc < p->map[i].start || pc >= p->map[i].limit) {
		i = place_address(p, pc);
		if (i >= p->n_map || pc < p->map[i].start)
			return false;
		p->last = i;
	}
	m = &p->map[i];
	if (!m->file) {
		*out = (struct walk_code){ 0 };
		return true;
	}
	if (!m->has_bias) {
		const struct file_from from = { .pid = p->by.id,
						.start = m->start,
						.limit = m->limit };

		m->rows =
			file_rows(p->all->files, m->file, &from, &m->has_bias);
		if (m->rows &&
		    !rows_bias(m->rows, m->start, m->offset, &m->bias))
			m->rows = NULL;
	}
	*out = (struct walk_code){ .rows = m->rows, .bias = m->bias };
	return true;
}
