/*
 * drain.c - read the shared memory while samplers write into it. They are other
 * processes, and may have failed or died in any state: every length and number
 * is checked, and a stack's hash must match.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drain.h"

enum {
	MAX_NOTE = 100,    /* lines for the user */
	MAX_TRY = 1000,    /* tries to take an entry that others change */
	TABLE_PASSES = 10, /* passes of the log per pass of the table, except
			      the first: short-lived processes must be read
			      while they live (tally-maps.c) */
	STUCK_PASSES = 20, /* full passes until a writer is considered dead */
	END_PASSES = 20,   /* the same, at the end */
	MANY = SHM_N_SLOT / 16, /* records between two passes */
};

#define NEVER UINT_MAX

enum prof_status
drain_open(struct drain *d, const struct drain_config *config,
	   struct prof_err *err)
{
	uint32_t what = config->what ? config->what : SHM_CPU;
	struct shm *shm = MAP_FAILED;
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	unsigned levels;

	memset(d, 0, sizeof(*d));
	d->stuck = UINT64_MAX;
	d->pause_ms = DRAIN_PASS_MS;
	d->n_read = what == SHM_CPU ? 0 : SHM_N_SLOT;
	getrlimit(RLIMIT_AS, &limit);
	d->fd = memfd_create(SHM_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* With less of the heap's tables, if the address space is limited. */
	for (levels = SHM_LIVE_LEVELS;
	     d->fd >= 0 && shm == MAP_FAILED && levels > 0; levels--) {
		d->size = shm_size(what, levels);
		if (d->size > limit.rlim_cur / 4 && levels > 1)
			continue;
		if (shm_resize(d->fd, d->size) != 0)
			break;
		shm = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			   d->fd, 0);
	}
	/* Sealed, so that no process can shrink it while it is mapped here. */
	if (shm == MAP_FAILED ||
	    fcntl(d->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
	    getrandom(&shm->set.nonce, sizeof(shm->set.nonce), 0) < 0) {
		int saved = errno;

		if (d->fd >= 0)
			close(d->fd);
		return prof_fail(err, PROF_EIO, "cannot share memory: %s",
				 strerror(saved));
	}
	shm->set.magic = SHM_MAGIC;
	shm->set.version = SHM_VERSION;
	shm->set.size = d->size;
	shm->set.what = what;
	shm->set.period_ns = config->period_ns;
	shm->set.heap_period = config->heap_period;
	shm->set.lock_period = config->lock_period;
	shm->set.clock = config->clock;
	shm->set.children = config->children;
	shm->set.signal = (uint32_t)config->signal;
	shm->set.labels = config->labels;
	shm->set.interp = config->interp;
	shm->set.live_levels = levels + 1;
	d->set = shm->set;
	d->shm = shm;
	d->heap = shm_heap(shm, what);
	d->taken = calloc(SHM_N_ENTRY, sizeof(*d->taken));
	if (!d->taken) {
		drain_close(d);
		return prof_nomem(err);
	}
	return PROF_OK;
}

enum prof_status
drain_attach(struct drain *d, int fd, struct prof_err *err)
{
	int seals = fcntl(fd, F_GET_SEALS); /* -1: no memfd */
	struct stat st;

	memset(d, 0, sizeof(*d));
	d->stuck = UINT64_MAX;
	d->pause_ms = DRAIN_PASS_MS;
	d->fd = fd;
	d->size = sizeof(*d->shm);
	d->shm = MAP_FAILED;
	if (fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof(*d->shm) &&
	    seals >= 0 && seals & F_SEAL_SHRINK)
		d->shm = mmap(NULL, sizeof(*d->shm), PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
	if (d->shm != MAP_FAILED)
		d->set = d->shm->set;
	if (d->set.magic != SHM_MAGIC || d->set.version != SHM_VERSION ||
	    !d->set.period_ns || d->set.what != SHM_CPU)
		return prof_fail(err, PROF_EIO,
				 "not the memory of this version of libsample");
	d->taken = calloc(SHM_N_ENTRY, sizeof(*d->taken));
	return d->taken ? PROF_OK : prof_nomem(err);
}

void
drain_close(struct drain *d)
{
	free(d->taken);
	munmap(d->shm, d->size);
	close(d->fd);
}

void
drain_name(const struct drain *d, char *text, size_t size)
{
	snprintf(text, size, "/proc/%d/fd/%d,%" PRIx64, (int)getpid(), d->fd,
		 d->set.nonce);
}

static void
note(struct drain *d, const char *text)
{
	if (d->note && d->n_note++ < MAX_NOTE)
		d->note(text);
}

/* Note that words have values that samplers do not write; print it once. */
static void
note_damage(struct drain *d)
{
	if (!d->is_damaged)
		note(d, "the program wrote into the memory that it shares "
			"with the recorder: samples were lost");
	d->is_damaged = true;
}

static void
note_orphan(struct drain *d, const struct shm_space *s)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "%.32s[%d]: the list of what its parent had loaded is no "
		 "longer kept: its code has no names",
		 s->name, (int)s->pid);
	note(d, text);
}

