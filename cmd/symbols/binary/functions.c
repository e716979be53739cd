/*
 * functions.c - functions, inlined functions and lines of many addresses of one
 * object; see binary.h. The ranges of all units assign each address to a unit.
 * Each unit with an address is then read once (symbols/dwarf/scan.h), by
 * several threads, and its answers are passed on in the order of the units.
 */
#include "config.h"

#include "impl.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "symbols/dwarf/range.h"
#include "symbols/dwarf/scan.h"
#include "symbols/elf/note.h"

#define NONE UINT32_MAX
#define AHEAD 8 /* units per thread that may wait for their turn */

/* A unit that has some of the addresses. */
struct job {
	const struct dwarf_unit *unit;
	size_t first, n;   /* in batch.sorted */
	struct scan *scan; /* NULL: not yet, or no memory */
	bool done;
};

struct batch {
	const uint64_t *addr;
	size_t n;
	symbol_fn *fn;
	void *ctx;
	struct scan_object object;
	struct dwarf_budget budget;

	uint32_t *unit;   /* by address: the unit that has it, or NONE */
	uint64_t *sorted; /* the addresses by unit */
	size_t *index;    /* ... and their places in addr */
	struct job *job;
	size_t n_job;
	bool damaged; /* something was skipped */
	bool nomem;

	/* Shared by the threads. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t taken, told; /* jobs */
	size_t ahead;       /* jobs that may be taken beyond told */
};

/* --- which unit --- */

/* Is it a unit with code of its own? Partial and type units are only referred
 * to by others. */
static bool
is_code_unit(const struct dwarf_unit *u)
{
	return u->tag == DW_TAG_compile_unit || u->tag == DW_TAG_skeleton_unit;
}

/*
 * Assign to a unit its addresses that no unit has yet. false: it does not say
 * where its code is.
 */
static bool
claim(struct batch *b, uint32_t id, const struct dwarf_unit *u)
{
	uint64_t start, end, work = 1;
	struct dwarf_ranges r;
	bool has_ranges = false;

	ranges_begin(&r, u, &u->low, &u->high, &u->range_list);
	while (ranges_next(&r, &start, &end)) {
		size_t i;

		/* Thousands of units may share one list. */
		if (!budget_spend(&b->budget, work))
			break;
		work = 1;
		if (start >= end)
			continue;
		has_ranges = true;
		i = search_from(b->addr, b->n, sizeof(*b->addr), 0, start);
		if (i == b->n || b->addr[i] >= end ||
		    !code_end(b->object.code, start))
			continue;
		for (; i < b->n && b->addr[i] < end; i++, work++)
			if (b->unit[i] == NONE)
				b->unit[i] = id;
	}
	if (r.c.bad || !budget_spend(&b->budget, work))
		b->damaged = true;
	return has_ranges;
}

/* Sort the addresses by unit, and make a job of each unit that has any. */
static void
make_jobs(struct batch *b, const struct dwarf_file *f)
{
	size_t *count = calloc(f->n_unit + 1, sizeof(*count)), at = 0;

	if (count)
		for (size_t i = 0; i < b->n; i++)
			if (b->unit[i] != NONE)
				b->n_job += !count[b->unit[i]]++;
	b->job = calloc(b->n_job + 1, sizeof(*b->job));
	if (!count || !b->job) {
		b->nomem = true;
		b->n_job = 0;
		free(count);
		return;
	}
	b->n_job = 0;
	for (size_t u = 0; u < f->n_unit; u++) {
		size_t n = count[u];

		count[u] = at;
		if (n)
			b->job[b->n_job++] = (struct job){ .unit = &f->unit[u],
							   .first = at,
							   .n = n };
		at += n;
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->unit[i] != NONE) {
			size_t k = count[b->unit[i]]++;

			b->sorted[k] = b->addr[i];
			b->index[k] = i;
		}
	free(count);
}

/* --- the work --- */

/*
 * Pass on the frames at the addresses whose places begin at index, and free the
 * scan.
 */
