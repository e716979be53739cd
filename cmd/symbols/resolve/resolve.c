/* resolve.c - see resolve.h. */
#include "config.h"

#include "answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "impl.h"
#include "jit.h"
#include "kernel.h"
#include "lib/base/confine.h"
#include "lib/model/runtime.h"
#include "locate.h"
#include "symbols/elf/unpack.h"

#define IS_SYMBOLIZED                                                          \
	(MAPPING_FUNCTIONS | MAPPING_FILENAMES | MAPPING_LINE_NUMBERS)

/* --- mappings --- */

static bool
is_wanted(const struct resolve *r, const struct location *l)
{
	return l->mapping != PROF_NONE && resolve_is_open(r, l) &&
	       (l->address || r->p->mapping[l->mapping].start);
}

/*
 * Add the locations of mapping m, whose file name in the profile was file, to
 * the wants of s.
 */
static enum prof_status
collect(struct resolve *r, uint32_t m, const char *file, const char *path,
	struct binary *s, struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	uint64_t base, inside = map->start;
	enum prof_status st;

	for (size_t k = r->place[m]; k < r->place[m + 1]; k++) {
		uint64_t a = r->p->location[r->wanted[k]].address;

		if (a >= map->start && a < map->limit) {
			inside = a;
			break;
		}
	}
	st = resolve_base(map, file, path, s, inside, &base, err);
	if (st != PROF_OK)
		return st;
	for (size_t k = r->place[m]; k < r->place[m + 1]; k++) {
		uint32_t l = r->wanted[k];

		wants_add(&r->wants, r->p->location[l].address - base, l);
	}
	return PROF_OK;
}

/* Symbolize all mappings of s, the object of mapping m. s is taken over. */
static enum prof_status
resolve_object(struct resolve *r, uint32_t m, struct binary *s,
	       const char *path, struct prof_err *err)
{
	struct profile *p = r->p;
	const char *file = profile_str(p, p->mapping[m].file);
	uint32_t found = profile_intern(p, path), first = m;
	struct prof_err stripped = { 0 };
	enum prof_status st;

	st = found == STRTAB_NONE ? prof_nomem(err)
				  : resolve_open_debug(r, s, err);
	if (st != PROF_OK) {
		binary_close(s);
		return st;
	}
	if (!binary_has_dwarf(s) && binary_worth(s) <= WORTH_STRIPPED &&
	    !locate_is_special(file))
		prof_fail(&stripped, PROF_EFORMAT,
			  "stripped, and there is no debug file");
	r->wants.n = 0;
	for (; m != PROF_NONE; m = r->next[m]) {
		if (r->done[m])
			continue;
		if (*stripped.msg && r->o->failed)
			resolve_warn(r, m, &stripped);
		r->done[m] = true;
		if (collect(r, m, file, path, s, err) != PROF_OK)
			resolve_warn(r, m, err);
		else
			p->mapping[m].file = found;
		if (r->apart && p->mapping[m].file == found)
			answers_found(r->apart, m, path);
	}
	wants_sort(&r->wants);
	return resolve_later(r, s, first, err);
}

/* Find and symbolize the object of mapping m, and all its mappings. */
static enum prof_status
resolve_mapping(struct resolve *r, uint32_t m, struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	const char *file = profile_str(r->p, map->file);
	struct binary *s = NULL;
	enum prof_status st;
	char *path;

	if (r->o->looking)
		r->o->looking(r->o->report, m);
	if (runtime_may_own(file) && !resolve_holds(r, m))
		return PROF_OK;
	st = resolve_open_mapping(r, m, &s, &path, err);
	if (st == PROF_ENOMEM)
		return st;
	if (st != PROF_OK && kernel_is_mapping(map, file)) {
		st = kernel_resolve(r, m, err);
		if (st == PROF_OK || st == PROF_ENOMEM)
			return st;
		resolve_warn(r, m, err);
		return PROF_OK;
	}
	if (st != PROF_OK) {
		if (locate_is_special(file))
			return PROF_OK;
		r->missed = true;
		if (!*file)
			prof_fail(err, st, "mapping %u has no file name",
				  m + 1);
		resolve_warn(r, m, err);
		return PROF_OK;
	}
	st = resolve_object(r, m, s, path, err);
	free(path);
	return st;
}

