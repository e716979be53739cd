/*
 * table.c - track the loaded objects, and publish their compiled tables to
 * walks that may be running in any thread.
 *
 * Published tables never change, except their cache. A refresh builds new ones,
 * which share the rows of unchanged objects, and swaps one pointer. The old
 * ones are retired, and unmapped when no walk is running: walks count
 * themselves before they load the pointer, so one moment without any, after the
 * swap, proves that no retired table is in use. A walk takes microseconds, so
 * that moment comes, and a refresh does not wait for it; only one that finds
 * MAX_RETIRED tables does, as their reader may be preempted. If the moment
 * never comes (a thread left a handler by longjmp), refreshes fail, which
 * bounds the leak.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include "row.h"
#include "unwind.h"

#define MAX_RETIRED 16
#define SPINS 2000 /* some microseconds: a walk's length */
#define WAITS 100  /* milliseconds: several time slices of a thread */

/* Rows of objects that were unloaded, as many are loaded again soon. */
#define N_SHELF 32
#define SHELF_BYTES (16 << 20)

struct shelved {
	uint64_t id;
	struct cfi_rows rows; /* row NULL: free */
};

/* State of refreshes; one thread at a time uses it. */
static struct {
	struct shelved shelf[N_SHELF]; /* the newest first */
	atomic_uint pending; /* refreshes requested and not yet done */
	struct unwind_pool *pool;
	struct unwind_tables *retired;
	size_t n_retired;
	bool stuck;                    /* waiting for readers has failed */
	unsigned long long adds, subs; /* the loader's, last time */
	bool done;
} refresher;

/* A pass over the loaded objects. */
struct scan {
	const struct unwind_tables *old; /* may be NULL */
	struct unwind_initial initial;   /* found at the first refresh only */
	struct unwind_tables *new;       /* NULL: count only */
	size_t n, cap;
	bool unchanged, vdso_seen;
	unsigned long long adds, subs;
	int err;
};

/* The program headers of the kernel's own object; NULL: there is none. */
static const ElfW(Phdr) * vdso_phdr(void)
{
	const ElfW(Ehdr) *eh = (const void *)getauxval(AT_SYSINFO_EHDR);

	return eh ? (const void *)((const char *)eh + eh->e_phoff) : NULL;
}

/* Will the object be mapped until the process ends? */
static bool
stays(const struct scan *s, const struct dl_phdr_info *info)
{
	return info->dlpi_phdr == vdso_phdr() ||
	       unwind_initial_has(&s->initial, info->dlpi_phdr);
}

static void
drop_rows(struct shelved *s)
{
	if (s->rows.row)
		munmap(s->rows.row, s->rows.n_bytes);
	s->rows = (struct cfi_rows){ 0 };
}

/* Keep the rows of an object that no tables have any more, instead of the
 * oldest. */
static void
shelve(const struct unwind_object *o)
{
	struct shelved *shelf = refresher.shelf;
	size_t n_bytes = 0;

	drop_rows(&shelf[N_SHELF - 1]);
	memmove(shelf + 1, shelf, (N_SHELF - 1) * sizeof(*shelf));
	shelf[0] = (struct shelved){
		o->id, { o->row, o->n_row, o->n_bytes, o->n_refused }
	};
	for (size_t i = 0; i < N_SHELF; i++) {
		n_bytes += shelf[i].rows.n_bytes;
		if (n_bytes > SHELF_BYTES)
			drop_rows(&shelf[i]);
	}
}

/* Take the rows of this object off the shelf. False: they are not there. */
static bool
unshelve(const struct unwind_object *o, struct cfi_rows *rows)
{
	for (size_t i = 0; i < N_SHELF; i++) {
		struct shelved *s = &refresher.shelf[i];

		if (!s->rows.row || s->id != o->id)
			continue;
		*rows = s->rows;
		s->rows = (struct cfi_rows){ 0 };
		return true;
	}
	return false;
}

/* Add the published form of an object, with its rows from old or the shelf if
 * they are there. */