static void
tell(struct batch *b, struct scan *s, const size_t *index)
{
	struct symbol_frame frame[SCAN_MAX_FRAMES];

	if (!s) {
		b->nomem = true;
		return;
	}
	b->damaged |= s->damaged;
	for (size_t i = 0; i < s->n && !s->nomem; i++) {
		size_t n = scan_frames(s, i, frame);

		if (n) {
			b->unit[index[i]] = 0; /* not NONE */
			b->fn(b->ctx, index[i], frame, n);
		}
	}
	b->nomem |= s->nomem || s->lines.nomem; /* lines_path() */
	scan_release(s);
	free(s);
}

static void
run_job(struct batch *b, struct job *j, struct abbrev_cache *cache)
{
	j->scan = malloc(sizeof(*j->scan));
	if (j->scan)
		scan_unit(j->scan, &b->object, j->unit, true,
			  &b->sorted[j->first], j->n, cache);
}

static void *
work(void *arg)
{
	struct abbrev_cache cache = { 0 };
	struct batch *b = arg;

	pthread_mutex_lock(&b->lock);
	while (b->taken < b->n_job) {
		struct job *j;

		if (b->taken >= b->told + b->ahead) {
			pthread_cond_wait(&b->changed, &b->lock);
			continue;
		}
		j = &b->job[b->taken++];
		pthread_mutex_unlock(&b->lock);
		run_job(b, j, &cache);
		pthread_mutex_lock(&b->lock);
		j->done = true;
		pthread_cond_broadcast(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	abbrev_cache_release(&cache);
	return NULL;
}

/* Pass on the answers of each job, in order, when a thread has finished it. */
static void
tell_all(struct batch *b)
{
	for (size_t i = 0; i < b->n_job; i++) {
		struct job *j = &b->job[i];

		pthread_mutex_lock(&b->lock);
		while (!j->done)
			pthread_cond_wait(&b->changed, &b->lock);
		pthread_mutex_unlock(&b->lock);
		tell(b, j->scan, &b->index[j->first]);
		pthread_mutex_lock(&b->lock);
		b->told++;
		pthread_cond_broadcast(&b->changed);
		pthread_mutex_unlock(&b->lock);
	}
}

static void
run_jobs(struct batch *b, unsigned n_thread, struct abbrev_cache *cache)
{
	pthread_t *thread = NULL;
	unsigned n = 0;

	if (n_thread > b->n_job)
		n_thread = (unsigned)b->n_job;
	if (n_thread > 1)
		thread = calloc(n_thread, sizeof(*thread));
	b->ahead = (size_t)n_thread * AHEAD;
	while (thread && n < n_thread &&
	       pthread_create(&thread[n], NULL, work, b) == 0)
		n++;
	if (n) {
		tell_all(b);
		while (n)
			pthread_join(thread[--n], NULL);
		free(thread);
		return;
	}
	free(thread);
	for (size_t i = 0; i < b->n_job; i++) {
		struct job *j = &b->job[i];

		run_job(b, j, cache);
		tell(b, j->scan, &b->index[j->first]);
	}
}

/*
 * Look up the addresses that are left in the units that do not say where their
 * code is.
 */
static void
run_rest(struct batch *b, const struct dwarf_file *f, const bool *is_vague,
	 struct abbrev_cache *cache)
{
	for (size_t u = 0; u < f->n_unit && !b->nomem; u++) {
		struct scan *scan;
		size_t n = 0;

		if (!is_vague[u])
			continue;
		for (size_t i = 0; i < b->n; i++)
			if (b->unit[i] == NONE) {
				b->sorted[n] = b->addr[i];
				b->index[n++] = i;
			}
		if (n == 0 || !budget_spend(&b->budget, n))
			return;
		scan = malloc(sizeof(*scan));
		if (scan)
			scan_unit(scan, &b->object, &f->unit[u], false,
				  b->sorted, n, cache);
		tell(b, scan, b->index);
	}
}

static void
run_batch(struct batch *b, struct dwarf_file *f, unsigned n_thread)
{
	struct abbrev_cache cache = { 0 };
	bool *is_vague;

	if (!dwarf_units_read(f, true, &b->budget, &b->damaged)) {
		b->nomem = true;
		return;
	}
	is_vague = calloc(f->n_unit + 1, sizeof(*is_vague));
	if (!is_vague) {
		b->nomem = true;
		return;
	}
	for (size_t u = 0; u < f->n_unit && u < NONE; u++)
		is_vague[u] = is_code_unit(&f->unit[u]) &&
			      !claim(b, (uint32_t)u, &f->unit[u]);
	make_jobs(b, f);
	run_jobs(b, n_thread, &cache);
	run_rest(b, f, is_vague, &cache);
	abbrev_cache_release(&cache);
	free(is_vague);
}

enum prof_status
functions_run(const struct object *o, const struct object *sup,
	      const struct code_map *code, const uint64_t *addr, size_t n,
	      unsigned n_thread, symbol_fn *fn, void *ctx, struct prof_err *err)
{
	struct dwarf_object package = { 0 };
	struct split_seen seen = { .lock = PTHREAD_MUTEX_INITIALIZER };
	char sup_id[BUILD_ID_TEXT];
	const char *sup_name = note_altlink(o->elf, sup_id);
	struct dwarf_file file, sup_file = { 0 };
	struct batch b = {
		.addr = addr,
		.n = n,
		.fn = fn,
		.ctx = ctx,
		.object = { &file, o, &package, code, &b.budget, &seen },
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	enum prof_status st = PROF_OK;

	if (n == 0)
		return PROF_OK;
	if (!dwarf_file_init(&file, o, false))
		return prof_fail(err, PROF_EFORMAT, "damaged ELF file");
	atomic_init(&b.budget.left, 0);
	budget_add(&b.budget, file.size + 128 * (uint64_t)n);
	if (sup->elf && dwarf_file_init(&sup_file, sup, false)) {
		budget_add(&b.budget, sup_file.size);
		if (!dwarf_units_read(&sup_file, false, &b.budget, &b.damaged))
			b.nomem = true;
		file.sup = &sup_file;
	}
	if (split_open_package(&package, o))
		budget_add(&b.budget, package.file.size);
	b.unit = reallocarray(NULL, n, sizeof(*b.unit));
	b.sorted = reallocarray(NULL, n, sizeof(*b.sorted));
	b.index = reallocarray(NULL, n, sizeof(*b.index));
	if (b.unit && b.sorted && b.index && !b.nomem) {
		memset(b.unit, 0xff, n * sizeof(*b.unit)); /* NONE */
		run_batch(&b, &file, n_thread);
	} else {
		b.nomem = true;
	}
	if (b.nomem)
		st = prof_nomem(err);
	else if (sup_name && !file.sup)
		st = prof_fail(err, PROF_EFORMAT,
			       "the common file of dwz, %s (build-id %s), was "
			       "not found",
			       sup_name, sup_id);
	else if (b.damaged)
		st = prof_fail(err, PROF_EFORMAT, "damaged DWARF");
	free(b.unit);
	free(b.sorted);
	free(b.index);
	free(b.job);
	dwarf_file_release(&file);
	dwarf_object_close(&package);
	dwarf_file_release(&sup_file);
	split_seen_release(&seen);
	return st;
}

bool
functions_are_whole(const struct object *o)
{
	struct dwarf_budget budget;
	struct dwarf_file file;
	bool whole, damaged = false;

	if (!dwarf_file_init(&file, o, false))
		return false;
	atomic_init(&budget.left, 0);
	budget_add(&budget, file.size);
	whole = dwarf_units_read(&file, true, &budget, &damaged) && !damaged;
	for (size_t u = 0; u < file.n_unit; u++)
		whole &= !file.unit[u].dwo_name;
	dwarf_file_release(&file);
	return whole;
}
