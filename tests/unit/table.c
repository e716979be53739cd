/*
 * table.c - the table and the log between sampler and recorder, with
 * stacks that are made up: no timer, no signal, no program.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/model/account.h"
#include "lib/model/profile.h"
#include "libsample/table.h"
#include "record/drain.h"
#include "record/launch.h"
#include "tests/unit/unit.h"

static const struct drain_config config = { .period_ns = 1000000 };

struct fixture {
	struct drain d;
	struct tally *t;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct prof_err err;

	f->t = tally_new();
	if (!f->t || drain_open(&f->d, &config, &err) != PROF_OK)
		return -1;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	drain_close(&f->d);
	tally_free(f->t);
	free(f);
	return 0;
}

static struct profile *
finish(struct fixture *f)
{
	struct tally_info info = { .time_ns = 1,
				   .set = &f->d.set,
				   .shm = f->d.shm };
	struct profile *p;
	struct prof_err err;

	drain_end(&f->d, f->t);
	p = tally_profile(f->t, &info);
	assert_non_null(p);
	assert_int_equal(profile_check(p, &err), PROF_OK);
	return p;
}

/* The ticks of all samples. */
static int64_t
total(const struct profile *p)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->n_sample; i++) {
		const int64_t *value = profile_value(p, i);

		assert_int_equal(value[1] % 1000000, 0);
		assert_in_range(value[0], 1, value[1] / 1000000);
		sum += value[1] / 1000000;
	}
	return sum;
}

static int64_t
total_signals(const struct profile *p)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->n_sample; i++)
		sum += profile_value(p, i)[0];
	return sum;
}

static bool
tick(struct shm *shm, uint32_t space, const uintptr_t *pc, size_t n,
     uint32_t ticks)
{
	if (table_add(shm, SHM_KEY(SHM_TICK, space, 0, n), pc, ticks))
		return true;
	atomic_fetch_add(&shm->process->n_lost, ticks);
	return false;
}

/* Stack number n: distinct for distinct n, of 1 to SHM_DEPTH frames. As in
 * programs, callers are the same more often than leaves are. */
static size_t
make(uintptr_t *pc, unsigned n)
{
	size_t depth = 1 + n * 7 % SHM_DEPTH;

	for (size_t i = 0; i < depth; i++)
		pc[i] = 0x1000000 * i + (i ? n % 16 : n);
	return depth;
}

static void
test_equal_stacks_add_up(void **state)
{
	struct fixture *f = *state;
	uintptr_t pc[] = { 0x10, 0x21, 0x31 };
	struct profile *p;

	assert_true(tick(f->d.shm, 1, pc, 3, 1));
	drain_pass(&f->d, f->t);
	assert_true(tick(f->d.shm, 1, pc, 3, 5));
	assert_true(tick(f->d.shm, 1, pc, 2, 7));
	p = finish(f);
	assert_int_equal(p->n_sample, 2);
	assert_int_equal(total(p), 13);
	assert_int_equal(total_signals(p), 3);
	/* Callers point into the call, the leaf where it is. */
	assert_int_equal(
		p->location[profile_stack(p, &p->sample[0])[0]].address, 0x10);
	assert_int_equal(
		p->location[profile_stack(p, &p->sample[0])[1]].address, 0x20);
	profile_free(p);
}

/* More stacks than the table holds, of all depths, read in between or not. */
static void
test_nothing_is_lost(void **state)
{
	struct fixture *f = *state;
	uintptr_t pc[SHM_DEPTH];
	int64_t added = 0;
	struct profile *p;

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned n = 0; n < 6000; n++) {
			assert_true(
				tick(f->d.shm, 1, pc, make(pc, n), n % 3 + 1));
			added += n % 3 + 1;
			if (n % 500 == 0)
				drain_pass(&f->d, f->t);
		}
	}
	p = finish(f);
	assert_int_equal(p->n_sample, 6000);
	assert_int_equal(total(p), added);
	assert_int_equal(total_signals(p), 3 * 6000);
	assert_int_equal(atomic_load(&f->d.shm->process->n_lost), 0);
	profile_free(p);
}

