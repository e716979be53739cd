/*
 * prof-record.c - run a program and write its profile. libsample samples it
 * from inside: record/launch.c starts the program, record/drain.c reads
 * libsample's shared memory, record/tally.c makes a profile of that,
 * record/deliver.c writes it and record/listen.c serves it.
 */
#include "config.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/account.h"
#include "record/attach.h"
#include "record/deliver.h"
#include "record/drain.h"
#include "record/kind.h"
#include "record/launch.h"
#include "record/listen.h"
#include "record/lookup.h"
#include "record/perf/clock.h"
#include "record/perf/run.h"
#include "record/perf/target.h"
#include "record/recording.h"
#include "record/serve.h"
#include "record/tally.h"
#include "record/watch.h"

enum {
	KEY_CHILDREN = CLI_LONG,
	KEY_CLOCK,
	KEY_LISTEN,
	KEY_SIGNAL,
	KEY_SESSION,
	KEY_WAIT,
	MAX_HZ = 10000,
};

static const struct cli_opt opts[] = {
	{ 'F', "frequency", "HZ", "ticks per second of each thread (100)" },
	{ KEY_CLOCK, "clock", "CLOCK",
	  "cpu (the default): threads that run; perf: them, by finer clocks; "
	  "wall: all threads" },
	{ KEY_CHILDREN, "children", "HOW",
	  "child processes: merge (the default), separate files, or none" },
	{ KEY_LISTEN, "listen", "ADDRESS",
	  "serve profiles over HTTP at [HOST:]PORT meanwhile" },
	{ KEY_SIGNAL, "signal", "SIGNAL",
	  "interrupt threads by SIGNAL, a number or a name (PROF)" },
	{ KEY_WAIT, "wait", NULL,
	  "until all processes that the program leaves behind have ended" },
	{ KEY_SESSION, "session", NULL,
	  "record the program that asks for it (libsample does)" },
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_opt *const groups[] = { record_target_opts, kind_opts,
						NULL };

static const struct cli_cmd cmd = {
	.name = "prof-record",
	.args = "[--] [COMMAND [ARGUMENT...]]",
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

/* Set how to treat child processes; libsample need not know of files. */
static enum shm_children
children_of(const char *arg, bool *separate)
{
	*separate = strcmp(arg, "separate") == 0;
	if (*separate || strcmp(arg, "merge") == 0)
		return SHM_CHILDREN_MERGE;
	if (strcmp(arg, "none") == 0)
		return SHM_CHILDREN_NONE;
	die("--children: '%s' is neither merge, separate nor none", arg);
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
	die("--signal: unknown signal '%s'", cli->arg);
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

static void
show_note(const char *text)
{
	warn("%s", text);
}

/* Run the program to its end, and serve its profiles if l is not NULL. */
static void
record(struct launch *launch, char **argv, struct drain *d, struct recording *r,
       struct listen *l)
{
	struct serve serve = { .recording = r, .launch = launch, .argv = argv };
	struct watch *watch = watch_new(&d->set);
	int ms, waited = 0;
	struct prof_err err;
	char session[128];

	drain_name(d, session, sizeof session);
	if (launch_start(launch, argv, session, &err) != PROF_OK)
		die("%s", err.msg);
	if (l) {
		serve.lookup = lookup_new();
		if (!serve.lookup)
			die_nomem();
		if (listen_start(l, &serve, &err) != PROF_OK)
			die("--listen: %s", err.msg);
		warn("listening on http://%s/pprof/", listen_address(l));
	}
	while (!launch_wait(launch, ms = drain_pause_ms(d))) {
		waited += ms;
		if (waited >= DRAIN_PASS_MS) {
			watch_pass(watch, launch->pid);
			waited = 0;
		}
		recording_pass(r);
	}
	recording_end(r);
	recording_set_used(r, account_used_ns(d, launch));
	listen_close(l);
	lookup_free(serve.lookup);
	account_missing(d, launch, watch, session);
	account_heap(d, r, watch);
	watch_free(watch);
}

int
main(int argc, char **argv)
{
	struct drain_config config = { .period_ns = 10000000 };
	struct launch launch = { 0 };
	struct target target;
	struct recording recording;
	struct drain drain;
	struct listen *l = NULL;
	const char *listen_at = NULL;
	char *name;
	enum deliver_how how;
	struct prof_err err;
	struct cli cli;
	enum obstacle obstacle = OBSTACLE_NONE;
	enum tally_kind kind;
	unsigned asked = 0;
	bool session = false, separate = false, timed = false;
	int clock = -1, key;

	cli_init(&cli, &cmd, argc, argv);
	record_target_init(&target);
	while ((key = cli_option(&cli)) != CLI_DONE) {
		if (kind_option(&cli, key, &config, &asked) ||
		    record_target_option(&cli, key, &target))
			continue;
		switch (key) {
		case 'F':
			config.period_ns =
				1000000000 / cli_uint(&cli, 1, MAX_HZ);
			timed = true;
			break;
		case KEY_CLOCK:
			config.clock = clock_of(cli.arg);
			timed = true;
			break;
		case KEY_SIGNAL:
			config.signal = signal_of(&cli);
			check_signal(config.signal);
			break;
		case KEY_WAIT:
			launch.wait_all = target.wait_all = true;
			break;
		case KEY_SESSION:
			session = true;
			break;
		case KEY_CHILDREN:
			config.children = children_of(cli.arg, &separate);
			break;
		case KEY_LISTEN:
			listen_at = cli.arg;
			break;
		}
	}
	if (session)
		return attach_run(&cli);
	record_target_check(&target, &cli, listen_at);
	/* The clocks from outside are of perf_event, too. */
	target.preload_only = config.what || config.clock == SHM_CLOCK_WALL ||
			      config.signal || config.children || separate;
	if (cli.n_operand &&
	    launch_find(&launch, cli.operand[0], &obstacle, &err) != PROF_OK)
		die("%s", err.msg);
	if (record_target_outside(&target, &launch, obstacle))
		return perf_run(&cli, &target, &launch, config.period_ns,
				listen_at);
	if (obstacle_is_total(obstacle) ||
	    (obstacle != OBSTACLE_NONE && !config.what))
		die("%s: %s, %s", launch.path, obstacle_name(obstacle),
		    obstacle_advice(obstacle));
	config.labels = target.labels;
	kind = kind_of_run(&config, asked, timed, listen_at);
	how = listen_at && !cli.output ? DELIVER_NONE
	      : separate               ? DELIVER_EACH
				       : DELIVER_ONE;
	launch.join_stdout = deliver_prepare(&cli, how);
	if (launch_library(&launch, preload_of(&config), &err) != PROF_OK ||
	    drain_open(&drain, &config, &err) != PROF_OK ||
	    recording_begin(&recording, drain_source(&drain), kind, &err) !=
		    PROF_OK)
		die("%s", err.msg);
	if (listen_at && listen_open(listen_at, &l, &err) != PROF_OK)
		die("--listen: %s", err.msg);
	drain.note = show_note;
	if (config.clock == SHM_CLOCK_PERF &&
	    perfclock_open(&clock, &err) != PROF_OK)
		warn("%s: the timers' rate is the kernel tick's", err.msg);
	if (config.clock == SHM_CLOCK_CPU && config.what == 0)
		account_check_rate(config.period_ns);
	recording.is_live = how == DELIVER_NONE;

	record(&launch, cli.operand, &drain, &recording, l);

	name = deliver(&cli, &recording, &launch, how);
	if (how != DELIVER_NONE)
		account_show(&drain, kind,
			     how == DELIVER_ONE ? cli.output : NULL);
	recording_release(&recording);
	drain_close(&drain);
	if (clock >= 0)
		close(clock);
	key = cli_finish(&cli, 0);
	free(name);
	return key ? key : launch_status(&launch);
}