static int
add_object(struct scan *s, const struct dl_phdr_info *info)
{
	struct unwind_object *o = &s->new->object[s->n];
	struct cfi_image image;
	struct cfi_rows rows = { 0 };
	int err = 0;

	if (!unwind_image_init(&image, info))
		return 0;
	*o = (struct unwind_object){ .lo = image.text_lo,
				     .hi = image.text_hi,
				     .id = unwind_image_id(&image, info) };
	for (size_t i = 0; s->old && i < s->old->n_object; i++)
		if (s->old->object[i].id == o->id &&
		    s->old->object[i].lo == o->lo) {
			*o = s->old->object[i];
			s->n++;
			return 0;
		}
	o->image = image;
	if (image.hdr && stays(s, info))
		unwind_entry_hdr(&image, &o->search);
	if (image.hdr && !o->search.n && !unshelve(o, &rows))
		err = unwind_cfi_compile(&image, refresher.pool, &rows);
	o->row = rows.row;
	o->n_row = rows.n_row;
	o->n_bytes = rows.n_bytes;
	o->n_refused = rows.n_refused;
	s->n++;
	return err == EFBIG ? 0 : err;
}

/* Add the kernel's vDSO, if the loader does not list it. */
static int
add_vdso(struct scan *s)
{
	const ElfW(Ehdr) *eh = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct dl_phdr_info info = { .dlpi_phdr = vdso_phdr() };

	if (!eh || s->vdso_seen || s->n == s->cap)
		return 0;
	info.dlpi_phnum = eh->e_phnum;
	for (int i = 0; i < info.dlpi_phnum; i++)
		if (info.dlpi_phdr[i].p_type == PT_LOAD) {
			info.dlpi_addr = (uintptr_t)eh +
					 info.dlpi_phdr[i].p_offset -
					 info.dlpi_phdr[i].p_vaddr;
			return add_object(s, &info);
		}
	return 0;
}

static int
visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct scan *s = arg;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) +
			    sizeof(info->dlpi_subs)) {
		s->adds = info->dlpi_adds;
		s->subs = info->dlpi_subs;
		if (!s->new &&refresher.done && s->adds == refresher.adds &&
		    s->subs == refresher.subs) {
			s->unchanged = true;
			return 1;
		}
	}
	for (int i = 0; vdso && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == vdso)
			s->vdso_seen = true;
	if (!s->new) {
		s->n++;
		return 0;
	}
	/* More objects than were counted: the loader will cause another
	 * refresh. */
	if (s->n == s->cap)
		return 1;
	s->err = add_object(s, info);
	return s->err != 0;
}

static void
sort_objects(struct unwind_tables *t)
{
	for (size_t i = 1; i < t->n_object; i++) {
		struct unwind_object o = t->object[i];
		size_t k = i;

		for (; k > 0 && t->object[k - 1].lo > o.lo; k--)
			t->object[k] = t->object[k - 1];
		t->object[k] = o;
	}
}

/* Unmap t, and shelve rows that no later tables use. */
static void
free_tables(struct unwind_tables *t)
{
	for (size_t i = 0; i < t->n_object; i++)
		if (!t->object[i].kept && t->object[i].row)
			shelve(&t->object[i]);
	munmap(t, t->n_bytes);
}

/*
 * Was each reader count zero at some moment? After a swap of the pointer that
 * is enough: a walk that counts itself later loads the new one.
 */
static bool
no_reader(void)
{
	for (unsigned i = 0; i < N_READER; i++)
		for (unsigned k = 0; atomic_load(&unwind_state.reader[i].n);
		     k++)
			if (k == SPINS)
				return false;
	return true;
}

static void
free_retired(void)
{
	if (!refresher.retired || !no_reader())
		return;
	refresher.stuck = false;
	while (refresher.retired) {
		struct unwind_tables *t = refresher.retired;

		refresher.retired = t->next;
		refresher.n_retired--;
		free_tables(t);
	}
}

/* At the limit: wait for preempted readers. */
static bool
wait_retired(void)
{
	const struct timespec ms = { 0, 1000000 };

	for (unsigned i = 0; i < WAITS && !refresher.stuck &&
			     refresher.n_retired >= MAX_RETIRED;
	     i++) {
		nanosleep(&ms, NULL);
		free_retired();
	}
	refresher.stuck = refresher.n_retired >= MAX_RETIRED;
	return !refresher.stuck;
}

/* Mark in old the objects whose rows new uses. */
static void
mark_kept(struct unwind_tables *old, const struct unwind_tables *new)
{
	for (size_t i = 0; old && i < old->n_object; i++)
		for (size_t k = 0; k < new->n_object; k++)
			if (old->object[i].row == new->object[k].row)
				old->object[i].kept = true;
}

/* Replace the tables by new ones. */
static void
publish(struct unwind_tables *new)
{
	struct unwind_tables *old = atomic_load(&unwind_state.tables);

	mark_kept(old, new);
	atomic_store(&unwind_state.tables, new);
	if (old) {
		old->next = refresher.retired;
		refresher.retired = old;
		refresher.n_retired++;
	}
	free_retired();
}

