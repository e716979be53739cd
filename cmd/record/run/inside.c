/*
 * inside.c - a recording by libsample, which is preloaded into the program;
 * see run.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/perf/clock.h"
#include "record/scout.h"
#include "record/watch.h"
#include "run.h"

/*
 * Of a ring for each processor, and of all, which the kernel allocates at once.
 * Nobody waits for us: beside a build that has all processors we may run only
 * every half second, and clocks that short tasks inherit tick several times as
 * often.
 */
enum { CROWD_BYTES = 2 << 20, ALL_CROWD_BYTES = 32 << 20 };

/* Notes that came while the program owned the terminal. */
static struct {
	char *text[8];
	size_t n;
} notes;

static void
show_note(const char *text)
{
	warn("%s", text);
}

static void
keep_note(const char *text)
{
	const size_t room = sizeof(notes.text) / sizeof(*notes.text);

	if (!isatty(STDERR_FILENO))
		show_note(text);
	else if (notes.n++ < room)
		notes.text[notes.n - 1] = strdup(text);
}

static void
show_notes(void)
{
	const size_t room = sizeof(notes.text) / sizeof(*notes.text);

	for (size_t i = 0; i < notes.n && i < room; i++) {
		if (notes.text[i])
			show_note(notes.text[i]);
		free(notes.text[i]);
	}
	if (notes.n > room)
		warn("such messages: %zu more", notes.n - room);
	notes.n = 0;
}

