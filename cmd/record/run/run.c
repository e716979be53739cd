/* run.c - see run.h. */
#include "config.h"

#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/listen.h"
#include "record/lookup.h"
#include "record/procfs.h"
#include "record/serve.h"
#include "record/watch.h"

enum { FEW_CHANCES = 10 /* that are not worth weighing */ };

static const double most_over = 1.01; /* of the bill */

uint64_t
run_children_ns(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_CHILDREN, &r) != 0)
		return 0;
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

/* --- the pages of --listen --- */

struct pages {
	struct serve serve;
	struct listen *listen;
	char *words; /* of the command line of a running process */
	size_t n_words;
	char **argv; /* they */
};

static void
pages_open(struct pages *p, const struct run *r)
{
	struct prof_err err;

	if (r->listen_at &&
	    listen_open(r->listen_at, &p->listen, &err) != PROF_OK)
		die("--listen: %s", err.msg);
}

static void
pages_start(struct pages *p, struct run *r)
{
	struct prof_err err;
	size_t n = 0;

	if (!p->listen)
		return;
	if (!r->has_command && !r->target.all)
		p->words = procfs_read(r->launch.pid, "cmdline", &p->n_words);
	p->argv = calloc(p->n_words + 2, sizeof(*p->argv));
	p->serve = (struct serve){ .recording = &r->recording,
				   .launch = &r->launch,
				   .argv = p->argv,
				   .lookup = lookup_new() };
	if (!p->argv || !p->serve.lookup)
		die_nomem();
	for (char *w = p->words; w && w < p->words + p->n_words;
	     w += strlen(w) + 1)
		p->argv[n++] = w;
	if (r->has_command)
		p->serve.argv = r->cli->operand;
	if (listen_start(p->listen, &p->serve, &err) != PROF_OK)
		die("--listen: %s", err.msg);
	warn("listening on http://%s/pprof/", listen_address(p->listen));
}

static void
pages_close(struct pages *p)
{
	listen_close(p->listen);
	lookup_free(p->serve.lookup);
	free(p->argv);
	free(p->words);
}

/* --- what was seen --- */

static double
tick_s(void)
{
	struct timespec t;

	/* The coarse clocks advance at the kernel's tick. */
	return clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0
		       ? (double)t.tv_sec + (double)t.tv_nsec / 1e9
		       : 0;
}

/* The counts of the profile of that kind. */
static void
counts_of(struct run *r, enum tally_kind kind, struct sampling *s)
{
	recording_sampling(&r->recording, kind, s);
	if (s->ticks)
		s->achieved_hz =
			s->asked_hz * (double)s->signals / (double)s->ticks;
}

/*
 * Ticks of CPUs find short processes by chance, sometimes more of them than
 * there should be. The others are nearly exact, so the rest of the bill tells
 * what these are worth, within three deviations; not more than a period if none
 * can be in the kernel, where the rest is. If all is still more than the bill,
 * by no more than chance explains, each tick is worth a bit less. The bill
 * lacks processes that were left behind, or that nobody waited for. Returns by
 * how much the ticks are worth more than a period each, in ns.
 */
static double
weigh_ticks(struct run *r, const struct account *a, uint64_t used_ns,
	    double chance_s)
{
	const struct sampling *s = &a->sampling;
	double period = (double)r->recording.source.set->period_ns;
	double n = (double)tally_chances(r->recording.tally);
	double others = (double)(s->ticks - s->lost) - n, all = others + n;
	double chance = 1, worth = 1, used = (double)used_ns / period;

	if (!a->is_cpu || !used_ns || a->n_left)
		return 0;
	if (n >= FEW_CHANCES) {
		double above = a->lacks_kernel ? 0 : 3 * sqrt(n);

		chance = fmax(fmin(used - others, n + above), n - 3 * sqrt(n));
		chance /= n;
	}
	if (others + n * chance > used &&
	    others + n * chance < used + chance_s * 1e9 / period)
		worth = used / (others + n * chance);
	if (worth < 1 / most_over)
		chance *= worth;
	else
		worth = 1;
	recording_set_worth(&r->recording, worth, chance);
	return (others * worth + n * chance - all) * period;
}

/*
 * How many of the missing ticks, beside `lost` ones, the kernel took and we
 * lost. All of them, if they can be half: whose those were that nobody read is
 * not known.
 */
static uint64_t
lost_chances(const struct run *r, uint64_t missing, uint64_t lost)
{
	uint64_t n =
		r->beside.capture ? capture_lost_chances(r->beside.capture) : 0;
	uint64_t left = missing > lost ? missing - lost : 0;

	return 2 * n < left ? n : left;
}

