/* refresh.c - see refresh.h. */
#include "config.h"

#include "refresh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog-block.h"
#include "digest.h"
#include "lib/base/array.h"
#include "lib/base/regular.h"
#include "lib/model/profile.h"
#include "lib/model/programs.h"
#include "lib/model/units.h"
#include "lib/ops/split.h"
#include "lib/stream/stream.h"

#define FILL 1024        /* profiles: a block with fewer is added to */
#define MAX_PROGRAM 1024 /* of a profile that is split by them */
#define MAX_OPEN_CELLS                                                         \
	(4u << 20) /* kept in memory, before blocks are written */

/* A file that the cache has. */
struct known {
	struct store_file f;
	bool is_gone;
	uint32_t heir; /* file that takes its entries; 0: none */
	/* If it is gone, of its entries: */
	size_t n_entry;
	bool is_mixed; /* they have several types */
	uint32_t types;
	int64_t *total; /* by column */
};

struct touched {
	int64_t id, day;
};

struct refresh {
	struct catalog *a;
	const struct catalog_options *o;
	struct catalog_news *news;
	struct known *known; /* by path */
	size_t n_known, cap_known;
	struct known **by_id; /* the same, by id */
	uint32_t next_id;     /* of a new file: larger than all */
	size_t *fresh;        /* indices of files in a->walk to be read */
	size_t n_fresh;
	struct touched *touched; /* blocks with entries of gone files */
	size_t n_touched, cap_touched;
	struct block *open; /* blocks that are being filled */
	size_t n_open, cap_open;
	size_t n_cell; /* in them */
};

static void
release(struct refresh *r)
{
	for (size_t i = 0; i < r->n_known; i++) {
		free(r->known[i].f.path);
		free(r->known[i].f.why);
		free(r->known[i].total);
	}
	for (size_t i = 0; i < r->n_open; i++)
		block_release(&r->open[i]);
	free(r->known);
	free(r->by_id);
	free(r->fresh);
	free(r->touched);
	free(r->open);
}

/* --- changes of the archive --- */

static enum prof_status
take_known(void *ctx, struct store_file *f, struct prof_err *err)
{
	struct refresh *r = ctx;

	if (array_reserve(&r->known, &r->cap_known, r->n_known + 1,
			  sizeof(*r->known)) < 0) {
		free(f->path);
		free(f->why);
		return prof_nomem(err);
	}
	if (r->n_known &&
	    strcmp(r->known[r->n_known - 1].f.path, f->path) >= 0) {
		free(f->path);
		free(f->why);
		return prof_fail(err, PROF_EFORMAT, "damaged");
	}
	r->known[r->n_known++] = (struct known){ .f = *f };
	if (f->id >= r->next_id)
		r->next_id = f->id + 1;
	return PROF_OK;
}

static bool
is_same(const struct known *k, const struct walk_file *w)
{
	return k->f.size == w->size && k->f.mtime_ns == w->mtime_ns &&
	       k->f.inode == w->inode;
}

static void
note_bad(struct refresh *r, const char *path, const char *why)
{
	if (!r->news->n_bad++ &&
	    asprintf(&r->news->bad, "%s: %s", path, why) < 0)
		r->news->bad = NULL;
}

static int
known_cmp(const void *a, const void *b)
{
	const struct known *const *x = a, *const *y = b;

	return ((*x)->f.id > (*y)->f.id) - ((*x)->f.id < (*y)->f.id);
}

/* The file with this id, or NULL. */
static struct known *
known_of(const struct refresh *r, uint32_t id)
{
	const struct known key = { .f.id = id }, *p = &key;
	struct known **at = NULL;

	if (r->n_known)
		at = bsearch(&p, r->by_id, r->n_known, sizeof(*r->by_id),
			     known_cmp);
	return at ? *at : NULL;
}

/* Both lists are sorted by path. */
static enum prof_status
compare(struct refresh *r, struct prof_err *err)
{
	const struct walk *w = &r->a->walk;
	size_t i = 0, k = 0;

	r->fresh = malloc((w->n + 1) * sizeof(*r->fresh));
	r->by_id = malloc((r->n_known + 1) * sizeof(*r->by_id));
	if (!r->fresh || !r->by_id)
		return prof_nomem(err);
	for (size_t j = 0; j < r->n_known; j++)
		r->by_id[j] = &r->known[j];
	if (r->n_known)
		qsort(r->by_id, r->n_known, sizeof(*r->by_id), known_cmp);
	while (i < w->n || k < r->n_known) {
		struct known *old = k < r->n_known ? &r->known[k] : NULL;
		int c = !old        ? -1
			: i == w->n ? 1
				    : strcmp(w->file[i].path, old->f.path);

		if (c < 0) {
			r->fresh[r->n_fresh++] = i++;
			continue;
		}
		k++;
		if (c > 0) {
			old->is_gone = true;
			continue;
		}
		if (is_same(old, &w->file[i])) {
			if (old->f.why)
				note_bad(r, old->f.path, old->f.why);
		} else {
			old->is_gone = true;
			r->fresh[r->n_fresh++] = i;
		}
		i++;
	}
	return PROF_OK;
}