/* A word of the table holds neither count: no tick is lost. */
static void
test_large_counts(void **state)
{
	struct fixture *f = *state;
	uintptr_t pc[] = { 0x10, 0x21 };
	int64_t ticks = 0, signals = 0;
	struct profile *p;

	for (uint32_t n = 1; n; n <<= 1, signals += 3)
		for (int i = 0; i < 3; i++, ticks += n)
			assert_true(tick(f->d.shm, 1, pc, 2, n));
	drain_table(&f->d, f->t);
	for (uint64_t i = 0; i < SHM_CALLS_MAX + 9; i++, ticks++)
		assert_true(tick(f->d.shm, 1, pc, 2, 1));
	signals += SHM_CALLS_MAX;
	p = finish(f);
	assert_int_equal(total(p), ticks);
	assert_int_equal(total_signals(p), signals);
	profile_free(p);
}

/* Nobody reads: what there is no room for is counted. */
static void
test_lost_is_counted(void **state)
{
	struct fixture *f = *state;
	uintptr_t pc[SHM_DEPTH];
	struct profile *p;

	for (unsigned n = 0; n < 20000; n++)
		tick(f->d.shm, 1, pc, make(pc, n), 2);
	p = finish(f);
	assert_in_range(p->n_sample, SHM_N_SLOT, SHM_N_SLOT + SHM_N_ENTRY);
	assert_int_equal(
		total(p) + (int64_t)atomic_load(&f->d.shm->process->n_lost),
		40000);
	profile_free(p);
}

static void
tell_space(struct shm *shm, uint32_t id, uint32_t base, int32_t pid)
{
	struct shm_space s = { .space = id, .base = base, .pid = pid };

	assert_true(table_tell(shm, SHM_SPACE, &s,
			       offsetof(struct shm_space, name), "prog", 5));
}

static void
tell_module(struct shm *shm, uint32_t space, uint64_t start, const char *path)
{
	struct shm_module m = { .space = space,
				.start = start,
				.limit = start + 0x1000,
				.offset = 0x2000,
				.n_build_id = 2,
				.build_id = { 0xab, 0x01 } };

	assert_true(table_tell(shm, SHM_MODULE, &m,
			       offsetof(struct shm_module, path), path,
			       strlen(path) + 1));
}

/* One library at two addresses in two processes is one mapping. */
static void
test_modules_are_unified(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	uintptr_t a = 0x5010, b = 0x9010;
	struct profile *p;

	tell_space(shm, 1, 0, 100);
	tell_module(shm, 1, 0x5000, "/lib/a.so");
	tell_space(shm, 2, 0, 101);
	tell_module(shm, 2, 0x9000, "/lib/a.so");
	tick(shm, 1, &a, 1, 1);
	tick(shm, 2, &b, 1, 1);
	p = finish(f);
	assert_int_equal(p->n_mapping, 1);
	assert_int_equal(p->n_location, 1);
	assert_string_equal(profile_str(p, p->mapping[0].file), "/lib/a.so");
	assert_string_equal(profile_str(p, p->mapping[0].build_id), "ab01");
	assert_int_equal(p->mapping[0].offset, 0x2000);
	/* Two processes: their samples say which is which. */
	assert_int_equal(p->n_sample, 2);
	assert_int_equal(p->sample[0].n_label, 2);
	profile_free(p);
}

/* The program of most ticks comes first, wherever its ticks are. */
static void
test_program_is_first(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	uintptr_t pc[] = { 0x7010, 0x5010 };
	struct profile *p;

	tell_space(shm, 1, 0, 100);
	tell_module(shm, 1, 0x5000, "/bin/sh");
	tell_module(shm, 1, 0x7000, "/lib/a.so");
	tick(shm, 1, pc, 2, 1);
	/* Forked, and then another program. */
	tell_space(shm, 2, 1, 101);
	tell_space(shm, 3, 0, 102);
	tell_module(shm, 3, 0x5000, "/bin/prog");
	tell_module(shm, 3, 0x7000, "/lib/a.so");
	tick(shm, 3, pc, 1, 3);
	tick(shm, 2, pc, 1, 1);
	p = finish(f);
	assert_int_equal(p->n_mapping, 3);
	assert_string_equal(profile_str(p, p->mapping[0].file), "/bin/prog");
	assert_string_equal(profile_str(p, p->mapping[1].file), "/lib/a.so");
	assert_string_equal(profile_str(p, p->mapping[2].file), "/bin/sh");
	for (size_t i = 0; i < p->n_location; i++)
		assert_int_equal(p->location[i].mapping,
				 p->location[i].address >= 0x7000 ? 1 : 2);
	profile_free(p);
}