static void
take_record(struct drain *d, struct tally *t, const struct shm_slot *slot)
{
	size_t n = slot->count;

	if (slot->kind == SHM_STACK) {
		uint64_t key = slot->u.stack.key;
		uint32_t depth = SHM_KEY_DEPTH(key);

		if (depth <= SHM_DEPTH &&
		    shm_hash(key, slot->u.stack.pc, depth) == slot->hash)
			tally_stack(t, key, slot->u.stack.pc, n, 1);
		else
			atomic_fetch_add(&d->shm->process->n_lost, n);
		return;
	}
	if (n > sizeof(slot->u))
		return;
	switch (slot->kind) {
	case SHM_SPACE:
		if (!tally_space(t, &slot->u.space, n))
			note_orphan(d, &slot->u.space);
		break;
	case SHM_MODULE:
		tally_module(t, &slot->u.module, n);
		break;
	case SHM_GONE:
		tally_gone(t, &slot->u.gone, n);
		break;
	case SHM_LABEL:
		tally_label(t, &slot->u.label, n);
		break;
	case SHM_CODE:
		tally_code(t, &slot->u.code, n);
		break;
	case SHM_LINES_PART:
		tally_lines_part(t, &slot->u.lines, n);
		break;
	case SHM_NOTE:
		if (memchr(slot->u.bytes, '\0', n))
			note(d, slot->u.bytes);
		break;
	}
}

/*
 * The head is where no sampler can have moved it. Begin again, in a new lap:
 * the contents of the slots are lost.
 */
static void
mend_log(struct drain *d)
{
	uint64_t lap = SHM_TURN(d->tail) + 2 * SHM_N_SLOT;

	note_damage(d);
	for (size_t i = 0; i < SHM_N_SLOT; i++)
		atomic_store(&d->shm->slot[i].turn, lap);
	atomic_store(&d->shm->head, lap);
	d->tail = lap;
}

/* Copy a record up to its end. */
static void
copy_record(struct shm_slot *copy, const struct shm_slot *slot)
{
	const size_t begin = offsetof(struct shm_slot, u.stack.pc);
	size_t room = sizeof(*slot) - begin, n;

	/* Copied once: it may change at any time. */
	memcpy(copy, slot, begin);
	n = copy->kind == SHM_STACK
		    ? SHM_KEY_DEPTH(copy->u.stack.key) * sizeof(uint64_t)
		    : copy->count;
	memcpy((char *)copy + begin, (const char *)slot + begin,
	       n < room ? n : room);
}

/*
 * Read the log up to the first unfinished slot. If that one has been unfinished
 * for patience passes (NEVER: it stays), free it, as its writer was killed: one
 * tick is lost with it. A writer that was only stopped corrects that
 * (libsample/table.c).
 */
static void
read_log(struct drain *d, struct tally *t, unsigned patience)
{
	uint64_t head = atomic_load(&d->shm->head);

	/* Also true if it is below the tail. */
	if (head - d->tail > SHM_N_SLOT) {
		mend_log(d);
		return;
	}
	while (d->tail < head) {
		struct shm_slot *slot = &d->shm->slot[d->tail % SHM_N_SLOT];
		uint64_t open = SHM_TURN(d->tail);
		uint64_t turn =
			atomic_load_explicit(&slot->turn, memory_order_acquire);

		if (turn == open + 1) {
			/* Copy it, as a stopped writer may continue. */
			struct shm_slot copy;

			copy_record(&copy, slot);
			take_record(d, t, &copy);
			atomic_store_explicit(&slot->turn, open + SHM_N_SLOT,
					      memory_order_release);
		} else if (turn != open) {
			note_damage(d);
			atomic_store(&slot->turn, open + SHM_N_SLOT);
			atomic_fetch_add(&d->shm->process->n_lost, 1);
		} else {
			if (d->stuck != d->tail) {
				d->stuck = d->tail;
				d->n_stuck = 0;
			}
			if (patience == NEVER || d->n_stuck++ < patience)
				return;
			turn = open;
			if (!atomic_compare_exchange_strong(&slot->turn, &turn,
							    open + SHM_N_SLOT))
				continue; /* finished just now */
			atomic_fetch_add(&d->shm->process->n_lost, 1);
		}
		d->tail++;
	}
}

