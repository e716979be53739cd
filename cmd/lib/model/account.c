/* account.c - see account.h. */
#include "config.h"

#include "account.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

/* The least share, of samples or of time, that is said. */
static const double worth = 0.01;

/*
 * Memory outside the heap: stacks, data of libraries, reserves of malloc(). If
 * it exceeds the heap, the heap profile may not be of interest.
 */
enum { OTHER_KIB = 16 * 1024 };

__attribute__((format(printf, 2, 3))) static void
say_format(account_say *say, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	say(text);
}

static bool
is_beyond_chance(const struct sampling *s, double part, double all)
{
	return part >= worth * all && part > s->chance_s;
}

/* The recorder and the reports ask this of the same counts. */
static bool
is_missed(const struct sampling *s)
{
	double missed = (double)s->missed, all = (double)s->ticks + missed;

	return s->missed && s->asked_hz > 0 &&
	       is_beyond_chance(s, missed / s->asked_hz, all / s->asked_hz);
}

static void
say_lost(const struct sampling *s, account_say *say)
{
	if (s->ticks && sampling_loss(s) >= worth)
		say_format(say, "%.3g%% of the samples were lost",
			   100 * sampling_loss(s));
}

void
account_copies(const struct sampling *s, unsigned stack_bytes, account_say *say)
{
	double ticks = (double)s->ticks;

	if (s->ticks && sampling_loss(s) >= worth)
		say_format(say,
			   "%.3g%% of the samples were lost: prof-record did "
			   "not get a processor in time to read them",
			   100 * sampling_loss(s));
	if (s->ticks && (double)s->truncated > worth * ticks)
		say_format(say,
			   "%.3g%% of the stacks are longer than the %u bytes "
			   "that were copied: see --stack-size",
			   100 * (double)s->truncated / ticks, stack_bytes);
}

void
account_quality(const struct sampling *s, account_say *say)
{
	double ticks = (double)s->ticks;

	if (is_missed(s))
		say_format(say,
			   "%.3g%% of the CPU time was not sampled: it is "
			   "in " SAMPLING_NONE,
			   100 * (double)s->missed /
				   (ticks + (double)s->missed));
	if (!s->ticks)
		return;
	say_lost(s, say);
	if ((double)s->truncated >= worth * ticks)
		say_format(say, "%.3g%% of the stacks are truncated: %s",
			   100 * (double)s->truncated / ticks,
			   s->is_outside ? "longer than prof-record's "
					   "--stack-size"
			   : s->is_mixed ? "too many frames, or longer than "
					   "prof-record's --stack-size"
					 : "too many frames");
	if ((double)s->unwind_failed >= worth * ticks)
		say_format(say, "%.3g%% of the stacks end before their root",
			   100 * (double)s->unwind_failed / ticks);
	if ((double)s->unread >= worth * ticks)
		say_format(say,
			   "%.3g%% of the stacks lack functions of an "
			   "interpreter, which could not be read",
			   100 * (double)s->unread / ticks);
	if (s->untimed)
		say_format(say, "%" PRIu64 " thread%s not sampled", s->untimed,
			   s->untimed == 1 ? " was" : "s were");
	if ((double)s->merged >= worth * ticks)
		say_format(say,
			   "sampled at %.4g Hz, not %.4g as asked: a stack "
			   "takes %.3g ms, the period is %.3g ms, and the "
			   "program has half of the time: sums are right, but "
			   "coarser",
			   s->achieved_hz, s->asked_hz, s->sample_us / 1e3,
			   1e3 / s->asked_hz);
	else if (s->achieved_hz < s->asked_hz / 2 &&
		 !(s->is_outside && sampling_loss(s) >= worth))
		say_format(say, "sampled at %.4g Hz, not %.4g as asked: %s",
			   s->achieved_hz, s->asked_hz,
			   s->is_outside ? "sums are right, but coarser"
					 : "coarser, and biased where threads "
					   "sleep in a rhythm (--clock=perf "
					   "keeps to the rate)");
}

static double
sampled_s(const struct sampling *s, double more_s)
{
	uint64_t n = s->ticks > s->lost ? s->ticks - s->lost : 0;

	return s->asked_hz > 0 ? (double)n / s->asked_hz + more_s : 0;
}

static int
compare_names(const void *a, const void *b)
{
	const struct account_share *x = a, *y = b;

	return strcmp(x->name, y->name);
}