/* A library is libsample or a companion by where it is, not by its name. */
static void
test_libraries_of_ours(void **state)
{
	static const struct launch l = {
		.library = "/opt/lib/libsample.so.0.0.0",
	};
	static const char *const path[] = {
		"/opt/lib/libsample.so.0",
		"/opt/lib/libsample-audio.so",
		"/home/libsample.so",
		"/opt/lib/libsample.so.0.0.0",
		"/opt/lib/" PACKAGE "/libsample-heap.so",
	};
	enum { N_OTHER = 3, N = sizeof(path) / sizeof(*path) };
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	struct profile *p;

	tally_preloads(f->t, &l);
	tell_space(shm, 1, 0, 100);
	for (size_t i = 0; i < N; i++) {
		uintptr_t pc = 0x5010 + 0x1000 * i;

		tell_module(shm, 1, pc & ~0xfffUL, path[i]);
		tick(shm, 1, &pc, 1, 1);
	}
	p = finish(f);
	assert_int_equal(p->n_mapping, N_OTHER);
	for (size_t i = 0; i < N_OTHER; i++)
		assert_string_equal(profile_str(p, p->mapping[i].file),
				    path[i]);
	assert_int_equal(total(p), N);
	profile_free(p);
}

/* An address means what was there when the tick came. */
static void
test_reused_addresses(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	struct shm_gone gone = { .space = 2, .start = 0x5000 };
	uintptr_t pc = 0x5010;
	struct profile *p;

	tell_space(shm, 1, 0, 100);
	tell_module(shm, 1, 0x5000, "/lib/a.so");
	tell_module(shm, 1, 0x7000, "/lib/stays.so");
	tick(shm, 1, &pc, 1, 1);
	tell_space(shm, 2, 1, 100);
	assert_true(table_tell(shm, SHM_GONE, &gone, sizeof(gone), NULL, 0));
	tell_module(shm, 2, 0x5000, "/lib/b.so");
	tick(shm, 2, &pc, 1, 1);
	pc = 0x7fff;
	tick(shm, 2, &pc, 1, 1);
	p = finish(f);
	assert_int_equal(p->n_mapping, 3);
	assert_int_equal(p->n_location, 3);
	assert_int_equal(p->sample[0].n_label, 0);
	profile_free(p);
}

/* A number that no process has. */
static int32_t
ended(uint32_t i)
{
	return INT32_MAX - (int32_t)i;
}

/*
 * A daemon's parent has ended, and a process of another pid namespace seems to
 * have: thousands of programs later both are known.
 */
static void
test_spaces_stay(void **state)
{
	enum { N_PROGRAM = 5000 };
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	uintptr_t pc = 0x5010;
	struct profile *p;

	tell_space(shm, 1, 0, ended(1));
	tell_module(shm, 1, 0x5000, "/bin/daemon");
	tell_space(shm, 2, 0, ended(2));
	tell_module(shm, 2, 0x5000, "/bin/elsewhere");
	for (uint32_t i = 3; i < N_PROGRAM; i++) {
		tell_space(shm, i, 0, ended(i));
		tell_module(shm, i, 0x5000, "/bin/true");
		if (i % 500 == 0)
			drain_pass(&f->d, f->t);
	}
	tell_space(shm, N_PROGRAM, 1, ended(N_PROGRAM));
	tick(shm, N_PROGRAM, &pc, 1, 1);
	tick(shm, 2, &pc, 1, 1);
	p = finish(f);
	assert_int_equal(p->n_mapping, 2);
	assert_int_equal(p->n_sample, 2);
	assert_int_equal(p->sample[0].n_label, 2);
	assert_int_equal(p->sample[1].n_label, 2);
	profile_free(p);
}

static int n_orphan;

static void
count_orphan(const char *text)
{
	assert_non_null(strstr(text, "prog[2147483"));
	assert_non_null(strstr(text, "no longer kept"));
	n_orphan++;
}

/* Memory has a limit: of spaces with a million modules, those that nothing
 * names go, and what is missing then is said. */