/* Free incomplete tables, and only their new rows. */
static void
abandon(struct scan *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; s->old && k < s->old->n_object; k++)
			if (s->new->object[i].row == s->old->object[k].row)
				s->new->object[i].kept = true;
	s->new->n_object = s->n;
	free_tables(s->new);
}

static int
rebuild(void)
{
	struct scan count = { 0 }, fill = { 0 };
	size_t n_bytes;

	dl_iterate_phdr(visit, &count);
	if (count.unchanged)
		return 0;
	free_retired();
	if (!wait_retired())
		return EAGAIN;
	if (!refresher.pool) {
		refresher.pool = unwind_map(sizeof(*refresher.pool));
		if (refresher.pool) /* WORD_ROOT */
			unwind_row_root(refresher.pool);
	}
	fill.cap = count.n + 2; /* the vDSO, and one loaded meanwhile */
	n_bytes = sizeof(*fill.new) + fill.cap * sizeof(fill.new->object[0]);
	fill.new = unwind_map(n_bytes);
	fill.old = atomic_load(&unwind_state.tables);
	if (!fill.new || !refresher.pool) {
		if (fill.new)
			munmap(fill.new, n_bytes);
		return ENOMEM;
	}
	fill.new->n_bytes = n_bytes;
	fill.new->pool = refresher.pool;
	if (!fill.old)
		unwind_initial_find(&fill.initial);
	dl_iterate_phdr(visit, &fill);
	if (!fill.err)
		fill.err = add_vdso(&fill);
	unwind_initial_free(&fill.initial);
	if (fill.err) {
		abandon(&fill);
		return fill.err;
	}
	fill.new->n_object = fill.n;
	sort_objects(fill.new);
	publish(fill.new);
	refresher.adds = fill.adds;
	refresher.subs = fill.subs;
	refresher.done = true;
	return 0;
}

/* Publish the tables without the objects whose code is at one of these
 * addresses. */
static int
leave_out(const uintptr_t *code, size_t n_code)
{
	const struct unwind_tables *old = atomic_load(&unwind_state.tables);
	struct unwind_tables *new;

	if (!old || refresher.n_retired >= MAX_RETIRED)
		return old ? EAGAIN : 0;
	new = unwind_map(old->n_bytes);
	if (!new)
		return ENOMEM;
	new->n_bytes = old->n_bytes;
	new->pool = old->pool;
	for (size_t i = 0; i < old->n_object; i++) {
		const struct unwind_object *o = &old->object[i];
		bool is_out = false;

		for (size_t k = 0; k < n_code; k++)
			is_out |= code[k] >= o->lo && code[k] < o->hi;
		if (!is_out)
			new->object[new->n_object++] = *o;
	}
	publish(new);
	/* The next refresh is not to find that nothing has changed. */
	refresher.done = false;
	return 0;
}

int
unwind_refresh(void)
{
	unsigned n = atomic_fetch_add(&refresher.pending, 1) + 1;
	int err;

	if (n > 1)
		return 0;
	do {
		err = ARCH_HAS_ROWS ? rebuild() : 0;
	} while (!atomic_compare_exchange_strong(&refresher.pending, &n, 0));
	return err;
}

int
unwind_forget(const uintptr_t *code, size_t n_code)
{
	unsigned none = 0;
	int err;

	if (!atomic_compare_exchange_strong(&refresher.pending, &none, 1))
		return EAGAIN;
	err = ARCH_HAS_ROWS ? leave_out(code, n_code) : 0;
	atomic_store(&refresher.pending, 0);
	return err;
}

void
unwind_atfork_child(void)
{
	for (unsigned i = 0; i < N_READER; i++)
		atomic_store(&unwind_state.reader[i].n, 0);
	atomic_store(&refresher.pending, 0);
}

void
unwind_stats(struct unwind_stats *stats)
{
	const struct unwind_tables *t = atomic_load(&unwind_state.tables);

	*stats = (struct unwind_stats){ .n_retired = refresher.n_retired };
	if (!t)
		return;
	stats->n_bytes = t->n_bytes + sizeof(*t->pool);
	for (size_t i = 0; i < t->n_object; i++) {
		stats->n_object +=
			t->object[i].n_row > 0 || t->object[i].search.n > 0;
		stats->n_row += t->object[i].n_row;
		stats->n_bytes += t->object[i].n_bytes;
		stats->n_refused += t->object[i].n_refused;
	}
}