/* Take the count of entry i, with its stack, into *copy; the entry keeps the
 * stack. */
static bool
take_entry(struct drain *d, size_t i, struct drain_entry *copy)
{
	struct shm_mark *m = &d->shm->mark[i];
	struct shm_entry *e = &d->shm->entry[i];
	uint64_t state = atomic_load_explicit(&m->state, memory_order_acquire);

	for (int try = 0;
	     try < MAX_TRY && SHM_COUNT(state) && !(SHM_GENERATION(state) & 1);
	     try++) {
		uint64_t generation = SHM_GENERATION(state);
		uint64_t hash =
			atomic_load_explicit(&m->hash, memory_order_relaxed);
		uint64_t key =
			atomic_load_explicit(&e->key, memory_order_relaxed);
		uint32_t depth = SHM_KEY_DEPTH(key);

		for (uint32_t k = 0; k < depth && k < SHM_ENTRY_DEPTH; k++)
			copy->pc[k] = atomic_load_explicit(
				&e->pc[k], memory_order_relaxed);
		/* While it has a count, only the count can change. */
		if (!atomic_compare_exchange_strong(
			    &m->state, &state, SHM_STATE(generation, 0, 0)))
			continue;
		copy->key = key;
		copy->ticks = SHM_COUNT(state);
		copy->signals = SHM_CALLS(state);
		if (depth <= SHM_ENTRY_DEPTH &&
		    shm_hash(key, copy->pc, depth) == hash)
			return true;
		atomic_fetch_add(&d->shm->process->n_lost, copy->ticks);
		return false;
	}
	return false;
}

/*
 * Take all counts of the table, then read the log again, and only then resolve
 * the stacks: records of modules precede the stacks that need them.
 */
static void
read_table(struct drain *d, struct tally *t, unsigned patience)
{
	size_t n = 0;

	for (size_t i = 0; i < SHM_N_ENTRY; i++)
		if (take_entry(d, i, &d->taken[n]))
			n++;
	read_log(d, t, patience);
	for (size_t i = 0; i < n; i++)
		tally_stack(t, d->taken[i].key, d->taken[i].pc,
			    d->taken[i].ticks, d->taken[i].signals);
}

void
drain_table(struct drain *d, struct tally *t)
{
	read_table(d, t, STUCK_PASSES);
	drain_live(d, t);
}

int
drain_pause_ms(struct drain *d)
{
	if (d->n_read > MANY)
		d->pause_ms = 1;
	else if (2 * d->pause_ms < DRAIN_PASS_MS)
		d->pause_ms *= 2;
	else
		d->pause_ms = DRAIN_PASS_MS;
	return d->pause_ms;
}

/*
 * Read the table less often, as it does not overflow; but while it keeps
 * counts, more new stacks go to the log. Early passes do not count against a
 * writer, which another process may have interrupted.
 */
void
drain_pass(struct drain *d, struct tally *t)
{
	unsigned patience = d->pause_ms < DRAIN_PASS_MS ? NEVER : STUCK_PASSES;
	uint64_t before = d->tail;

	read_log(d, t, patience);
	if (d->tail == atomic_load(&d->shm->head) &&
	    (++d->n_pass % TABLE_PASSES == 0 || d->n_pass < TABLE_PASSES ||
	     d->tail - before > MANY))
		read_table(d, t, patience);
	d->n_read = d->tail - before;
	if (d->n_pass % TABLE_PASSES == 0 && d->heap)
		drain_make_room(d, t);
}

void
drain_end(struct drain *d, struct tally *t)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	atomic_store(&d->shm->stop, 1);
	/* Other processes may be writing a record. */
	for (int i = 0; i <= END_PASSES; i++) {
		read_log(d, t, END_PASSES - 1);
		if (d->tail == atomic_load(&d->shm->head))
			break;
		nanosleep(&ms, NULL);
	}
	read_table(d, t, 0);
	drain_live(d, t);
}

static void
source_pass(void *drain, struct tally *t)
{
	drain_pass(drain, t);
}

static void
source_look(void *drain, struct tally *t)
{
	drain_table(drain, t);
}

static void
source_end(void *drain, struct tally *t)
{
	drain_end(drain, t);
}

struct recording_source
drain_source(struct drain *d)
{
	return (struct recording_source){ .ctx = d,
					  .pass = source_pass,
					  .look = source_look,
					  .end = source_end,
					  .set = &d->set,
					  .shm = d->shm,
					  .sampler = "libsample" };
}