/* --- entries of files that are gone --- */

static enum prof_status
add_total(struct known *k, const struct block *b, size_t i,
	  struct prof_err *err)
{
	if (!k->n_entry++) {
		k->types = b->types;
		k->total = calloc(b->n_column + 1, sizeof(*k->total));
		if (!k->total)
			return prof_nomem(err);
	}
	k->is_mixed |= k->types != b->types;
	for (size_t c = 0; c < b->n_column && !k->is_mixed; c++)
		k->total[c] = units_add(k->total[c],
					b->column[i * b->n_column + c].total);
	return PROF_OK;
}

/* A visitor of blocks: note those with entries of gone files; add these up. */
static enum prof_status
find_entries(void *ctx, const struct store_block *s, struct prof_err *err)
{
	struct refresh *r = ctx;
	struct block b = { 0 };
	size_t shared[BLOCK_MAX_COLUMN];
	enum prof_status st = catalog_read_meta(r->a, s, &b, shared, err);
	bool is_touched = false;

	for (size_t i = 0; i < b.n_entry && st == PROF_OK; i++) {
		struct known *k = known_of(r, b.entry[i].file);

		if (!k)
			st = prof_fail(err, PROF_EFORMAT, "damaged");
		else if (k->is_gone) {
			is_touched = true;
			st = add_total(k, &b, i, err);
		}
	}
	block_release(&b);
	if (st != PROF_OK || !is_touched)
		return st;
	if (array_reserve(&r->touched, &r->cap_touched, r->n_touched + 1,
			  sizeof(*r->touched)) < 0)
		return prof_nomem(err);
	r->touched[r->n_touched++] = (struct touched){ s->id, s->day };
	return PROF_OK;
}

/* --- blocks --- */

/* Give the entries of gone files to their heirs, or drop them. */
static enum prof_status
settle_block(struct refresh *r, const struct touched *t, struct prof_err *err)
{
	struct block b = { 0 };
	unsigned char *gone = NULL;
	enum prof_status st = catalog_load_block(r->a, t->id, t->day, &b, err);

	if (st == PROF_OK) {
		gone = calloc(b.n_entry + 1, 1);
		if (!gone)
			st = prof_nomem(err);
	}
	for (size_t i = 0; i < b.n_entry && st == PROF_OK; i++) {
		const struct known *k = known_of(r, b.entry[i].file);

		if (!k || !k->is_gone)
			continue;
		b.entry[i].file = k->heir;
		gone[i] = !k->heir;
	}
	if (st == PROF_OK) {
		block_drop(&b, gone);
		st = store_put_block(r->a->store, &b, err);
	}
	free(gone);
	block_release(&b);
	return st;
}

static enum prof_status
write_open(struct refresh *r, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < r->n_open; i++) {
		if (st == PROF_OK)
			st = store_put_block(r->a->store, &r->open[i], err);
		block_release(&r->open[i]);
	}
	r->n_open = 0;
	r->n_cell = 0;
	return st;
}

/* The last block of a day and types that has room. */
struct roomy {
	uint32_t types;
	int64_t id;
};

static enum prof_status
find_room(void *ctx, const struct store_block *s, struct prof_err *err)
{
	struct roomy *x = ctx;

	(void)err;
	if (s->types == x->types && s->n < FILL)
		x->id = s->id;
	return PROF_OK;
}

/* A block with room for n entries like t's. */
static enum prof_status
open_block(struct refresh *r, const struct digest *t, size_t n,
	   struct block **out, struct prof_err *err)
{
	struct roomy room = { .types = t->types };
	enum prof_status st;
	struct block *b;

	for (size_t i = 0; i < r->n_open; i++) {
		b = *out = &r->open[i];
		if (b->day != t->day || b->types != t->types)
			continue;
		if (b->n_entry + n <= BLOCK_MAX)
			return PROF_OK;
		st = store_put_block(r->a->store, b, err);
		block_release(b);
		goto empty;
	}
	if (array_reserve(&r->open, &r->cap_open, r->n_open + 1,
			  sizeof(*r->open)) < 0)
		return prof_nomem(err);
	b = *out = &r->open[r->n_open++];
	*b = (struct block){ 0 };
	st = store_blocks(r->a->store, t->day, t->day, find_room, &room, err);
	if (st == PROF_OK && room.id)
		return catalog_load_block(r->a, room.id, t->day, b, err);
empty:
	b->day = t->day;
	b->types = t->types;
	b->n_column = t->n_column;
	return st;
}