static void
test_spaces_are_forgotten(void **state)
{
	enum { N_MODULE = 4096, N_COPY = 1 << 20 >> 11, WAIT = 500 };
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	uintptr_t pc = 0x5010;
	uint32_t last = 3 + N_COPY;
	struct profile *p;

	f->d.note = count_orphan;
	tell_space(shm, 1, 0, ended(1));
	tell_module(shm, 1, 0x5000, "/bin/idle");
	tell_space(shm, 2, 0, ended(2));
	for (uint32_t i = 0; i < N_MODULE; i++) {
		tell_module(shm, 2, 0x5000 + 0x1000 * i, "/bin/large");
		if (i % WAIT == 0)
			drain_pass(&f->d, f->t);
	}
	for (uint32_t i = 3; i < last; i++) {
		tell_space(shm, i, i == 3 ? 2 : i - 1, ended(i));
		if (i % WAIT == 0)
			drain_pass(&f->d, f->t);
	}
	tell_space(shm, last, 1, ended(last));
	tell_space(shm, last + 1, last - 1, ended(last + 1));
	tick(shm, last, &pc, 1, 1);
	tick(shm, last + 1, &pc, 1, 1);
	p = finish(f);
	assert_int_equal(p->n_mapping, 1);
	assert_int_equal(p->n_sample, 2);
	assert_int_equal(n_orphan, 1);
	profile_free(p);
}

/* Records that a broken writer left change nothing. */
static void
test_nonsense_is_dropped(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	struct shm_module m = { .space = 1, .start = 9, .limit = 3 };
	uintptr_t pc[] = { 1, 2 };
	struct profile *p;

	table_tell(shm, SHM_MODULE, &m, sizeof(m), "x", 2);
	table_tell(shm, SHM_MODULE, &m, 4, NULL, 0);
	table_tell(shm, SHM_SPACE, &m, 2, NULL, 0);
	table_tell(shm, SHM_GONE, &m, 1, NULL, 0);
	table_tell(shm, SHM_NOTE, "no end", 6, NULL, 0);
	table_tell(shm, (enum shm_kind)99, "?", 1, NULL, 0);
	assert_false(table_tell(shm, SHM_NOTE, pc, sizeof(*shm), NULL, 0));
	/* A stack that was changed after it was finished. */
	for (unsigned i = 0; i < SHM_WAYS + 1; i++) {
		pc[0] = i * UINT64_C(0x123456789);
		tick(shm, 1, pc, 2, 1);
	}
	for (size_t i = 0; i < SHM_N_ENTRY; i++)
		if (SHM_COUNT(atomic_load(&shm->mark[i].state)))
			atomic_store(&shm->entry[i].pc[1], 77);
	p = finish(f);
	assert_int_equal(p->n_sample, 0);
	assert_int_equal(p->n_mapping, 0);
	assert_int_equal(atomic_load(&shm->process->n_lost), SHM_WAYS + 1);
	profile_free(p);
}

/* A writer that died in the middle of a record holds nothing up for good. */
static void
test_dead_writer(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	uintptr_t pc[SHM_DEPTH];
	struct profile *p;

	atomic_fetch_add(&shm->head, 1); /* claimed, never finished */
	atomic_store(&shm->mark[0].state, SHM_STATE(1, 0, 0));
	for (unsigned n = 0; n < 100; n++)
		tick(shm, 1, pc, make(pc, n), 1);
	p = finish(f);
	assert_int_equal(p->n_sample, 100);
	assert_int_equal(total(p), 100);
	assert_int_equal(atomic_load(&shm->process->n_lost), 1);
	profile_free(p);
}

enum { N_THREAD = 4, N_ADD = 40000 };

static void *
add_many(void *arg)
{
	struct shm *shm = arg;
	uintptr_t pc[SHM_DEPTH];

	/* Mostly few stacks, which all threads share; some rare ones. */
	for (unsigned i = 0; i < N_ADD; i++)
		tick(shm, 1, pc, make(pc, i % 8 ? i % 50 : i % 9000), 1);
	return NULL;
}

/* Threads add while the recorder reads: every tick is kept or counted lost. */
static void
test_many_writers(void **state)
{
	struct fixture *f = *state;
	pthread_t thread[N_THREAD];
	struct profile *p;

	for (int i = 0; i < N_THREAD; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, add_many, f->d.shm),
			0);
	for (int i = 0; i < 200; i++)
		drain_pass(&f->d, f->t);
	for (int i = 0; i < N_THREAD; i++)
		pthread_join(thread[i], NULL);
	p = finish(f);
	assert_int_equal(
		total(p) + (int64_t)atomic_load(&f->d.shm->process->n_lost),
		(int64_t)N_THREAD * N_ADD);
	profile_free(p);
}