/* Find and symbolize the objects of all mappings that are not done. */
static enum prof_status
resolve_mappings(struct resolve *r, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < r->p->n_mapping && st == PROF_OK; i++)
		if (!r->done[i])
			st = resolve_mapping(r, (uint32_t)i, err);
	if (resolve_run(r, st == PROF_OK ? err : NULL) != PROF_OK)
		r->wants.nomem = true;
	resolve_warn_unread(r);
	return st;
}

/* The same, but as root, or if asked to, where files can do no harm. */
static enum prof_status
resolve_safely(struct resolve *r, struct prof_err *err)
{
	if ((r->o->apart ? confine_is_possible() : confine_is_wanted()) &&
	    memchr(r->done, false, r->p->n_mapping * sizeof(*r->done)))
		return answers_run(r, resolve_mappings, err);
	return resolve_mappings(r, err);
}

/* Sort the wanted locations by mapping: a counting sort. */
static void
sort_wanted(struct resolve *r)
{
	const struct profile *p = r->p;
	size_t at = 0;

	for (size_t i = 0; i < p->n_location; i++)
		if (is_wanted(r, &p->location[i]))
			r->place[p->location[i].mapping]++;
	for (size_t m = 0; m <= p->n_mapping; m++) {
		size_t n = r->place[m];

		r->place[m] = at;
		at += n;
	}
	for (size_t i = 0; i < p->n_location; i++)
		if (is_wanted(r, &p->location[i]))
			r->wanted[r->place[p->location[i].mapping]++] =
				(uint32_t)i;
	/* Each is now the start of the next. */
	memmove(r->place + 1, r->place, p->n_mapping * sizeof(*r->place));
	r->place[0] = 0;
}

/* Chain the mappings of each object: it is opened once for all of them. */
static int
chain_mappings(struct resolve *r)
{
	struct grouped *g = group_mappings(r->p);

	if (!g)
		return -1;
	for (size_t i = 0; i < r->p->n_mapping; i++)
		r->next[g[i].mapping] =
			g[i].is_last ? PROF_NONE : g[i + 1].mapping;
	free(g);
	return 0;
}

/* Mark as done the mappings that are not to be symbolized. */
static void
choose_mappings(struct resolve *r)
{
	struct profile *p = r->p;

	for (size_t i = 0; i < p->n_mapping; i++) {
		const struct mapping *m = &p->mapping[i];
		const char *file = profile_str(p, m->file);

		/* A URL: there is no local file. */
		bool remote = !m->build_id && (!strncmp(file, "http://", 7) ||
					       !strncmp(file, "https://", 8));

		r->done[i] =
			r->place[i] == r->place[i + 1] || remote ||
			(r->o->only_held && !resolve_holds(r, (uint32_t)i)) ||
			(!r->o->force && (m->has & IS_SYMBOLIZED));
	}
}

/*
 * Name the caller's program as the file of the first mapping. A profile without
 * mappings gets one without addresses: its locations have addresses of the
 * file.
 */
static enum prof_status
set_binary(struct profile *p, const char *binary, struct prof_err *err)
{
	uint32_t file = profile_intern(p, binary);
	struct mapping m = { .file = file };

	if (file == STRTAB_NONE)
		return prof_nomem(err);
	if (p->n_mapping) {
		p->mapping[0].file = file;
		return PROF_OK;
	}
	if (profile_add_mapping(p, &m) == PROF_NONE)
		return prof_nomem(err);
	for (size_t i = 0; i < p->n_location; i++)
		p->location[i].mapping = 0;
	return PROF_OK;
}

/* Symbolize kernel addresses that have no mapping. */
static enum prof_status
resolve_unmapped(struct resolve *r, struct prof_err *err)
{
	const struct profile *p = r->p;
	enum prof_status st;

	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];

		if (l->mapping != PROF_NONE || !resolve_is_open(r, l) ||
		    l->address < KERNEL_HALF)
			continue;
		st = kernel_resolve(r, PROF_NONE, err);
		if (st == PROF_OK || st == PROF_ENOMEM)
			return st;
		r->o->warn("kernel: %s", err->msg);
		return PROF_OK;
	}
	return PROF_OK;
}

