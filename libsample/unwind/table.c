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

#include "publish.h"

#define WAITS 100 /* milliseconds: several time slices of a thread */

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
	if (image.hdr && !o->search.n && !unwind_unshelve(o, &rows))
		err = unwind_cfi_compile(&image, unwind_refresher.pool, &rows);
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
visit_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct scan *s = arg;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) +
			    sizeof(info->dlpi_subs)) {
		s->adds = info->dlpi_adds;
		s->subs = info->dlpi_subs;
		if (!s->new &&unwind_refresher.done &&
		    s->adds == unwind_refresher.adds &&
		    s->subs == unwind_refresher.subs) {
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

/* At the limit: wait for preempted readers. */
static bool
wait_retired(void)
{
	const struct timespec ms = { 0, 1000000 };

	for (unsigned i = 0; i < WAITS && !unwind_refresher.stuck &&
			     unwind_refresher.n_retired >= MAX_RETIRED;
	     i++) {
		nanosleep(&ms, NULL);
		unwind_free_retired();
	}
	unwind_refresher.stuck = unwind_refresher.n_retired >= MAX_RETIRED;
	return !unwind_refresher.stuck;
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
	unwind_free_tables(s->new);
}

static int
rebuild(void)
{
	struct scan count = { 0 }, fill = { 0 };
	size_t n_bytes;

	unwind_each(visit_module, &count);
	if (count.unchanged)
		return 0;
	unwind_free_retired();
	if (!wait_retired())
		return EAGAIN;
	if (!unwind_refresher.pool) {
		unwind_refresher.pool =
			unwind_map(sizeof(*unwind_refresher.pool));
		if (unwind_refresher.pool) /* WORD_ROOT */
			unwind_row_root(unwind_refresher.pool);
	}
	fill.cap = count.n + 2; /* the vDSO, and one loaded meanwhile */
	n_bytes = sizeof(*fill.new) + fill.cap * sizeof(fill.new->object[0]);
	fill.new = unwind_map(n_bytes);
	fill.old = atomic_load(&unwind_state.tables);
	if (!fill.new || !unwind_refresher.pool) {
		if (fill.new)
			munmap(fill.new, n_bytes);
		return ENOMEM;
	}
	fill.new->n_bytes = n_bytes;
	fill.new->pool = unwind_refresher.pool;
	if (!fill.old)
		unwind_initial_find(&fill.initial);
	unwind_each(visit_module, &fill);
	if (!fill.err)
		fill.err = add_vdso(&fill);
	unwind_initial_free(&fill.initial);
	if (fill.err) {
		abandon(&fill);
		return fill.err;
	}
	fill.new->n_object = fill.n;
	sort_objects(fill.new);
	unwind_publish(fill.new);
	unwind_refresher.adds = fill.adds;
	unwind_refresher.subs = fill.subs;
	unwind_refresher.done = true;
	return 0;
}

int
unwind_refresh(void)
{
	unsigned n = atomic_fetch_add(&unwind_refresher.pending, 1) + 1;
	int err;

	if (n > 1)
		return 0;
	do {
		err = ARCH_HAS_ROWS ? rebuild() : 0;
	} while (!atomic_compare_exchange_strong(&unwind_refresher.pending, &n,
						 0));
	return err;
}

void
unwind_atfork_child(void)
{
	for (unsigned i = 0; i < N_READER; i++)
		atomic_store(&unwind_state.reader[i].n, 0);
	atomic_store(&unwind_refresher.pending, 0);
}

void
unwind_stats(struct unwind_stats *stats)
{
	const struct unwind_tables *t = atomic_load(&unwind_state.tables);

	*stats = (struct unwind_stats){ .n_retired =
						unwind_refresher.n_retired };
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
