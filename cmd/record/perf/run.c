/* run.c - see run.h. */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "cli/cli.h"
#include "every.h"
#include "lib/base/now.h"
#include "lib/model/sampling.h"
#include "record/account.h"
#include "record/deliver.h"
#include "record/launch.h"
#include "record/listen.h"
#include "record/lookup.h"
#include "record/procfs.h"
#include "record/recording.h"
#include "record/serve.h"
#include "target.h"

enum {
	PASS_MS = 100,        /* between two readings of the rings */
	PAUSE_MS = 250,       /* time that a ring must bridge */
	WRITE_MS = 1000,      /* ... while a file of --every is written */
	MANY_BYTES = 2 << 20, /* for mappings and starts of all processes */
	SAMPLE_BYTES = 512,   /* of a record without the stack */
};

struct run {
	struct cli *cli;
	const struct target *target;
	struct launch launch; /* the command, or the name of the profile */
	struct perf_config config;
	struct capture *capture;
	struct recording recording;
	struct every every;
	bool has_command;
	uint64_t stolen_ns;  /* by the host, when it began */
	struct prof_err err; /* of before_exec() */
	enum prof_status status;
};

/* Called while the command's process waits before exec. */
static void
before_exec(void *ctx, pid_t pid)
{
	struct run *r = ctx;
	struct capture_target target = { .pid = &pid, .n_pid = 1 };

	r->status =
		capture_begin(r->capture, r->recording.tally, &target, &r->err);
}

/* Name the profile after the program, or the machine. */
static void
name_target(struct run *r)
{
	char path[64];
	ssize_t n;

	if (r->target->all) {
		strcpy(r->launch.path, "machine");
		r->launch.pid = getpid();
		return;
	}
	r->launch.pid = r->target->pid[0];
	snprintf(path, sizeof path, "/proc/%d/exe", (int)r->launch.pid);
	n = readlink(path, r->launch.path, sizeof r->launch.path - 1);
	r->launch.path[n < 0 ? 0 : n] = '\0';
	if (n <= 0)
		strcpy(r->launch.path, "process");
}

static void
block_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* Is the recording to end? With --every, SIGHUP only ends the period. */
static bool
is_over(struct run *r, const sigset_t *signals, int64_t end)
{
	static const struct timespec now;
	int sig;

	if (r->has_command)
		return launch_wait(&r->launch, 0);
	sig = sigtimedwait(signals, NULL, &now);
	if (sig > 0 && !(sig == SIGHUP && r->target->every))
		return true;
	if (r->target->every && (sig == SIGHUP || every_is_over(&r->every)))
		every_write(&r->every);
	return end && now_ns(CLOCK_MONOTONIC) >= end;
}

static void
loop(struct run *r, const sigset_t *signals)
{
	int64_t end = r->target->seconds
			      ? now_ns(CLOCK_MONOTONIC) +
					(int64_t)r->target->seconds * 1000000000
			      : 0;
	bool is_left = true;

	while (is_left || (r->has_command && record_target_runs(r->target))) {
		is_left = capture_wait(r->capture, PASS_MS);
		recording_pass(&r->recording);
		if (is_over(r, signals, end))
			break;
	}
	/* All sampled processes have ended; the command may not have. */
	while (r->has_command && !launch_wait(&r->launch, PASS_MS))
		recording_pass(&r->recording);
	recording_end(&r->recording);
}

/* Daemons: the command ends at once. Others are about to end. */
static void
warn_of_left(const struct run *r)
{
	static const struct timespec moment = { .tv_nsec = 100000000 };

	if (record_target_runs(r->target) || r->launch.wait_all ||
	    !capture_is_left(r->capture))
		return;
	nanosleep(&moment, NULL);
	if (capture_is_left(r->capture))
		warn("%s: left processes behind, not recorded from here on: "
		     "see --wait",
		     r->launch.path);
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

	if (!record_target_runs(r->target))
		used = account_children_ns();
	else
		used = counted > stolen ? counted - stolen : 0;
	if (used < sampled)
		used = sampled;
	return used < counted ? used : counted;
}

/* Report CPU time without samples. The clock of a thread begins with a whole
 * period, so threads that end before have none. */
static void
check_used(struct run *r, const struct sampling *s)
{
	double sampled = (double)s->ticks / s->asked_hz;
	uint64_t ns = used_ns(r, (uint64_t)(sampled * 1e9));
	double used = (double)ns / 1e9;

	recording_set_used(&r->recording, ns);
	if (sampled < 0.9 * used && used - sampled > 0.1)
		warn("%.2f of %.2f s of CPU time were sampled (%.0f %%): "
		     "threads and processes that use less than a period of "
		     "%.3g ms are missed: see -F, or --all",
		     sampled, used, 100 * sampled / used, 1e3 / s->asked_hz);
}

/* Report what is missing, and stacks that were longer than the copy. */
static void
check_quality(struct run *r)
{
	const struct tally_info info = { .kind = TALLY_CPU,
					 .set = r->recording.source.set,
					 .shm = r->recording.source.shm };
	struct sampling s;

	if (!tally_sampling(&info, &s))
		return;
	check_used(r, &s);
	if (!s.ticks)
		return;
	if (s.truncated * 20 > s.ticks)
		warn("%.0f %% of the stacks are longer than the %u bytes that "
		     "were copied: see --stack-size",
		     100.0 * (double)s.truncated / (double)s.ticks,
		     (unsigned)r->config.stack_bytes);
	if (sampling_loss(&s) >= 0.01)
		warn("%.0f %% of the samples were lost",
		     100 * sampling_loss(&s));
}

