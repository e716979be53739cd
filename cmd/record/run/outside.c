/*
 * outside.c - a recording by the kernel, of a command or of processes that run
 * already; see run.h.
 */
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/base/now.h"
#include "record/procfs.h"
#include "record/scout.h"
#include "run.h"

enum {
	PASS_MS = 100,        /* between two readings of the rings */
	MANY_BYTES = 2 << 20, /* for mappings and starts of all processes */
};

/* Called while the command's process waits before exec. */
static void
before_exec(void *ctx, pid_t pid)
{
	struct run *r = ctx;
	struct capture_target target = { .pid = &pid, .n_pid = 1 };

	r->refused =
		capture_begin(r->capture, r->recording.tally, &target, &r->err);
}

/* Name the profile after the program, or the machine. */
static void
name_target(struct run *r)
{
	char path[64];
	ssize_t n;

	if (r->target.all) {
		strcpy(r->launch.path, "machine");
		r->launch.pid = getpid();
		return;
	}
	r->launch.pid = r->target.pid[0];
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)r->launch.pid);
	n = readlink(path, r->launch.path, sizeof(r->launch.path) - 1);
	r->launch.path[n < 0 ? 0 : n] = '\0';
	if (n <= 0)
		strcpy(r->launch.path, "process");
}

/* The signals that end a recording without a command, or its period. */
static void
signal_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* Without a command: is the recording to end? With --every, SIGHUP only ends
 * the period. */
static bool
is_over(struct run *r)
{
	static const struct timespec now;
	sigset_t set;
	int sig;

	signal_set(&set);
	sig = sigtimedwait(&set, NULL, &now);
	if (sig > 0 && !(sig == SIGHUP && r->target.every))
		return true;
	if (r->target.every && (sig == SIGHUP || every_is_over(&r->every)))
		every_write(&r->every);
	return r->end_ns && now_ns(CLOCK_MONOTONIC) >= r->end_ns;
}

static bool
outside_wait(struct run *r)
{
	bool is_left = capture_wait(r->capture, PASS_MS);

	/* All sampled processes have ended; the command may not have. */
	if (r->has_command)
		return !launch_wait(&r->launch, is_left ? 0 : PASS_MS);
	return is_left && !is_over(r);
}

/* Daemons: the command ends at once. Others are about to end. */
static bool
has_left(const struct run *r)
{
	static const struct timespec moment = { .tv_nsec = 100000000 };

	if (record_target_runs(&r->target) || r->launch.wait_all ||
	    !capture_is_left(r->capture))
		return false;
	nanosleep(&moment, NULL);
	return capture_is_left(r->capture);
}

/*
 * The CPU time of the recorded threads, in ns, of which `sampled` was sampled;
 * 0: unknown. Their clocks also count while the host runs other machines on a
 * CPU. So the kernel's own figure is taken for a command; for other processes,
 * the clocks without all that the host took.
 */
static uint64_t
used_ns(const struct run *r, uint64_t sampled)
{
	uint64_t counted = capture_used_ns(r->capture), used;
	uint64_t stolen = procfs_stolen_ns() - r->stolen_ns;

	if (!record_target_runs(&r->target))
		used = run_children_ns();
	else
		used = counted > stolen ? counted - stolen : 0;
	if (used < sampled)
		used = sampled;
	return used < counted ? used : counted;
}

static uint64_t
outside_account(struct run *r, struct account *a)
{
	const struct sampling *s = &a->sampling;

	for (size_t i = 0; i < r->perf.n_kind; i++)
		if (capture_lost(r->capture, i))
			warn("samples of %s that were lost: %" PRIu64,
			     r->perf.kind[i]->name,
			     capture_lost(r->capture, i));
	a->is_cpu = true;
	a->has_left = has_left(r);
	return used_ns(r, (uint64_t)((double)s->ticks / s->asked_hz * 1e9));
}

/* Without the kernel, some kinds are not seen. */
static void
check_kinds(const struct run *r)
{
	for (size_t i = 0; i < r->perf.n_kind; i++) {
		const struct perf_kind *k = r->perf.kind[i];
		bool is_offcpu = k == &perf_kind_offcpu;

		if (!k->in_kernel || (is_offcpu && r->perf.approx))
			continue;
		if (!record_target_runs(&r->target))
			kill(r->launch.pid, SIGKILL);
		die("--%s%s happens in the kernel, which is not permitted: it "
		    "takes --kernel=auto and kernel.perf_event_paranoid at 1 "
		    "or less, or \"setcap " PERF_CAPS "\" on prof-record, or "
		    "root%s",
		    is_offcpu ? "" : "event=", k->name,
		    is_offcpu ? "; --offcpu=approx shows waits by the last "
				"sample of CPU time before them"
			      : "");
	}
}