double
account_chance_s(const struct account *a)
{
	double period = a->sampling.asked_hz > 0 ? 1 / a->sampling.asked_hz : 0;
	double n = a->n_thread > 1 ? a->n_thread : 1;

	return (period + a->tick_s) * (2 + 3 * sqrt(n / 12));
}

/* Why CPU time was not sampled, if no program is to blame. */
static const char *
reason(const struct account *a, double missing)
{
	if (a->sampling.untimed)
		return "threads got no timer: see ulimit -i, and whether a "
		       "seccomp filter forbids them (--sampler=perf needs "
		       "none)";
	if (a->lacks_kernel)
		return "the kernel's part of the time of programs is not seen "
		       "where libsample is not, or not yet, loaded, as "
		       "kernel.perf_event_paranoid is above 1";
	if (a->early_s > missing / 2)
		return "programs start before the sampler does, which is "
		       "loaded last";
	/* On average, of all that were. */
	if (!a->is_perf_clock &&
	    a->sampling.used_s < 2 * a->tick_s * (a->n_program + a->n_fork))
		return "processes were shorter than the kernel's tick, which "
		       "timers wait for (--clock=perf does not)";
	if (a->sampling.is_mixed && a->is_perf_clock)
		return "the kernel limits its clocks on a busy machine, and of "
		       "what they sample beside libsample they miss a part of "
		       "a period of each thread on each processor";
	if (a->sampling.is_mixed)
		return "timers miss time on a busy machine (--clock=perf does "
		       "not), and of threads that sleep in a rhythm; and what "
		       "the kernel samples beside libsample lacks a part of a "
		       "period of each thread on each processor";
	if (!a->is_perf_clock)
		return "timers miss time on a busy machine (--clock=perf does "
		       "not), and of threads that sleep in a rhythm; threads "
		       "and processes that are not started by libc's functions "
		       "have none";
	return "the clocks of perf_event stand still while threads are "
	       "switched, and the kernel limits them on a busy machine; "
	       "threads and processes that are not started by libc's "
	       "functions have none";
}

/* From inside: no program was sampled. */
static void
say_nothing_sampled(const struct account *a, account_say *say)
{
	const char *why = a->is_limited ? "libsample got no memory in it: see "
					  "ulimit -v"
					: "was LD_PRELOAD changed?";

	say_format(say, "%s: ran without the sampler; %s", a->name,
		   a->culprit ? a->culprit : why);
}

/* --clock=perf: processes may have had to do with timers. */
static void
say_timers(const struct sampling *s, account_say *say)
{
	double n = (double)s->signals, perf = (double)s->perf_signals;

	if (perf < (1 - worth) * n)
		say_format(say,
			   "%.0f %% of the samples come from timers, at the "
			   "kernel's tick: the clocks of perf_event are not "
			   "for processes that changed their user",
			   100 * (1 - perf / n));
}

void
account_missing(const struct account *a, account_say *say)
{
	double sampled = sampled_s(&a->sampling, a->more_s);
	double used = a->sampling.used_s;
	bool is_much = a->is_cpu && is_missed(&a->sampling);

	if (a->n_left)
		say_format(say,
			   "%s: left %u process%s behind, not recorded from "
			   "here on: see --wait",
			   a->name, a->n_left, a->n_left == 1 ? "" : "es");
	else if (a->has_left)
		say_format(say,
			   "%s: left processes behind, not recorded from here "
			   "on: see --wait",
			   a->name);
	if (a->is_perf_clock)
		say_timers(&a->sampling, say);
	if (!a->sampling.is_outside && !a->is_beside && a->n_program == 0)
		say_nothing_sampled(a, say);
	else if (is_much && a->sampling.is_outside)
		say_format(say,
			   "%s: %.2f of %.2f s of CPU time were sampled (%.0f "
			   "%%): threads and processes that use less than a "
			   "period of %.3g ms are missed: see -F, or --all",
			   a->name, sampled, used, 100 * sampled / used,
			   1e3 / a->sampling.asked_hz);
	else if (is_much)
		say_format(say,
			   "%s: %.2f of %.2f s of CPU time were sampled (%.0f "
			   "%%): %s",
			   a->name, sampled, used, 100 * sampled / used,
			   a->culprit ? a->culprit : reason(a, used - sampled));
	else if (a->is_cpu && used > 0 && !a->n_left && !a->has_left &&
		 sampled > used + a->sampling.chance_s)
		say_format(
			say,
			"%s: %.2f s were sampled, but the kernel billed "
			"%.2f s of CPU time: it does not bill processes that "
			"nobody waits for; else report this as an error of "
			"prof-record",
			a->name, sampled, used);
	/* The kernel bills only children that were waited for. */
	else if (a->culprit &&
		 (!a->is_cpu || is_beyond_chance(&a->sampling, a->unseen_s,
						 sampled + a->unseen_s)))
		say_format(say, "%s: %s", a->name, a->culprit);
}

