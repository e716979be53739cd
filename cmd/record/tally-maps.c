/*
 * tally-maps.c - code that the loader has not mapped: a program that maps its
 * own file again, an image in a memfd, code that a runtime unpacks. libsample
 * does not see these mappings; so if an address is in no module, the recorder
 * reads /proc/PID/maps of its process. That costs the program nothing, and the
 * recorder at most one percent of a processor: some programs have 20,000
 * mappings, and others often run code that is in no file.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/now.h"
#include "procfs.h"
#include "tally-int.h"

enum { AGAIN_NS = 20000000, REST = 100 /* times what a look took */ };

/* Parse a row of /proc/PID/maps: code of a file. */
static bool
parse_row(char *row, struct procfs_map *m)
{
	return procfs_map(row, m) && *m->path == '/';
}

static const struct range *
range_at(const struct space *s, uint64_t start)
{
	for (size_t i = 0; i < s->n_range; i++)
		if (s->range[i].start == start)
			return &s->range[i];
	return NULL;
}

/* A build-id of this file, known from another mapping of it; else "". */
static uint32_t
build_id_of(struct tally *t, uint32_t file)
{
	for (size_t i = 0; i < t->n_module; i++)
		if (t->module[i].file == file)
			return t->module[i].build_id;
	return tally_intern(t, "");
}

static void
add_line(struct tally *t, struct space *s, const struct procfs_map *l)
{
	struct module m = { .offset = l->offset,
			    .start = l->start,
			    .size = l->limit - l->start };
	uint64_t first = l->start;

	/* The loader's mappings are known, as pieces of the same size. */
	if (tally_module_at(t, s, &first) != PROF_NONE)
		return;
	m.file = tally_intern(t, l->path);
	if (m.file == STRTAB_NONE)
		return;
	m.build_id = build_id_of(t, m.file);
	if (m.build_id != STRTAB_NONE)
		tally_add_module(t, s, &m);
}

/*
 * Is this the process of the space? A pid may have been reused, and differs in
 * a pid namespace: a module reported by libsample must be at its address.
 */
static bool
is_process_of(const struct tally *t, const struct space *s, char *text)
{
	bool found = false;
	struct procfs_map l;
	char *row;

	while (!found && (row = strsep(&text, "\n"))) {
		const struct range *r;

		if (!parse_row(row, &l))
			continue;
		r = range_at(s, l.start);
		found = r &&
			!strcmp(t->strings.str[t->module[r->module].file].s,
				l.path);
	}
	return found;
}

bool
tally_read_maps(struct tally *t, struct space *s)
{
	int64_t now = now_ns(CLOCK_MONOTONIC);
	size_t n_byte, n = s->n_range;
	char *text, *copy, *rest, *row;
	struct procfs_map l;

	if (now < s->maps_ns)
		return false;
	text = procfs_read(t->process[s->process].pid, "maps", &n_byte);
	rest = copy = text ? strdup(text) : NULL;
	if (copy && is_process_of(t, s, text))
		while ((row = strsep(&rest, "\n")))
			if (parse_row(row, &l))
				add_line(t, s, &l);
	free(copy);
	free(text);
	s->maps_ns = now + AGAIN_NS + REST * (now_ns(CLOCK_MONOTONIC) - now);
	return s->n_range != n;
}