/*
 * A thread that is stopped at any point of what it does, for so long that the
 * recorder takes it for dead, and that then goes on: no tick is counted both as
 * lost and as kept, or as lost by both sides.
 */
enum { N_STOP = 100, STOP_TICKS = 3 };

static struct {
	struct shm *shm;
	_Atomic unsigned n_stopped;
	_Atomic unsigned n_resumed;
	_Atomic bool end;
	_Atomic int64_t n_added;
} stop;

static void
on_stop(int sig)
{
	unsigned n = atomic_fetch_add(&stop.n_stopped, 1);

	(void)sig;
	while (atomic_load(&stop.n_resumed) <= n)
		usleep(20);
}

static void *
add_until_end(void *arg)
{
	uintptr_t pc[SHM_DEPTH] = { 0 };

	(void)arg;
	/* Too deep for the table. */
	while (!atomic_load(&stop.end)) {
		tick(stop.shm, 1, pc, SHM_DEPTH, STOP_TICKS);
		atomic_fetch_add(&stop.n_added, 1);
	}
	return NULL;
}

static void
test_stopped_writer(void **state)
{
	struct sigaction sa = { .sa_handler = on_stop };
	struct fixture *f = *state;
	pthread_t thread;
	struct profile *p;

	stop.shm = f->d.shm;
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, add_until_end, NULL), 0);
	for (unsigned i = 0; i < N_STOP; i++) {
		int64_t enough = atomic_load(&stop.n_added) + 10;

		while (atomic_load(&stop.n_added) < enough)
			sched_yield();
		pthread_kill(thread, SIGUSR1);
		while (atomic_load(&stop.n_stopped) == i)
			usleep(20);
		for (int pass = 0; pass < 30; pass++)
			drain_pass(&f->d, f->t);
		atomic_store(&stop.n_resumed, i + 1);
	}
	atomic_store(&stop.end, true);
	pthread_join(thread, NULL);
	p = finish(f);
	assert_int_equal(
		total(p) + (int64_t)atomic_load(&f->d.shm->process->n_lost),
		STOP_TICKS * atomic_load(&stop.n_added));
	profile_free(p);
}

/*
 * Processes that are killed while they add: what they had added by their own
 * count is there, save the one that each was at. They are seen to be at it when
 * they are killed, whatever else the machine does; and as many passes follow as
 * the recorder needs to give up what they left, so that the next one finds the
 * log in order and can leave something itself.
 */
enum { N_KILL = 40, KILL_PASSES = 25 };

static void
wait_for_ticks(struct shm *shm, uint64_t n)
{
	while (atomic_load(&shm->process->n_tick) < n)
		sched_yield();
}

static void
test_killed_writers(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	int64_t got, told;
	struct profile *p;

	for (unsigned round = 0; round < N_KILL; round++) {
		uint64_t begin = atomic_load(&shm->process->n_tick);
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			uintptr_t pc[SHM_DEPTH];

			/* More stacks than the table has room for. */
			for (unsigned i = round * 100;; i++) {
				atomic_fetch_add(&shm->process->n_tick, 1);
				tick(shm, 1, pc, make(pc, i % 5000), 1);
			}
		}
		wait_for_ticks(shm, begin + 10 + round * 37 % 100);
		drain_pass(&f->d, f->t);
		wait_for_ticks(shm, atomic_load(&shm->process->n_tick) + 10);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		for (int i = 0; i < KILL_PASSES; i++)
			drain_pass(&f->d, f->t);
	}
	p = finish(f);
	got = total(p) + (int64_t)atomic_load(&shm->process->n_lost);
	told = (int64_t)atomic_load(&shm->process->n_tick);
	assert_in_range(got, told - N_KILL, told);
	profile_free(p);
}

static unsigned n_note;

static void
count_note(const char *text)
{
	assert_non_null(strstr(text, "samples were lost"));
	n_note++;
}

/* Words with values that no sampler writes: the recorder goes on, says so, and
 * takes what comes after. */