/* --- reading --- */

/*
 * Read a profile. *p is NULL without an error if the file no longer exists.
 */
static enum prof_status
read_file(struct refresh *r, const struct walk_file *w, struct profile **p,
	  struct prof_err *err)
{
	enum prof_status st;
	char *path = NULL;
	struct stat sb;
	int fd;

	*p = NULL;
	if (r->a->root && asprintf(&path, "%s/%s", r->a->root, w->real) < 0)
		return prof_nomem(err);
	fd = regular_open(path ? path : w->real, false, &sb, err);
	free(path);
	if (fd < 0)
		return errno == ENOENT ? PROF_OK : PROF_EIO;
	st = profile_read(fd, r->o->max_size, p, err);
	close(fd);
	return st;
}

/* The first file in the cache whose path is not before this one. */
static size_t
known_from(const struct refresh *r, const char *path, size_t n, char end)
{
	size_t lo = 0, hi = r->n_known;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const char *its = r->known[mid].f.path;
		int c = strncmp(its, path, n);

		if (!c)
			c = (unsigned char)its[n] - (unsigned char)end;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Add the totals of file k, a part of a sum. */
static bool
add_part(const struct known *k, const struct digest *t,
	 int64_t total[BLOCK_MAX_COLUMN])
{
	if (k->is_mixed || k->types != t->types || k->heir)
		return false;
	for (size_t c = 0; c < t->n_column; c++)
		total[c] = units_add(total[c], k->total[c]);
	return true;
}

/*
 * If the files that are gone from the folder F, and an older F.pb.gz, add up to
 * the new F.pb.gz (same types, same totals), it gets their entries.
 */
static bool
inherit(struct refresh *r, const char *path, const struct digest *t,
	uint32_t heir)
{
	static const char end[] = ".pb.gz";
	int64_t total[BLOCK_MAX_COLUMN] = { 0 };
	size_t n = strlen(path), first, last, n_part = 0, old;

	if (n <= strlen(end) || strcmp(path + n - strlen(end), end) != 0)
		return false;
	n -= strlen(end);
	first = known_from(r, path, n, '/');
	last = known_from(r, path, n, '/' + 1);
	for (size_t i = first; i < last; i++) {
		if (!r->known[i].is_gone || !r->known[i].n_entry)
			continue;
		if (!add_part(&r->known[i], t, total))
			return false;
		n_part++;
	}
	old = known_from(r, path, strlen(path), '\0');
	if (old == r->n_known || strcmp(r->known[old].f.path, path) != 0 ||
	    !r->known[old].is_gone || !r->known[old].n_entry)
		old = first; /* there was none */
	else if (!add_part(&r->known[old], t, total))
		return false;
	for (size_t c = 0; c < t->n_column; c++)
		if (total[c] != t->column[c].total)
			return false;
	if (!n_part)
		return false;
	for (size_t i = first; i < last; i++)
		if (r->known[i].is_gone)
			r->known[i].heir = heir;
	r->known[old].heir = heir;
	r->news->n_handed += n_part;
	return true;
}

/*
 * Is the reason in the file itself? Descriptors, memory, a disk and --max-size
 * may be enough the next time.
 */
static bool
is_lasting(enum prof_status st)
{
	return st == PROF_EFORMAT || st == PROF_EINVALID;
}

static enum prof_status
put_bad_file(struct refresh *r, const struct store_file *f, char *why,
	     struct prof_err *err)
{
	struct store_file bad = *f;

	bad.why = why;
	return store_put_file(r->a->store, &bad, err);
}

/* Add the entry of p, one of n like it, to its block. */
static enum prof_status
add_entry(struct refresh *r, struct profile *p, const struct digest *t,
	  size_t n, struct prof_err *err)
{
	struct block *b = NULL;
	enum prof_status st = open_block(r, t, n, &b, err);

	if (st == PROF_OK)
		st = block_add(b, &t->entry, t->column, err);
	if (st == PROF_OK)
		st = digest_functions(b, p, &r->a->functions, err);
	for (size_t c = 0; b && c < b->n_column; c++)
		r->n_cell += p->n_function; /* about */
	return st;
}

/* Add an entry for each part of p, a program. */
static enum prof_status
add_programs(struct refresh *r, const struct split *s,
	     const struct walk_file *w, uint32_t file, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < s->n_part && st == PROF_OK; i++) {
		struct profile *part;
		struct digest t;

		st = split_part(s, i, &part, err);
		if (st != PROF_OK)
			break;
		st = digest_profile(&t, part, s->p, w, &r->a->words, err);
		t.entry.file = file;
		t.entry.part = (uint32_t)i + 1;
		if (st == PROF_OK)
			st = add_entry(r, part, &t, s->n_part - i, err);
		profile_free(part);
	}
	return st;
}