/* Without the kernel, some kinds are not seen. */
static void
check_kinds(const struct run *r)
{
	for (size_t i = 0; i < r->config.n_kind; i++) {
		const struct perf_kind *k = r->config.kind[i];
		bool is_offcpu = k == &perf_kind_offcpu;

		if (!k->in_kernel || (is_offcpu && r->config.approx))
			continue;
		if (!record_target_runs(r->target))
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

static void
begin(struct run *r, const struct capture_target *target)
{
	char paranoid[16];

	r->stolen_ns = procfs_stolen_ns();
	if (!record_target_runs(r->target)) {
		r->launch.before = before_exec;
		r->launch.before_ctx = r;
	} else {
		r->status = capture_begin(r->capture, r->recording.tally,
					  target, &r->err);
		if (r->status != PROF_OK)
			die("%s", r->err.msg);
	}
	if (r->has_command &&
	    launch_start(&r->launch, r->cli->operand, "", &r->err) != PROF_OK)
		die("%s", r->err.msg);
	if (r->status != PROF_OK) {
		kill(r->launch.pid, SIGKILL);
		die("%s", r->err.msg);
	}
	if (r->target->kernel == KERNEL_NO || capture_lacks_kernel(r->capture))
		check_kinds(r);
	if (capture_unknown_waits(r->capture))
		warn("%zu threads wait on stacks that may not be read: their "
		     "waits are not seen before they run",
		     capture_unknown_waits(r->capture));
	if (!capture_lacks_kernel(r->capture))
		return;
	perf_sysctl("perf_event_paranoid", paranoid, sizeof paranoid);
	if (r->target->kernel == KERNEL_YES)
		die("--kernel=yes: kernel.perf_event_paranoid is %s; set it to "
		    "1, be root, or \"setcap " PERF_CAPS " prof-record\"",
		    paranoid);
	warn("kernel not permitted (kernel.perf_event_paranoid is %s): its "
	     "time is not seen",
	     paranoid);
}

static void
configure(struct run *r, uint64_t period_ns)
{
	const struct target *t = r->target;
	uint64_t hz = 1000000000 / period_ns + 1;

	r->config = (struct perf_config){
		.n_kind = t->n_kind,
		.approx = t->approx,
		.why = t->why,
		.period_ns = period_ns,
		.stack_bytes = t->stack_bytes,
		.kernel = t->kernel != KERNEL_NO,
		.labels = t->labels,
		.on_exec = !record_target_runs(t),
		.ring_bytes = (t->all ? MANY_BYTES : 0) +
			      hz * (t->stack_bytes + SAMPLE_BYTES) *
				      (t->every ? WRITE_MS : PAUSE_MS) / 1000,
	};
	memcpy(r->config.kind, t->kind, sizeof r->config.kind);
	memcpy(r->config.period, t->period, sizeof r->config.period);
	r->capture = capture_new(&r->config);
	if (!r->capture)
		die_nomem();
}

/* The pages of --listen, for a process without libsample. */
struct pages {
	struct serve serve;
	struct listen *listen;
	char *words; /* of the command line, n_words bytes */
	size_t n_words;
	char **argv;
};

static void
serve_begin(struct run *r, struct pages *p, const char *listen_at)
{
	size_t n = 0;

	if (listen_open(listen_at, &p->listen, &r->err) != PROF_OK)
		die("--listen: %s", r->err.msg);
	if (!r->has_command && !r->target->all)
		p->words = procfs_read(r->launch.pid, "cmdline", &p->n_words);
	p->argv = calloc(p->n_words + 2, sizeof *p->argv);
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
	if (listen_start(p->listen, &p->serve, &r->err) != PROF_OK)
		die("--listen: %s", r->err.msg);
	warn("listening on http://%s/pprof/", listen_address(p->listen));
}

static void
serve_end(struct pages *p)
{
	listen_close(p->listen);
	lookup_free(p->serve.lookup);
	free(p->argv);
	free(p->words);
}

int
perf_run(struct cli *cli, const struct target *target,
	 const struct launch *command, uint64_t period_ns,
	 const char *listen_at)
{
	const struct capture_target what = { target->pid, target->n_pid,
					     target->all, target->cgroup };
	enum deliver_how how =
		listen_at && !cli->output ? DELIVER_NONE : DELIVER_ONE;
	struct run r = { .cli = cli,
			 .target = target,
			 .launch = *command,
			 .has_command = cli->n_operand > 0 };
	struct pages pages = { 0 };
	sigset_t signals;
	char *name = NULL;
	bool is_bad = false;
	int status;

	r.launch.wait_all = target->wait_all;
	r.launch.join_stdout = !target->every && deliver_prepare(cli, how);
	if (!r.has_command)
		name_target(&r);
	if (target->every) {
		r.every = (struct every){ .cli = cli,
					  .recording = &r.recording,
					  .seconds = target->every,
					  .keep_s = target->keep_s };
		every_begin(&r.every);
	}
	configure(&r, period_ns);
	if (recording_begin(&r.recording, capture_source(r.capture), TALLY_CPU,
			    &r.err) != PROF_OK)
		die("%s", r.err.msg);
	r.recording.is_live = how == DELIVER_NONE;
	/* For a command launch_start() does it, and does not hand it on. */
	sigemptyset(&signals);
	if (!r.has_command)
		block_signals(&signals);
	begin(&r, &what);
	if (listen_at)
		serve_begin(&r, &pages, listen_at);

	loop(&r, &signals);
	warn_of_left(&r);

	serve_end(&pages);
	if (target->every) {
		is_bad = !every_write(&r.every);
	} else {
		check_quality(&r);
		name = deliver(cli, &r.recording, &r.launch, how);
	}
	recording_release(&r.recording);
	capture_free(r.capture);
	status = cli_finish(cli, is_bad ? CLI_TROUBLE : 0);
	free(name);
	return status || !r.has_command ? status : launch_status(&r.launch);
}