/*
 * Put the functions from index first on in the order of the locations that use
 * them. -1 without memory.
 */
static int
order_functions(struct profile *p, size_t first)
{
	size_t n = p->n_function - first;
	uint32_t *place = reallocarray(NULL, n + 1, sizeof(*place));
	struct function *old = reallocarray(NULL, n + 1, sizeof(*old));
	uint32_t next = (uint32_t)first;

	if (!place || !old) {
		free(place);
		free(old);
		return -1;
	}
	memset(place, 0xff, (n + 1) * sizeof(*place)); /* PROF_NONE */
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];
		const struct line *line = profile_line(p, l);

		for (uint32_t k = 0; k < l->n_line; k++)
			if (line[k].function >= first &&
			    place[line[k].function - first] == PROF_NONE)
				place[line[k].function - first] = next++;
	}
	for (size_t i = 0; i < n; i++) {
		old[i] = p->function[first + i];
		if (place[i] == PROF_NONE) /* no longer used */
			place[i] = next++;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t id = old[place[i] - first].id;

		p->function[place[i]] = old[i];
		p->function[place[i]].id = id;
	}
	for (size_t i = 0; i < p->n_line; i++)
		if (p->line[i].function >= first)
			p->line[i].function =
				place[p->line[i].function - first];
	free(place);
	free(old);
	return 0;
}

enum prof_status
resolve_profile(struct profile *p, const struct resolve_options *o,
		struct prof_err *err)
{
	struct resolve r = { .p = p, .o = o, .wants.r = &r };
	size_t n_function = p->n_function;
	enum prof_status st = PROF_OK;

	if (o->binary)
		st = set_binary(p, o->binary, err);
	if (st != PROF_OK)
		return st;
	r.done = calloc(p->n_mapping + 1, sizeof(*r.done));
	r.next = calloc(p->n_mapping + 1, sizeof(*r.next));
	r.place = calloc(p->n_mapping + 2, sizeof(*r.place));
	r.wanted = calloc(p->n_location + 1, sizeof(*r.wanted));
	if (!r.done || !r.next || !r.place || !r.wanted ||
	    hashtab_init(&r.functions) < 0 ||
	    wants_init(&r.wants, p->n_location) < 0 || chain_mappings(&r) < 0) {
		st = prof_nomem(err);
		goto out;
	}
	if (!o->only_held)
		st = resolve_jit(&r, err);
	if (!o->only_held && st == PROF_OK)
		st = resolve_unmapped(&r, err);
	if (st != PROF_OK)
		goto out;
	sort_wanted(&r);
	choose_mappings(&r);
	st = resolve_safely(&r, err);
	if (r.wants.nomem || order_functions(p, n_function) < 0)
		st = prof_nomem(err);
	else if (r.missed && !o->failed)
		o->warn("looked for files at their paths and in the search "
			"path (--search-path, PPROF_BINARY_PATH)");
out:
	kernel_release(&r);
	free(r.done);
	free(r.next);
	free(r.place);
	free(r.wanted);
	wants_release(&r.wants);
	hashtab_release(&r.functions);
	return st;
}

void
resolve_warn_unread(const struct resolve *r)
{
	struct unpack_budget *b = r->o->locate->budget;
	const char *why;

	if (!b || !b->n_unread)
		return;
	why = b->error == ENOEXEC  ? "not an ELF file"
	      : b->error == ENOENT ? "not found, or of another build"
	      : b->error == EFBIG  ? "mostly a hole"
				   : strerror(b->error);
	if (b->n_unread == 1)
		r->o->warn("%s: %s; names from it are missing", b->path, why);
	else
		r->o->warn("%s: %s; names from it and %d other files are "
			   "missing",
			   b->path, why, b->n_unread - 1);
	b->n_unread = 0;
}

void
resolve_warn(const struct resolve *r, uint32_t m, const struct prof_err *err)
{
	const struct mapping *map = &r->p->mapping[m];
	const char *id = profile_str(r->p, map->build_id);

	if (r->o->failed)
		r->o->failed(r->o->report, m, err->msg);
	else
		r->o->warn("%s%s%s%s: %s", profile_str(r->p, map->file),
			   *id ? " (build-id " : "", id, *id ? ")" : "",
			   err->msg);
}