/* Add p, or if it is of several programs, each of them. */
static enum prof_status
add_profile(struct refresh *r, struct profile *p, struct digest *t,
	    const struct walk_file *w, uint32_t file, struct prof_err *err)
{
	struct programs x = { 0 };
	struct split s = { 0 };
	enum prof_status st =
		p->n_type ? programs_count(p, 0, &x, err) : PROF_OK;

	t->entry.file = file;
	if (st != PROF_OK || x.n < 2 || x.n > MAX_PROGRAM)
		return st == PROF_OK ? add_entry(r, p, t, 1, err) : st;
	st = split_init(&s, p, PROGRAMS_LABEL, MAX_PROGRAM, err);
	if (st == PROF_OK)
		st = add_programs(r, &s, w, file, err);
	split_release(&s);
	return st;
}

/* Read one file, and add it to its block. f is its row. */
static enum prof_status
read_new_file(struct refresh *r, const struct walk_file *w,
	      struct store_file *f, struct prof_err *err)
{
	struct profile *p;
	struct prof_err why;
	struct digest t;
	enum prof_status st = read_file(r, w, &p, &why);

	/* Is it gone, or has prof-thin renamed it? The next list knows. */
	if (st == PROF_OK && !p) {
		r->news->has_moved = true;
		return prof_fail(err, PROF_EIO, "%s: it is gone", w->real);
	}
	if (st == PROF_OK)
		st = digest_profile(&t, p, p, w, &r->a->words, &why);
	if (st == PROF_ENOMEM)
		return prof_nomem(err);
	if (st != PROF_OK) {
		r->news->n_new_bad++;
		r->o->tell_bad(r->a->root, w->real, why.msg);
		profile_free(p);
		return is_lasting(st) ? put_bad_file(r, f, why.msg, err)
				      : PROF_OK;
	}
	st = store_put_file(r->a->store, f, err);
	if (st == PROF_OK && !inherit(r, w->path, &t, f->id)) {
		r->news->n_read++;
		r->news->n_no_time += t.time_from == DIGEST_TIME_FILE;
		st = add_profile(r, p, &t, w, f->id, err);
	}
	profile_free(p);
	return st;
}

static int
by_time(const void *a, const void *b, void *walk)
{
	const struct walk *w = walk;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int64_t x = w->file[i].mtime_ns, y = w->file[k].mtime_ns;

	return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

/* Oldest first, so that few blocks are open at a time. */
static enum prof_status
read_fresh(struct refresh *r, struct prof_err *err)
{
	struct walk *w = &r->a->walk;
	enum prof_status st = PROF_OK;

	if (r->n_fresh)
		qsort_r(r->fresh, r->n_fresh, sizeof(*r->fresh), by_time, w);
	for (size_t i = 0; i < r->n_fresh && st == PROF_OK; i++) {
		const struct walk_file *x = &w->file[r->fresh[i]];
		struct store_file f = { .id = r->next_id++,
					.path = x->path,
					.size = x->size,
					.mtime_ns = x->mtime_ns,
					.inode = x->inode };

		st = read_new_file(r, x, &f, err);
		if (st == PROF_OK && r->n_cell > MAX_OPEN_CELLS)
			st = write_open(r, err);
	}
	return st == PROF_OK ? write_open(r, err) : st;
}

static enum prof_status
refresh_apply(struct refresh *r, struct prof_err *err)
{
	struct store *s = r->a->store;
	enum prof_status st = store_begin(s, err);

	if (st == PROF_OK && r->news->n_gone)
		st = store_blocks(s, INT64_MIN, INT64_MAX, find_entries, r,
				  err);
	for (size_t i = 0; i < r->n_known && st == PROF_OK; i++)
		if (r->known[i].is_gone)
			st = store_drop_file(s, r->known[i].f.id, err);
	if (st == PROF_OK)
		st = read_fresh(r, err);
	for (size_t i = 0; i < r->n_touched && st == PROF_OK; i++)
		st = settle_block(r, &r->touched[i], err);
	if (st == PROF_OK)
		st = store_put_names(s, &r->a->functions, &r->a->words, err);
	return st == PROF_OK ? store_commit(s, err) : st;
}

enum prof_status
refresh(struct catalog *a, const struct catalog_options *o,
	struct catalog_news *news, struct prof_err *err)
{
	struct refresh r = { .a = a, .o = o, .news = news, .next_id = 1 };
	enum prof_status st = store_files(a->store, take_known, &r, err);

	if (st == PROF_OK)
		st = compare(&r, err);
	for (size_t i = 0; i < r.n_known && st == PROF_OK; i++)
		news->n_gone += r.known[i].is_gone;
	if (st == PROF_OK && (news->n_gone || r.n_fresh))
		st = refresh_apply(&r, err);
	release(&r);
	return st;
}
