/* target.c - see target.h. */
#include "config.h"

#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "label.h"
#include "record/launch.h"

enum {
	KEY_PID = CLI_GROUP + 300,
	KEY_ALL,
	KEY_CGROUP,
	KEY_SECONDS,
	KEY_EVERY,
	KEY_KEEP,
	KEY_SAMPLER,
	KEY_KERNEL,
	KEY_STACK,
	KEY_LABEL,
	KEY_EVENT,
	KEY_OFFCPU,

	MAX_PID = 1 << 22,
	MAX_SECONDS = 1 << 30,
	MAX_EVERY = 86400,
	STACK_BYTES = 16384,
	MAX_STACK = 65528, /* of perf_event_open(2) */
};

const struct cli_opt record_target_opts[] = {
	CLI_HEADING("From outside"),
	{ KEY_PID, "pid", "PID[,PID]...",
	  "record processes that run already, and what they start" },
	{ KEY_ALL, "all", NULL, "record every process of the machine" },
	{ KEY_CGROUP, "cgroup", "PATH",
	  "record the processes of a control group" },
	{ KEY_SECONDS, "seconds", "N",
	  "with --pid, --all or --cgroup: for N seconds (until interrupted, "
	  "or until COMMAND ends)" },
	{ KEY_EVERY, "every", "N",
	  "with --pid or --all: without end, a file of the archive of -o for "
	  "each N seconds" },
	{ KEY_KEEP, "keep", "AGE",
	  "remove from that archive what is older: 14d, 12h, 30m" },
	{ KEY_SAMPLER, "sampler", "HOW",
	  "preload: libsample; perf: the kernel; auto (the default): libsample "
	  "where it can be loaded" },
	{ KEY_KERNEL, "kernel", "HOW",
	  "frames and time of the kernel: yes, no, or auto (the default): if "
	  "permitted" },
	{ KEY_STACK, "stack-size", "BYTES",
	  "how much of each stack the kernel copies (16384)" },
	{ KEY_EVENT, "event", "EVENT[:N][,...]",
	  "a column for each, and a sample for each N: page-faults, cycles, "
	  "... "
	  "(cpu-clock)" },
	{ KEY_OFFCPU, "offcpu", "[approx]",
	  "a column of time in which threads were on no CPU" },
	{ KEY_LABEL, "label", "KEY[,KEY]...",
	  "label samples by what they were taken of: thread, tid, cpu, cgroup, "
	  "container" },
	{ 0 }
};

void
record_target_init(struct target *t)
{
	*t = (struct target){ .stack_bytes = STACK_BYTES };
}

/* "1234,1235": pids. */
static void
take_pids(const struct cli *cli, struct target *t)
{
	const char *at = cli->arg;
	char *end;

	do {
		long pid = strtol(at, &end, 10);

		if (end == at || (*end && *end != ',') || pid < 1 ||
		    pid > MAX_PID)
			cli_bad_arg(cli, "a list of process numbers, as pgrep "
					 "-d, NAME prints");
		if (t->n_pid == TARGET_MAX_PID)
			die("--pid: more than %d processes; use --all",
			    TARGET_MAX_PID);
		t->pid[t->n_pid++] = (pid_t)pid;
		at = end + 1;
	} while (*end);
}

/* "thread,cpu": enum perf_label, or-ed. */
static unsigned
labels_of(const char *arg)
{
	static const char *const words[] = { "thread", "tid",       "cpu",
					     "cgroup", "container", NULL };
	static const unsigned label[] = { PERF_LABEL_THREAD, PERF_LABEL_TID,
					  PERF_LABEL_CPU, PERF_LABEL_CGROUP,
					  PERF_LABEL_CONTAINER };
	unsigned labels = 0;

	for (const char *at = arg;; at++) {
		size_t n = strcspn(at, ",");

		labels |= label[cli_word_of("label", "label", at, n, words)];
		at += n;
		if (!*at)
			return labels;
	}
}

static void
add_kind(struct target *t, const struct perf_kind *kind, uint64_t period)
{
	for (size_t i = 0; i < t->n_kind; i++)
		if (t->kind[i] == kind)
			return;
	/* Room is left for offcpu. */
	if (t->n_kind == PERF_MAX_KIND - (kind != &perf_kind_offcpu))
		die("--event: at most %d", PERF_MAX_KIND - 1);
	t->period[t->n_kind] = period ? period : kind->period;
	t->kind[t->n_kind++] = kind;
}

/* ":PERIOD" at at; 0 if there is none. */
static uint64_t
period_of(const char *at, const char **end)
{
	char *after;
	unsigned long long v;

	*end = at;
	if (*at != ':')
		return 0;
	v = strtoull(at + 1, &after, 10);
	*end = after;
	if (at[1] < '0' || at[1] > '9' || (*after && *after != ',') || !v ||
	    v > INT64_MAX)
		die("--event: '%s' is not a period", at + 1);
	return v;
}

