/* import/unwind.c - see unwind.h. */
#include "config.h"

#include "unwind.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "lib/base/array.h"
#include "lib/model/profile.h"
#include "unwind/rows.h"
#include "unwind/rowstore.h"
#include "unwind/walk.h"

#define KEEP                                                                   \
	((size_t)256 << 20) /* bytes of rows that nobody needs just now        \
			     */

/* What is known of a mapped part of a file. */
struct object {
	const struct rows *rows; /* NULL: nothing */
	bool is_tried;
};

struct import_unwind {
	struct perf_unwind perf;
	struct rowstore *store;
	struct walker *walker; /* of machine, which is the recording's */
	const struct machine *machine;
	struct object *object;
	size_t cap;
	size_t n_missing, n_other;
	char missing[256], other[256]; /* the first of each */
};

/* The rows for a walk in progress. */
struct lookup {
	struct import_unwind *u;
	perf_where_fn *where;
	void *ctx;
};

static void
count_file(size_t *n, char first[256], const char *file)
{
	if (!(*n)++)
		snprintf(first, 256, "%s", file);
}

/* This machine's own: its build-id is compared in the end. */
static const struct rows *
vdso_rows(struct rowstore *store)
{
	const unsigned char *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const struct rows *rows = NULL;
	struct prof_err err;
	Elf64_Ehdr head;

	if (!image)
		return NULL;
	memcpy(&head, image, sizeof(head));
	if (rowstore_image(store, image,
			   head.e_shoff +
				   (size_t)head.e_shnum * head.e_shentsize,
			   &rows, &err) != PROF_OK)
		return NULL;
	return rows;
}

static void
load_object(struct import_unwind *u, struct object *o,
	    const struct perf_where *w)
{
	struct prof_err err;

	o->is_tried = true;
	if (!strcmp(w->file, "[vdso]"))
		o->rows = vdso_rows(u->store);
	if (w->file[0] != '/' || !strncmp(w->file, "//", 2))
		return;
	if (rowstore_open(u->store, w->file, w->build_id, &o->rows, &err) ==
	    PROF_OK)
		return;
	o->rows = NULL;
	count_file(&u->n_missing, u->missing, w->file);
}

static bool
find_code(void *ctx, uint64_t pc, struct walk_code *out)
{
	struct lookup *l = ctx;
	struct import_unwind *u = l->u;
	struct perf_where w;
	struct object *o;
	size_t had = u->cap;

	if (!l->where(l->ctx, pc, &w) ||
	    array_reserve(&u->object, &u->cap, (size_t)w.object + 1,
			  sizeof(*u->object)) < 0)
		return false;
	memset(u->object + had, 0, (u->cap - had) * sizeof(*u->object));
	o = &u->object[w.object];
	if (!o->is_tried)
		load_object(u, o, &w);
	*out = (struct walk_code){ .is_vdso = !strcmp(w.file, "[vdso]") };
	if (o->rows && rows_bias(o->rows, w.start, w.offset, &out->bias))
		out->rows = o->rows;
	return true;
}

static size_t
walk_dump(void *ctx, const struct perf_dump *d, perf_where_fn *where,
	  void *where_ctx, uint64_t *pc, size_t max, struct unwind_info *info)
{
	struct import_unwind *u = ctx;
	struct lookup l = { u, where, where_ctx };
	struct walk_stack s;

	if (!u->walker) {
		u->machine = machine_of_name(d->machine);
		u->walker = u->machine ? u->machine->walker_new() : NULL;
	}
	if (!u->walker ||
	    !u->machine->perf_regs(&s, d->mask, d->word, d->n_word))
		return 0;
	s.bytes = d->bytes;
	s.n = d->n;
	return u->machine->walk(u->walker, &s, find_code, &l, pc, max, info);
}

static void
tell_build_id(void *ctx, uint32_t object, const char *file,
	      const char *build_id)
{
	struct import_unwind *u = ctx;
	const struct rows *rows =
		object < u->cap ? u->object[object].rows : NULL;

	if (rows && *rows_build_id(rows) &&
	    strcmp(rows_build_id(rows), build_id) != 0)
		count_file(&u->n_other, u->other, file);
}

struct import_unwind *
import_unwind_new(void)
{
	struct import_unwind *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->perf = (struct perf_unwind){ u, walk_dump, tell_build_id };
	u->store = rowstore_new(KEEP);
	if (u->store)
		return u;
	import_unwind_free(u);
	return NULL;
}

const struct perf_unwind *
import_unwind_of(const struct import_unwind *u)
{
	return &u->perf;
}

void
import_unwind_tell(const struct import_unwind *u, struct profile *p)
{
	if (u->n_missing)
		profile_doubt(
			p,
			"%zu parts of files that ran cannot be read, or are "
			"another build: stacks end there; the first, %s",
			u->n_missing, u->missing);
	if (u->n_other)
		profile_doubt(
			p,
			"%zu parts of files are another build than the one "
			"that ran: stacks through them are wrong; the first, "
			"%s",
			u->n_other, u->other);
}

void
import_unwind_free(struct import_unwind *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->cap; i++)
		rowstore_put(u->store, u->object[i].rows);
	walker_free(u->walker);
	rowstore_free(u->store);
	free(u->object);
	free(u);
}