/* What cannot be sampled as asked for, if anything. */
static void
check_begun(struct run *r)
{
	char paranoid[16], name[32];
	pid_t pid;
	size_t n;

	if (r->target.kernel == KERNEL_NO || capture_lacks_kernel(r->capture))
		check_kinds(r);
	n = capture_unknown_waits(r->capture, &pid);
	if (n) {
		procfs_line(pid, "comm", name, sizeof(name));
		warn("cannot read the stacks of %zu waiting thread%s, the "
		     "first of %s[%d], without CAP_SYS_PTRACE and all that "
		     "the process is permitted: waits are not seen before a "
		     "thread runs",
		     n, n == 1 ? "" : "s", name, (int)pid);
	}
	if (!capture_lacks_kernel(r->capture))
		return;
	perf_sysctl("perf_event_paranoid", paranoid, sizeof(paranoid));
	if (r->target.kernel == KERNEL_YES)
		die("--kernel=yes: kernel.perf_event_paranoid is %s; set it to "
		    "1, be root, or \"setcap " PERF_CAPS " prof-record\"",
		    paranoid);
	warn("kernel not permitted (kernel.perf_event_paranoid is %s): its "
	     "time is not seen",
	     paranoid);
}

static void
outside_start(struct run *r)
{
	const struct target *t = &r->target;
	const struct capture_target what = { t->pid, t->n_pid, t->all,
					     t->cgroup };
	sigset_t signals;

	/* For a command launch_start() does it, and does not hand it on. */
	signal_set(&signals);
	if (!r->has_command)
		sigprocmask(SIG_BLOCK, &signals, NULL);
	r->stolen_ns = procfs_stolen_ns();
	if (record_target_runs(t)) {
		r->refused = capture_begin(r->capture, r->recording.tally,
					   &what, &r->err);
		if (r->refused != PROF_OK)
			die("%s", r->err.msg);
	} else {
		r->launch.before = before_exec;
		r->launch.before_ctx = r;
	}
	if (r->has_command &&
	    launch_start(&r->launch, r->cli->operand, "", &r->err) != PROF_OK)
		die("%s", r->err.msg);
	if (r->refused != PROF_OK) {
		kill(r->launch.pid, SIGKILL);
		die("%s", r->err.msg);
	}
	check_begun(r);
	if (t->seconds)
		r->end_ns = now_ns(CLOCK_MONOTONIC) +
			    (int64_t)t->seconds * 1000000000;
}

static struct recording_source
outside_open(struct run *r)
{
	const struct target *t = &r->target;
	uint64_t period_ns = r->config.period_ns;
	struct recording_source source;
	struct prof_err err;

	if (scout_begin(&err) != PROF_OK)
		die("%s", err.msg);
	if (!r->has_command)
		name_target(r);
	if (t->every) {
		r->every = (struct every){ .cli = r->cli,
					   .recording = &r->recording,
					   .seconds = t->every,
					   .keep_s = t->keep_s };
		every_begin(&r->every);
	}
	r->perf = (struct perf_config){
		.n_kind = t->n_kind,
		.approx = t->approx,
		.why = t->why,
		.period_ns = period_ns,
		.stack_bytes = t->stack_bytes,
		.kernel = t->kernel != KERNEL_NO,
		.labels = t->labels,
		.on_exec = !record_target_runs(t),
		.ring_bytes = (t->all ? MANY_BYTES : 0) +
			      perf_ring_bytes(period_ns, t->stack_bytes),
	};
	memcpy(r->perf.kind, t->kind, sizeof(r->perf.kind));
	memcpy(r->perf.period, t->period, sizeof(r->perf.period));
	r->capture = capture_new(&r->perf);
	if (!r->capture)
		die_nomem();
	source = capture_source(r->capture);
	source.all = t->all;
	return source;
}

static void
outside_close(struct run *r)
{
	capture_free(r->capture);
	scout_end();
}

const struct run_sampler run_outside = { outside_open, outside_start,
					 outside_wait, outside_account,
					 outside_close };