/* "cycles,page-faults:100" */
static void
take_events(const char *arg, struct target *t)
{
	const char *words[PERF_KIND_WORDS];
	const char *end;

	for (const char *at = arg;; at++) {
		size_t n = strcspn(at, ",:");
		const struct perf_kind *kind = perf_kind_find(at, n);
		uint64_t period = period_of(at + n, &end);

		if (!kind) {
			perf_kind_words(words);
			cli_word_of("event", "event", at, n, words);
		}
		if (kind == &perf_kind_clock && period)
			die("--event=cpu-clock: its period is that of -F");
		add_kind(t, kind, period);
		at = end;
		if (!*at)
			return;
	}
}

bool
record_target_option(const struct cli *cli, int key, struct target *t)
{
	static const char *const samplers[] = { "auto", "preload", "perf",
						NULL };
	static const char *const kernel[] = { "auto", "yes", "no", NULL };
	static const char *const offcpu[] = { "approx", NULL };

	switch (key) {
	case KEY_PID:
		take_pids(cli, t);
		return true;
	case KEY_ALL:
		t->all = true;
		return true;
	case KEY_CGROUP:
		t->cgroup = cli->arg;
		t->all = true;
		return true;
	case KEY_SECONDS:
		t->seconds = (unsigned)cli_uint(cli, 1, MAX_SECONDS);
		t->only = "--seconds";
		return true;
	case KEY_EVERY:
		t->every = (unsigned)cli_uint(cli, 1, MAX_EVERY);
		t->only = "--every";
		return true;
	case KEY_KEEP:
		t->keep_s = cli_age(cli);
		t->only = "--keep";
		return true;
	case KEY_SAMPLER:
		t->sampler =
			(enum target_sampler)cli_word(cli, "sampler", samplers);
		return true;
	case KEY_KERNEL:
		t->kernel = (enum target_kernel)cli_word(cli, "word", kernel);
		t->only = "--kernel";
		return true;
	case KEY_STACK:
		t->stack_bytes = (uint32_t)cli_uint(cli, 8, MAX_STACK) & ~7u;
		return true;
	case KEY_EVENT:
		take_events(cli->arg, t);
		t->only = "--event";
		return true;
	case KEY_OFFCPU:
		t->approx = cli->arg && cli_word(cli, "word", offcpu) == 0;
		t->offcpu = true;
		t->only = "--offcpu";
		return true;
	case KEY_LABEL:
		t->labels = labels_of(cli->arg);
		if (t->labels & ~(PERF_LABEL_THREAD | PERF_LABEL_TID))
			t->only = "--label=cpu, cgroup or container";
		return true;
	}
	return false;
}

static void
check_every(const struct target *t, const struct cli *cli,
	    const char *listen_at)
{
	if (t->keep_s && !t->every)
		die("--keep is for --every");
	if (!t->every)
		return;
	if (!record_target_runs(t) || cli->n_operand)
		die("--every is for --pid, --all and --cgroup without a "
		    "command");
	if (listen_at)
		die("--every and --listen: ask for one");
	if (!cli->output || !archive_is_pattern(cli->output))
		die("--every needs the files' names: -o with a '%%', such as "
		    "-o 'arc/%%F/%%H%%M%%S.pb.gz'");
}

void
record_target_check(struct target *t, const struct cli *cli,
		    const char *listen_at)
{
	int n_operand = cli->n_operand;

	check_every(t, cli, listen_at);
	if (!t->n_kind)
		add_kind(t, &perf_kind_clock, 0);
	if (t->offcpu)
		add_kind(t, &perf_kind_offcpu, 0);
	if (t->n_pid && t->all)
		die("--pid, --all and --cgroup: ask for one");
	if (record_target_runs(t) && t->sampler == SAMPLER_PRELOAD)
		die("--sampler=preload: libsample can only be loaded into a "
		    "program that prof-record starts");
	if (t->seconds && (n_operand || !record_target_runs(t)))
		die("--seconds is for --pid, --all and --cgroup, without a "
		    "command");
	if (!n_operand && !record_target_runs(t))
		die("no command to run: use prof-record ./app, or --pid N "
		    "for one that runs");
}

bool
record_target_outside(struct target *t, const struct launch *l, enum obstacle o)
{
	bool asked = record_target_runs(t) || t->sampler == SAMPLER_PERF;
	bool by_option = !asked && t->sampler == SAMPLER_AUTO && t->only;
	bool outside = asked || by_option;

	t->why = t->n_pid    ? "perf(pid)"
		 : t->cgroup ? "perf(cgroup)"
		 : t->all    ? "perf(all)"
		 : by_option ? "perf(option)"
			     : "perf(asked-for)";
	if (outside && t->preload_only)
		die("--clock=wall, --signal, --children and other profiles "
		    "than of CPU time are libsample's: not with %s",
		    by_option ? t->only : "--pid, --all or --sampler=perf");
	if (!outside && t->only)
		die("%s is for --pid, --all and --sampler=perf", t->only);
	if (!outside && t->sampler == SAMPLER_AUTO && !t->preload_only &&
	    o != OBSTACLE_NONE)
		warn("%s: %s, %s; sampled from outside", l->path,
		     obstacle_name(o), obstacle_advice(o));
	return outside;
}