/* Make rows of what is missing, and add up its known parts. */
static void
find_shares(struct run *r, struct account *a, uint64_t used_ns, double chance_s)
{
	const struct tally *t = r->recording.tally;
	uint64_t period_ns = r->recording.source.set->period_ns;
	const struct sampling *s = &a->sampling;
	double more_ns = weigh_ticks(r, a, used_ns, chance_s);
	uint64_t sampled_ns =
		s->ticks > s->lost ? (s->ticks - s->lost) * period_ns : 0;
	const char *others = tally_only_name(t);
	size_t n, n_early;

	sampled_ns = (uint64_t)((double)sampled_ns + more_ns);
	a->more_s = r->more_s = more_ns / 1e9;
	if (!tally_early_shares(t, period_ns, &r->share, &n_early))
		die_nomem();
	r->share = realloc(r->share,
			   (n_early + WATCH_MAX + 1) * sizeof(*r->share));
	if (!r->share)
		die_nomem();
	n = n_early + watch_unseen(r->watch, r->share + n_early, WATCH_MAX);
	for (size_t i = 0; i < n && !r->beside.family; i++)
		*(i < n_early ? &a->early_s : &a->unseen_s) +=
			(double)r->share[i].ns / 1e9;
	/* The kernel bills microseconds: less than one is rounding. */
	if (!a->is_cpu || used_ns < sampled_ns + 1000)
		return;
	n = account_rows(r->share, n, used_ns - sampled_ns,
			 others ? others : "[others]");
	recording_set_missing(
		&r->recording, r->share, n,
		lost_chances(r, (used_ns - sampled_ns) / period_ns, s->lost));
}

static void
say_missing(struct run *r)
{
	struct account a = { .name = r->launch.path, .tick_s = tick_s() };
	uint64_t used_ns;
	double chance_s;

	counts_of(r, TALLY_CPU, &a.sampling);
	used_ns = r->sampler->account(r, &a);
	chance_s = account_chance_s(&a);
	recording_set_used(&r->recording, used_ns, chance_s);
	find_shares(r, &a, used_ns, chance_s);
	counts_of(r, TALLY_CPU, &a.sampling);
	account_missing(&a, warn_sentence);
	/* libsample truncates for another reason. */
	if (a.sampling.is_mixed)
		a.sampling.truncated = r->beside.counted.n_truncated;
	if (a.sampling.is_mixed || a.sampling.is_outside)
		account_copies(&a.sampling, r->target.stack_bytes,
			       warn_sentence);
}

/* A seccomp filter may kill for a call that only libsample makes. */
static void
say_killed(const struct run *r)
{
	int status = r->launch.status;

	if (r->sampler == &run_inside && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGSYS)
		warn("%s: killed by a seccomp filter (SIGSYS), perhaps for a "
		     "call of libsample: --sampler=perf needs none",
		     r->launch.path);
}

static unsigned
n_process(const struct run *r)
{
	struct tally_process *process;
	size_t n = 0;

	if (!tally_processes(r->recording.tally, &process, &n))
		die_nomem();
	free(process);
	return (unsigned)n;
}

/* The closing lines, for people. */
static void
close_with(struct run *r)
{
	bool is_wall = r->recording.source.set->clock == SHM_CLOCK_WALL;
	const char *file = r->how == DELIVER_ONE ? r->cli->output : NULL;
	struct sampling s;

	if (!isatty(STDERR_FILENO) || r->how == DELIVER_NONE)
		return;
	counts_of(r, r->kind, &s);
	account_closing(&s, r->more_s,
			r->kind != TALLY_CPU ? NULL
			: is_wall            ? "real time of threads"
					     : "CPU time",
			n_process(r), warn_sentence);
	if (!file || !strcmp(file, "-") || !s.ticks)
		return;
	if (r->names == NAMES_ALL)
		warn("next: prof-list main %s; prof-html --open %s", file,
		     file);
	else
		warn("next: prof-symbolize %s | prof-text%s", file,
		     r->target.offcpu ? " --sample-index=offcpu" : "");
}

/* --- the recording --- */

/* The kernel's events need many descriptors. The program keeps its limit: it
 * may close all of them, or not know numbers above that. */
static void
take_descriptors(struct run *r)
{
	struct rlimit *its = &r->launch.files, all;

	if (getrlimit(RLIMIT_NOFILE, its) != 0)
		return;
	all = (struct rlimit){ its->rlim_max, its->rlim_max };
	setrlimit(RLIMIT_NOFILE, &all);
}

int
run_record(struct run *r)
{
	struct pages pages = { 0 };
	struct prof_err err;
	char *name = NULL;
	bool is_bad = false;
	int status;

	take_descriptors(r);
	r->how = r->listen_at && !r->cli->output && !r->report ? DELIVER_NONE
		 : r->separate                                 ? DELIVER_EACH
							       : DELIVER_ONE;
	r->launch.join_stdout =
		!r->target.every &&
		deliver_prepare(r->cli, r->launch.path, r->how, r->report);
	if (recording_begin(&r->recording, r->sampler->open(r), r->kind,
			    &err) != PROF_OK)
		die("%s", err.msg);
	r->recording.is_live = r->how == DELIVER_NONE;
	r->recording.names = r->names;
	r->recording.report = r->report;
	if (r->names != NAMES_NONE && names_work())
		recording_hold(&r->recording);
	pages_open(&pages, r);
	r->sampler->start(r);
	pages_start(&pages, r);

	while (r->sampler->wait(r))
		recording_pass(&r->recording);
	recording_end(&r->recording);

	pages_close(&pages);
	if (r->target.every) {
		is_bad = !every_write(&r->every);
	} else {
		say_missing(r);
		say_killed(r);
		name = deliver(r->cli, &r->recording, &r->launch, r->how,
			       &is_bad);
		close_with(r);
	}
	recording_release(&r->recording);
	free(r->share);
	r->sampler->close(r);
	status = cli_finish(r->cli, is_bad ? CLI_TROUBLE : 0);
	free(name);
	return status || !r->has_command ? status : launch_status(&r->launch);
}