/* If the rate is above the kernel's tick, tell people what to expect. */
static void
check_rate(uint64_t period_ns)
{
	struct timespec tick;

	/* The coarse clocks advance at the kernel's tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec ||
	    tick.tv_nsec <= 0 || period_ns >= (uint64_t)tick.tv_nsec)
		return;
	if (isatty(STDERR_FILENO))
		warn("%" PRIu64
		     " Hz is above this kernel's tick: samples come at "
		     "%ld Hz, each with the weight of several; --clock=perf "
		     "keeps to "
		     "the rate",
		     (UINT64_C(1000000000) + period_ns / 2) / period_ns,
		     1000000000 / tick.tv_nsec);
}

/* The libraries to preload, for the kinds of samples and the clock. */
static uint32_t
preload_of(const struct drain_config *config)
{
	return config->what |
	       (config->clock == SHM_CLOCK_WALL &&
				(!config->what || config->what & SHM_CPU)
			? SHM_PRELOAD_WAIT
			: 0);
}

/* Of CPU time, with all children: the kernel's clock is the same. */
static bool
may_be_beside(const struct run *r)
{
	const struct drain_config *c = &r->config;

	return r->target.sampler == SAMPLER_AUTO && !c->what &&
	       c->clock != SHM_CLOCK_WALL &&
	       c->children == SHM_CHILDREN_MERGE && !r->separate;
}

static size_t
crowd_bytes(size_t least)
{
	size_t share = ALL_CROWD_BYTES / (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = share < CROWD_BYTES ? share : CROWD_BYTES;

	return n > least ? n : least;
}

static struct recording_source
beside_open(struct run *r)
{
	const struct drain_config *c = &r->config;

	r->beside.drain = &r->drain;
	r->beside.inside = drain_source(&r->drain);
	r->beside.inside.launch = &r->launch;
	r->beside.config = (struct perf_config){
		.kind = { &perf_kind_clock },
		.n_kind = 1,
		.period = { 1 },
		.period_ns = c->period_ns,
		.stack_bytes = r->target.stack_bytes,
		.kernel = true,
		.why = "perf",
		.labels = r->target.labels,
		.ring_bytes = crowd_bytes(
			perf_ring_bytes(c->period_ns, r->target.stack_bytes)),
	};
	return beside_source(&r->beside);
}

static struct recording_source
inside_open(struct run *r)
{
	const struct drain_config *config = &r->config;
	struct prof_err err;

	/* At the end it looks for what the program left among strangers. */
	if (geteuid() == 0 && scout_begin(&err) != PROF_OK)
		die("%s", err.msg);
	if (launch_library(&r->launch, preload_of(config), &err) != PROF_OK ||
	    drain_open(&r->drain, config, &err) != PROF_OK)
		die("%s", err.msg);
	r->drain.note = keep_note;
	r->clock = -1;
	if (config->clock == SHM_CLOCK_PERF &&
	    perfclock_open(&r->clock, &err) != PROF_OK)
		warn("%s: the timers' rate is the kernel tick's", err.msg);
	if (config->clock == SHM_CLOCK_CPU && config->what == 0)
		check_rate(config->period_ns);
	return beside_open(r);
}

/* A call for the second sampler, under the lock of the tally. */
struct call {
	struct run *run;
	pid_t pid;
	int ms;
	enum prof_status status;
};

static void
begin_beside(void *ctx, struct tally *t)
{
	struct call *call = ctx;

	call->status = beside_begin(&call->run->beside, t, &call->run->err);
}

static void
add_beside(void *ctx, struct tally *t)
{
	struct call *call = ctx;

	(void)t;
	beside_add(&call->run->beside, call->pid);
}

static void
step_beside(void *ctx, struct tally *t)
{
	struct call *call = ctx;

	call->ms = beside_step(&call->run->beside, t, call->ms);
}

/* Called while the command's process waits before exec. */
static void
before_exec(void *ctx, pid_t pid)
{
	struct call call = { .run = ctx, .pid = pid };

	recording_with_tally(&call.run->recording, add_beside, &call);
}

/* Find what libsample is not in by the kernel's records, else in /proc. */
static void
look_beside(struct run *r)
{
	struct call call = { .run = r, .status = PROF_ENOTSUP };

	if (may_be_beside(r))
		recording_with_tally(&r->recording, begin_beside, &call);
	if (call.status == PROF_OK) {
		r->launch.before = before_exec;
		r->launch.before_ctx = r;
	} else if (may_be_beside(r) && r->obstacle != OBSTACLE_NONE) {
		die("%s", r->err.msg);
	} else {
		r->watch = watch_new(&r->drain.set, r->err.msg);
	}
}

static void
inside_start(struct run *r)
{
	struct prof_err err;

	look_beside(r);
	drain_name(&r->drain, r->session, sizeof(r->session));
	if (launch_start(&r->launch, r->cli->operand, r->session, &err) !=
	    PROF_OK)
		die("%s", err.msg);
}

static bool
inside_wait(struct run *r)
{
	int ms = drain_pause_ms(&r->drain);
	struct call call = { .run = r };

	for (int left = ms; left > 0; left -= call.ms) {
		call.ms = left;
		recording_with_tally(&r->recording, step_beside, &call);
		if (launch_wait(&r->launch, call.ms))
			return false;
	}
	r->waited_ms += ms;
	if (r->waited_ms >= DRAIN_PASS_MS) {
		watch_pass(r->watch, r->launch.pid);
		r->waited_ms = 0;
	}
	return true;
}

/* Daemons: their first process exits at once. */
static unsigned
n_left(const struct run *r)
{
	static const struct timespec moment = { .tv_nsec = 100000000 };
	unsigned n;

	if (r->launch.wait_all || r->drain.set.children != SHM_CHILDREN_MERGE)
		return 0;
	n = launch_left(&r->launch, r->session);
	if (n) { /* or they are about to end */
		nanosleep(&moment, NULL);
		n = launch_left(&r->launch, r->session);
	}
	return n;
}

/* Is our address space limited? Then the program's is. */
static bool
has_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 &&
	       limit.rlim_cur != RLIM_INFINITY;
}

/* Can allocations and locks of a program be sampled? A note is of one whose
 * cannot. */
static bool
is_hooked(const struct run *r)
{
	return r->drain.shm->n_program && !r->drain.n_note;
}

static struct sampling
sampling_of(const struct run *r, enum tally_kind kind)
{
	struct tally_info info = { .kind = kind,
				   .set = &r->drain.set,
				   .shm = r->drain.shm };
	struct sampling s;

	tally_sampling(&info, &s);
	return s;
}

static void
say_heap(struct run *r)
{
	struct account_heap a = { .grown_kib = recording_grown(&r->recording) };
	struct sampling s = sampling_of(r, TALLY_HEAP);

	a.is_hooked = is_hooked(r);
	a.n_sample = s.ticks;
	a.period = r->drain.set.heap_period;
	a.lost_bytes = s.lost_bytes;
	a.memory_kib = watch_memory(r->watch, &a.name);
	account_heap(&a, show_note);
}

static uint64_t
inside_account(struct run *r, struct account *a)
{
	const struct shm_settings *set = &r->drain.set;
	static char culprit[320];

	show_notes();
	a->n_left = n_left(r);
	launch_wait(&r->launch, 0); /* bill those that have ended meanwhile */
	a->n_program = atomic_load(&r->drain.shm->n_program);
	a->n_thread = atomic_load(&r->drain.shm->n_thread);
	a->n_fork = atomic_load(&r->drain.shm->n_fork);
	a->is_cpu = set->what & SHM_CPU && set->clock != SHM_CLOCK_WALL;
	a->is_perf_clock = set->clock == SHM_CLOCK_PERF && r->clock >= 0;
	a->is_limited = has_limit();
	a->is_beside = r->beside.capture;
	a->lacks_kernel =
		a->is_beside && capture_lacks_kernel(r->beside.capture);
	if (a->n_program && set->what & SHM_CPU)
		watch_check_ticks(r->watch, r->drain.shm, set->period_ns);
	if (watch_culprit(r->watch, culprit, sizeof(culprit)))
		a->culprit = culprit;
	if (set->what & SHM_HEAP)
		say_heap(r);
	if (set->what & SHM_LOCK && is_hooked(r) && !a->culprit)
		account_locks(sampling_of(r, TALLY_LOCK).ticks,
			      set->lock_period, show_note);
	return set->children == SHM_CHILDREN_NONE ? r->launch.used_ns
						  : run_children_ns();
}

static void
inside_close(struct run *r)
{
	watch_free(r->watch);
	beside_close(&r->beside);
	drain_close(&r->drain);
	scout_end();
	if (r->clock >= 0)
		close(r->clock);
}

const struct run_sampler run_inside = { inside_open, inside_start, inside_wait,
					inside_account, inside_close };