/* Add up those of one name, and order by name. Returns the number of names. */
static size_t
unite(struct account_share *share, size_t n)
{
	size_t kept = 0;

	qsort(share, n, sizeof(*share), compare_names);
	for (size_t i = 0; i < n; i++)
		if (kept && !strcmp(share[kept - 1].name, share[i].name))
			share[kept - 1].ns += share[i].ns;
		else
			share[kept++] = share[i];
	return kept;
}

size_t
account_rows(struct account_share *share, size_t n, uint64_t missing_ns,
	     const char *others)
{
	uint64_t sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		sum += share[i].ns;
	if (sum < missing_ns)
		share[n++] = (struct account_share){ others, missing_ns - sum };
	for (size_t i = 0; sum > missing_ns && i < n; i++)
		share[i].ns = (uint64_t)((double)share[i].ns *
					 (double)missing_ns / (double)sum);
	n = unite(share, n);
	for (size_t i = 0; i < n; i++)
		if (share[i].ns)
			share[kept++] = share[i];
	return kept;
}

/* "12.5MB" */
static const char *
amount_text(uint64_t amount, const char *unit, char *text, size_t size)
{
	struct quantity q;

	units_format(&q, amount < INT64_MAX ? (int64_t)amount : INT64_MAX, unit,
		     "auto");
	snprintf(text, size, "%s%s", q.number, q.unit);
	return text;
}

static const char *
size_text(uint64_t bytes, char *text, size_t size)
{
	return amount_text(bytes, "bytes", text, size);
}

void
account_heap(const struct account_heap *a, account_say *say)
{
	char size[80], of[80];
	uint64_t all = a->memory_kib, heap = a->grown_kib;

	if (a->lost_bytes)
		say_format(say,
			   "%s of allocations are in no sample, for want of "
			   "room in the shared memory: a larger --heap=BYTES "
			   "takes fewer samples",
			   size_text(a->lost_bytes, size, sizeof(size)));
	if (all > OTHER_KIB && (all - OTHER_KIB) / 2 > heap)
		say_format(say,
			   "%s: %s of %s of memory are not in the profile: "
			   "they come from mmap() or from an allocator in the "
			   "program itself, not from malloc()",
			   a->name,
			   size_text((all - heap) * 1024, size, sizeof(size)),
			   size_text(all * 1024, of, sizeof(of)));
	else if (a->is_hooked && !a->n_sample && !a->lost_bytes)
		say_format(say,
			   "no call of malloc() was sampled: one in %s is, on "
			   "average; see --heap=BYTES",
			   size_text(a->period, size, sizeof(size)));
}

void
account_locks(uint64_t n_sample, uint64_t period_ns, account_say *say)
{
	char period[80];

	if (!n_sample)
		say_format(say,
			   "no wait for a lock was sampled: one in %s of "
			   "waiting is, on average; see --lock=NS",
			   amount_text(period_ns, "nanoseconds", period,
				       sizeof(period)));
}

void
account_closing(const struct sampling *s, double more_s, const char *column,
		unsigned n_process, account_say *say)
{
	double ticks = (double)s->ticks, signals = (double)s->signals;
	const char *es = n_process == 1 ? "" : "es";

	if (column)
		say_format(say,
			   "%" PRIu64 " samples, %.2f s of %s at %.0f Hz, "
			   "%" PRIu64 " lost, %u process%s",
			   s->signals, sampled_s(s, more_s), column,
			   s->ticks ? s->asked_hz * signals / ticks : 0,
			   s->lost, n_process, es);
	else
		say_format(say,
			   "%" PRIu64 " samples, %" PRIu64 " lost, %u "
			   "process%s",
			   s->signals, s->lost, n_process, es);
}
