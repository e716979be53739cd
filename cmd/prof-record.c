/*
 * prof-record.c - run a program and write its profile. The program is sampled
 * from inside, by libsample; launch.c starts it, drain.c reads what it leaves
 * in shared memory, tally.c makes a profile of that.
 */
#include "config.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "cli.h"
#include "drain.h"
#include "launch.h"
#include "lib/profile.h"
#include "perfclock.h"
#include "record-what.h"

enum {
	KEY_CHILDREN = CLI_LONG,
	KEY_CLOCK,
	KEY_SIGNAL,
	KEY_SESSION,
	MAX_HZ = 10000,
	PASS_MS = 100, /* between two looks into the shared memory */
};

static const struct cli_opt opts[] = {
	{ 'F', "frequency", "HZ", "ticks per second of each thread (100)" },
	{ KEY_CLOCK, "clock", "CLOCK",
	  "cpu (the default): threads that run; perf: them, by finer clocks; "
	  "wall: all threads" },
	{ KEY_CHILDREN, "children", "HOW",
	  "child processes: merge (the default) or none" },
	{ KEY_SIGNAL, "signal", "SIGNAL",
	  "interrupt threads by SIGNAL, a number or a name (PROF)" },
	{ KEY_SESSION, "session", NULL,
	  "record the program that asks for it (libsample does)" },
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_opt *const groups[] = { record_what_opts, NULL };

static const struct cli_cmd cmd = {
	.name = "prof-record",
	.args = "[--] COMMAND [ARGUMENT...]",
	.brief = "run a program and write its profile",
	.opts = opts,
	.groups = groups,
	.stop_at_operand = true,
};

static enum shm_clock
clock_of(const char *arg)
{
	if (strcmp(arg, "cpu") == 0)
		return SHM_CLOCK_CPU;
	if (strcmp(arg, "perf") == 0)
		return SHM_CLOCK_PERF;
	if (strcmp(arg, "wall") == 0)
		return SHM_CLOCK_WALL;
	die("--clock: '%s' is neither cpu, perf nor wall", arg);
}

static enum shm_children
children_of(const char *arg)
{
	if (strcmp(arg, "merge") == 0)
		return SHM_CHILDREN_MERGE;
	if (strcmp(arg, "none") == 0)
		return SHM_CHILDREN_NONE;
	die("--children: '%s' is neither merge nor none", arg);
}

/* "PROF", "SIGPROF", "27"; real-time signals by number. */
static int
signal_of(const struct cli *cli)
{
	const char *name = cli->arg;

	if (isdigit((unsigned char)*name))
		return (int)cli_uint(cli, 1, (uint64_t)SIGRTMAX);
	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (int sig = 1; sig < SIGRTMIN; sig++) {
		const char *known = sigabbrev_np(sig);

		if (known && strcmp(known, name) == 0)
			return sig;
	}
	die("--signal: '%s' is no signal", cli->arg);
}

static void
check_signal(int sig)
{
	static const int bad[] = { SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,
				   SIGFPE,  SIGILL,  SIGTRAP, SIGCHLD };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (sig == bad[i])
			die("--signal: SIG%s has another meaning",
			    sigabbrev_np(sig));
}

static int64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
show_note(const char *text)
{
	warn("%s", text);
}

/*
 * Where the profile goes, if nobody said: into a pipe if there is one, as
 * then the program's own output must go elsewhere, else to a file.
 */
static bool
stdout_is_pipe(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

static char *
default_output(const struct launch *l)
{
	const char *slash = strrchr(l->path, '/');
	char *name;

	if (asprintf(&name, "prof.%s.%d.pb.gz", slash ? slash + 1 : l->path,
		     (int)l->pid) < 0)
		die("out of memory");
	return name;
}

/* Run the program to its end; its profile. */
static struct profile *
record(struct launch *l, char **argv, struct drain *d, enum tally_kind kind)
{
	struct tally *t = tally_new();
	struct tally_info info = { .kind = kind, .shm = d->shm };
	struct profile *p;
	struct prof_err err;
	char session[128];
	int64_t start;

	if (!t)
		die("out of memory");
	drain_name(d, session, sizeof session);
	info.time_ns = now_ns(CLOCK_REALTIME);
	start = now_ns(CLOCK_MONOTONIC);
	if (launch_start(l, argv, session, &err) != PROF_OK)
		die("%s", err.msg);
	while (!launch_wait(l, PASS_MS))
		drain_pass(d, t);
	info.duration_ns = now_ns(CLOCK_MONOTONIC) - start;
	drain_end(d, t);
	if (atomic_load(&d->shm->n_process) == 0)
		warn("%s: ran without the sampler; was LD_PRELOAD changed?",
		     l->path);
	p = tally_profile(t, &info);
	if (!p)
		die("out of memory");
	tally_free(t);
	return p;
}

int
main(int argc, char **argv)
{
	struct drain_config config = { .period_ns = 10000000 };
	struct launch launch = { 0 };
	struct drain drain;
	struct profile *p;
	struct prof_err err;
	struct cli cli;
	char *name = NULL;
	enum tally_kind kind = TALLY_CPU;
	bool session = false;
	int clock = -1, key;

	cli_init(&cli, &cmd, argc, argv);
	while ((key = cli_option(&cli)) != CLI_DONE) {
		if (record_what_option(&cli, key, &config, &kind))
			continue;
		switch (key) {
		case 'F':
			config.period_ns =
				1000000000 / cli_uint(&cli, 1, MAX_HZ);
			break;
		case KEY_CLOCK:
			config.clock = clock_of(cli.arg);
			break;
		case KEY_SIGNAL:
			config.signal = signal_of(&cli);
			check_signal(config.signal);
			break;
		case KEY_SESSION:
			session = true;
			break;
		case KEY_CHILDREN:
			config.children = children_of(cli.arg);
			break;
		}
	}
	if (session)
		return attach_run(&cli);
	if (cli.n_operand == 0)
		die("no command to run");
	if (launch_find(&launch, cli.operand[0], &err) != PROF_OK ||
	    launch_library(&launch, config.what, &err) != PROF_OK ||
	    drain_open(&drain, &config, &err) != PROF_OK)
		die("%s", err.msg);
	drain.note = show_note;
	if (config.clock == SHM_CLOCK_PERF &&
	    perfclock_open(&clock, &err) != PROF_OK)
		warn("%s: the timers' rate is the kernel tick's", err.msg);
	launch.join_stdout = !cli.output && stdout_is_pipe();

	p = record(&launch, cli.operand, &drain, kind);

	if (!cli.output && !launch.join_stdout) {
		cli.output = name = default_output(&launch);
		warn("profile: %s", name);
	}
	cli_write(&cli, p);
	profile_free(p);
	drain_close(&drain);
	if (clock >= 0)
		close(clock);
	key = cli_finish(&cli, 0);
	free(name);
	return key ? key : launch_status(&launch);
}