static void
test_wrong_words(void **state)
{
	struct fixture *f = *state;
	struct shm *shm = f->d.shm;
	uintptr_t pc[SHM_DEPTH] = { 0 };
	struct profile *p;

	n_note = 0;
	f->d.note = count_note;
	for (unsigned i = 0; i < 10; i++)
		assert_true(tick(shm, 1, pc, SHM_DEPTH, 1));
	/* Not this lap's, nor the next one's. */
	atomic_store(&shm->slot[3].turn, 12345);
	atomic_store(&shm->slot[5].turn, UINT64_MAX);
	drain_pass(&f->d, f->t);
	assert_int_equal(n_note, 1);
	assert_int_equal(atomic_load(&shm->process->n_lost), 2);
	/* Where nobody can have come to, ahead and behind. */
	atomic_store(&shm->head, UINT64_MAX - 5);
	drain_pass(&f->d, f->t);
	assert_true(tick(shm, 1, pc, SHM_DEPTH, 1));
	drain_pass(&f->d, f->t);
	atomic_store(&shm->head, 1);
	drain_pass(&f->d, f->t);
	assert_true(tick(shm, 1, pc, SHM_DEPTH, 1));
	/* What was decided before the program ran stays so. */
	memset(&shm->set, 0xff, sizeof(shm->set));
	p = finish(f);
	assert_int_equal(total(p), 8 + 2);
	assert_int_equal(p->period, 1000000);
	assert_int_equal(n_note, 1);
	profile_free(p);
}

/* A program that a process executes after another one: each has its own part
 * of what was used before the sampler began. */
static void
test_early_times(void **state)
{
	struct fixture *f = *state;
	union {
		struct shm_space s;
		char room[64];
	} space = { .s = { .space = 1, .pid = 7, .early_ns = 5000000 } };
	const uintptr_t pc[] = { 0x1000 };
	struct account_share *share;
	struct profile *p;
	size_t n;

	memcpy(space.s.name, "sh", 3);
	tally_space(f->t, &space.s, sizeof(space.room));
	tally_stack(f->t, SHM_KEY(SHM_TICK, 1, 0, 1), pc, 20, 20);
	space.s.space = 2;
	memcpy(space.s.name, "sed", 4);
	space.s.early_ns = 27000000;
	tally_space(f->t, &space.s, sizeof(space.room));
	assert_true(tally_early_shares(f->t, 1000000, &share, &n));
	assert_int_equal(n, 2);
	assert_string_equal(share[0].name, "sh");
	assert_int_equal(share[0].ns, 5000000);
	assert_string_equal(share[1].name, "sed");
	assert_int_equal(share[1].ns, 2000000);
	assert_null(tally_only_name(f->t));
	p = tally_profile(f->t, &(struct tally_info){ .set = &f->d.set,
						      .shm = f->d.shm,
						      .share = share,
						      .n_share = n });
	assert_non_null(p);
	assert_int_equal(p->n_sample, 3);
	assert_false(sampling_is_none(p, 0));
	assert_true(sampling_is_none(p, 2));
	assert_int_equal(profile_value(p, 2)[0], 0);
	assert_int_equal(profile_value(p, 2)[1], 2000000);
	profile_free(p);
	free(share);
}

/* A file that its owner could cut while it is mapped is refused. */
static void
test_unsealed_memory(void **state)
{
	struct fixture *f = *state;
	char path[] = "table-XXXXXX";
	int plain = mkstemp(path);
	int memory = memfd_create("unsealed", MFD_ALLOW_SEALING);
	const int fd[] = { plain, memory };
	struct prof_err err;

	unlink(path);
	for (size_t i = 0; i < 2; i++) {
		struct drain d;

		assert_true(fd[i] >= 0);
		assert_int_equal(ftruncate(fd[i], sizeof(struct shm)), 0);
		assert_int_equal(pwrite(fd[i], &f->d.set, sizeof(f->d.set), 0),
				 sizeof(f->d.set));
		assert_int_equal(drain_attach(&d, fd[i], &err), PROF_EIO);
		close(fd[i]);
	}
}

int
main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		ROW(test_equal_stacks_add_up), ROW(test_nothing_is_lost),
		ROW(test_lost_is_counted),     ROW(test_modules_are_unified),
		ROW(test_program_is_first),    ROW(test_libraries_of_ours),
		ROW(test_reused_addresses),    ROW(test_nonsense_is_dropped),
		ROW(test_dead_writer),         ROW(test_many_writers),
		ROW(test_stopped_writer),      ROW(test_killed_writers),
		ROW(test_wrong_words),         ROW(test_large_counts),
		ROW(test_unsealed_memory),     ROW(test_early_times),
		ROW(test_spaces_stay),         ROW(test_spaces_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
