/* beside.c - see beside.h. */
#include "config.h"

#include "beside.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "record/drain.h"
#include "record/perf/family.h"

enum { STEP_MS = 5, PAUSE_MAX_NS = 10000000 };

/* Add what the kernel's sampler has counted since the last call to libsample's
 * counts of the recorder itself. */
static void
add_counts(struct beside *b, const struct recording_source *from)
{
	const struct shm_process *now = &from->shm->process[0];
	struct shm_process *to = &b->drain->shm->process[0];
	struct shm_process *old = &b->counted;

	if (now->n_tick > old->n_tick)
		snprintf(b->name, sizeof(b->name), "%s+perf",
			 b->inside.sampler);
	to->n_tick += now->n_tick - old->n_tick;
	to->n_signal += now->n_signal - old->n_signal;
	to->n_perf += now->n_signal - old->n_signal;
	to->n_lost += now->n_lost - old->n_lost;
	to->n_truncated += now->n_truncated - old->n_truncated;
	to->n_failed += now->n_failed - old->n_failed;
	old->n_tick = now->n_tick;
	old->n_signal = now->n_signal;
	old->n_lost = now->n_lost;
	old->n_truncated = now->n_truncated;
	old->n_failed = now->n_failed;
}

/* Without the kernel's part of their time, its clocks see less of processes
 * than libsample. */
static void
set_marks(struct beside *b)
{
	bool is_seen =
		capture_is_on(b->capture) && !capture_lacks_kernel(b->capture);

	atomic_store(&b->drain->shm->marks,
		     is_seen ? SHM_MARKS_TICK : SHM_MARKS_START);
}

static void
source_pass(void *ctx, struct tally *t)
{
	struct beside *b = ctx;
	struct recording_source from;

	b->inside.pass(b->inside.ctx, t);
	if (!b->capture)
		return;
	from = capture_source(b->capture);
	from.pass(from.ctx, t);
	set_marks(b);
}

static void
source_look(void *ctx, struct tally *t)
{
	struct beside *b = ctx;
	struct recording_source from;

	b->inside.look(b->inside.ctx, t);
	if (!b->capture)
		return;
	from = capture_source(b->capture);
	from.look(from.ctx, t);
	add_counts(b, &from);
}

static void
source_end(void *ctx, struct tally *t)
{
	struct beside *b = ctx;
	struct recording_source from;

	b->inside.end(b->inside.ctx, t);
	if (!b->capture)
		return;
	from = capture_source(b->capture);
	from.end(from.ctx, t);
	add_counts(b, &from);
}

struct recording_source
beside_source(struct beside *b)
{
	struct recording_source both = b->inside;

	snprintf(b->name, sizeof(b->name), "%s", b->inside.sampler);
	both.ctx = b;
	both.pass = source_pass;
	both.look = source_look;
	both.end = source_end;
	both.sampler = b->name;
	return both;
}

/*
 * The clocks of CPUs have begun: for a random part of their period, up to what
 * nobody notices, the command does not. Without, its first milliseconds, before
 * libsample, are always in the same part: at 100 Hz never in a sample.
 */
static void
pause_at_random(uint64_t period_ns)
{
	struct timespec pause = { 0 };
	uint32_t random = 0;

	if (period_ns > PAUSE_MAX_NS)
		period_ns = PAUSE_MAX_NS;
	if (getrandom(&random, sizeof(random), 0) == sizeof(random))
		pause.tv_nsec = (long)(random % period_ns);
	nanosleep(&pause, NULL);
}

enum prof_status
beside_begin(struct beside *b, struct tally *t, struct prof_err *err)
{
	const pid_t self = getpid();
	const struct capture_target target[] = { { .all = true },
						 { .pid = &self, .n_pid = 1 } };
	enum prof_status st = PROF_ENOTSUP;
	bool is_all = false;

	for (size_t i = 0; i < 2 && st == PROF_ENOTSUP; i++) {
		struct perf_config config = b->config;

		is_all = target[i].all;
		beside_close(b);
		b->family = config.family = family_new(!is_all);
		phase_begin(&config.phase, config.period_ns);
		config.kind[FAMILY_RECORDS] = &perf_kind_none;
		config.kind[FAMILY_CPU] = &perf_kind_clock;
		config.kind[FAMILY_TASK] = &perf_kind_clock;
		config.period[FAMILY_CPU] = is_all;
		config.period[FAMILY_TASK] = 1;
		config.n_kind = FAMILY_N_KIND;
		if (!b->family)
			return prof_nomem(err);
		b->capture = capture_new(&config);
		st = b->capture ? capture_begin(b->capture, t, &target[i], err)
				: prof_nomem(err);
	}
	if (st == PROF_OK)
		set_marks(b);
	else
		beside_close(b);
	if (st == PROF_OK && is_all)
		pause_at_random(b->config.period_ns);
	return st;
}

void
beside_add(struct beside *b, pid_t pid)
{
	capture_add(b->capture, pid);
}

int
beside_step(struct beside *b, struct tally *t, int ms)
{
	struct recording_source from;

	if (!b->capture || !capture_is_urgent(b->capture))
		return ms;
	from = capture_source(b->capture);
	from.pass(from.ctx, t);
	return ms < STEP_MS ? ms : STEP_MS;
}

void
beside_close(struct beside *b)
{
	capture_free(b->capture);
	b->capture = NULL;
	family_free(b->family);
	b->family = NULL;
}
