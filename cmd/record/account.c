/* account.c - see account.h. */
#include "config.h"

#include "account.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "drain.h"
#include "launch.h"
#include "lib/model/sampling.h"
#include "lib/model/units.h"
#include "recording.h"
#include "watch.h"

uint64_t
account_children_ns(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_CHILDREN, &r) != 0)
		return 0;
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

uint64_t
account_used_ns(const struct drain *d, const struct launch *l)
{
	return d->set.children == SHM_CHILDREN_NONE ? l->used_ns
						    : account_children_ns();
}

/* The coarse clocks advance at the kernel's tick. */
void
account_check_rate(uint64_t period_ns)
{
	struct timespec tick;

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

static bool
counts_of(const struct drain *d, enum tally_kind kind, struct sampling *s)
{
	struct tally_info info = { .kind = kind,
				   .set = &d->set,
				   .shm = d->shm };

	return tally_sampling(&info, s);
}

/* Daemons: their first process exits at once. */
static void
warn_of_left(const struct drain *d, const struct launch *l, const char *session)
{
	static const struct timespec moment = { .tv_nsec = 100000000 };
	unsigned n;

	if (l->wait_all || d->set.children != SHM_CHILDREN_MERGE)
		return;
	n = launch_left(l, session);
	if (n) { /* or they are about to end */
		nanosleep(&moment, NULL);
		n = launch_left(l, session);
	}
	if (n)
		warn("%s: left %u process%s behind, not recorded from here on: "
		     "see --wait",
		     l->path, n, n == 1 ? "" : "es");
}

/* "12.5MB" */
static const char *
size_text(uint64_t bytes, char *text, size_t size)
{
	struct quantity q;

	units_format(&q, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX,
		     "bytes", "auto");
	snprintf(text, size, "%s%s", q.number, q.unit);
	return text;
}

/*
 * Memory outside the heap: stacks, data of libraries, reserves of malloc(). If
 * it exceeds the heap, the heap profile may not be of interest.
 */
enum { OTHER_KIB = 16 * 1024 };

void
account_heap(const struct drain *d, struct recording *r, const struct watch *w)
{
	char size[80], of[80];
	struct sampling s;
	const char *name;
	uint64_t all, heap;

	if (!(d->set.what & SHM_HEAP))
		return;
	if (counts_of(d, TALLY_HEAP, &s) && s.lost_bytes)
		warn("%s of allocations are in no sample, for want of room in "
		     "the shared memory: a larger --heap=BYTES takes fewer "
		     "samples",
		     size_text(s.lost_bytes, size, sizeof size));
	all = watch_memory(w, &name);
	heap = recording_grown(r);
	if (all > OTHER_KIB && (all - OTHER_KIB) / 2 > heap)
		warn("%s: %s of %s of memory are not in the profile: they come "
		     "from mmap() or from an allocator in the program itself, "
		     "not from malloc()",
		     name, size_text((all - heap) * 1024, size, sizeof size),
		     size_text(all * 1024, of, sizeof of));
}

/* Why CPU time was not sampled, in programs with the sampler. */
static const char *
reason(const struct shm_settings *set, const struct sampling *s, double missing,
       const struct shm *shm)
{
	if (s->untimed)
		return "threads got no timer: see ulimit -i";
	if (missing < 0.05 * atomic_load(&shm->n_program) ||
	    (double)atomic_load(&shm->early_ns) / 1e9 > missing / 2)
		return "programs start before the sampler does, which is "
		       "loaded last";
	if (set->clock == SHM_CLOCK_CPU)
		return "timers miss time on a busy machine (--clock=perf does "
		       "not), and threads and processes that are not started "
		       "by libc's functions have none";
	return "the kernel limits the clocks of perf_event on a busy machine, "
	       "and threads and processes that are not started by libc's "
	       "functions have none";
}

/* Is our address space limited? Then the program's is. */
static bool
has_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 &&
	       limit.rlim_cur != RLIM_INFINITY;
}

/*
 * A program's start precedes the sampler's, by little; its end follows the last
 * tick. Less than a twentieth in all is not reported.
 */
void
account_missing(const struct drain *d, const struct launch *l, struct watch *w,
		const char *session)
{
	const struct shm_settings *set = &d->set;
	uint32_t n_program = atomic_load(&d->shm->n_program);
	double used = (double)account_used_ns(d, l) / 1e9, sampled, unseen;
	struct sampling s;
	char why[320];

	warn_of_left(d, l, session);
	if (n_program == 0) {
		if (!watch_culprit(w, why, sizeof why))
			snprintf(why, sizeof why, "%s",
				 has_limit() ? "libsample got no memory in it: "
					       "see ulimit -v"
					     : "was LD_PRELOAD changed?");
		warn("%s: ran without the sampler; %s", l->path, why);
		return;
	}
	if (!(set->what & SHM_CPU) || set->clock == SHM_CLOCK_WALL) {
		if (set->what & SHM_CPU)
			watch_check_ticks(w, d->shm, set->period_ns);
		if (watch_culprit(w, why, sizeof why))
			warn("%s: %s", l->path, why);
		return;
	}
	if (!counts_of(d, TALLY_CPU, &s))
		return;
	sampled = (double)s.ticks * (double)set->period_ns / 1e9;
	watch_check_ticks(w, d->shm, set->period_ns);
	if (sampled >= 0.95 * used ||
	    used - sampled < 0.05 + 0.02 * n_program) {
		/* The kernel adds only children that were waited for. */
		unseen = watch_unseen_s(w);
		if (unseen > 0.05 * (sampled + unseen) &&
		    watch_culprit(w, why, sizeof why))
			warn("%s: %s", l->path, why);
		return;
	}
	if (!watch_culprit(w, why, sizeof why))
		snprintf(why, sizeof why, "%s",
			 reason(set, &s, used - sampled, d->shm));
	warn("%s: %.2f of %.2f s of CPU time were sampled (%.0f %%): %s",
	     l->path, sampled, used, 100 * sampled / used, why);
}

void
account_show(const struct drain *d, enum tally_kind kind, const char *file)
{
	const struct shm_settings *set = &d->set;
	uint32_t n_process = atomic_load(&d->shm->n_process);
	struct sampling s;

	if (!isatty(STDERR_FILENO) || !counts_of(d, kind, &s))
		return;
	if (kind == TALLY_CPU) {
		double time = (double)s.ticks * (double)set->period_ns / 1e9;

		warn("%" PRIu64 " samples, %.2f s of %s at %.0f Hz, %" PRIu64
		     " lost, %u process%s",
		     s.signals, time,
		     set->clock == SHM_CLOCK_WALL ? "real time of threads"
						  : "CPU time",
		     s.ticks ? s.asked_hz * (double)s.signals / (double)s.ticks
			     : 0,
		     s.lost, (unsigned)n_process, n_process == 1 ? "" : "es");
	} else {
		warn("%" PRIu64 " samples, %" PRIu64 " lost, %u process%s",
		     s.signals, s.lost, (unsigned)n_process,
		     n_process == 1 ? "" : "es");
	}
	if (file && s.ticks)
		warn("next: prof-symbolize %s | prof-text", file);
}
