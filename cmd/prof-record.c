/*
 * prof-record.c - run a program and write its profile. record/run/ has the
 * loop: record/launch.c starts the program, record/drain.c reads the samples of
 * libsample inside it, or record/perf those of the kernel; record/tally.c makes
 * a profile of them, record/deliver.c writes it and record/listen.c serves it.
 */
#include "config.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/attach.h"
#include "record/memory-options.h"
#include "record/run/run.h"

enum {
	KEY_CHILDREN = CLI_LONG,
	KEY_CLOCK,
	KEY_JIT,
	KEY_LISTEN,
	KEY_INTERP,
	KEY_SIGNAL,
	KEY_SYMBOLIZE,
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
	{ KEY_INTERP, "interp", "HOW",
	  "functions of Python, PHP or Ruby: only (the default) them, mixed "
	  "with the interpreter's C, or off" },
	{ KEY_JIT, "jit", NULL,
	  "have compilers of node, java, .NET and erlang write names" },
	{ KEY_LISTEN, "listen", "ADDRESS",
	  "serve profiles over HTTP at [HOST:]PORT meanwhile" },
	{ KEY_SIGNAL, "signal", "SIGNAL",
	  "interrupt threads by SIGNAL, a number or a name (PROF)" },
	{ KEY_SYMBOLIZE, "symbolize", "[WHEN]",
	  "find names at the end: yes, no, gone (the default): of files that "
	  "cannot be found later, or auto: of temporary ones, too" },
	{ KEY_WAIT, "wait", NULL,
	  "record until all processes that the program leaves behind have "
	  "ended" },
	{ KEY_SESSION, "session", NULL,
	  "record the program that asks for it (libsample does)" },
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_opt *const groups[] = { record_target_opts, memory_opts,
						NULL };

/* Of perf record and gperftools. */
static const struct cli_hint hints[] = {
	{ "p", "processes that run already: see --pid" },
	{ "a", "the whole machine: see --all" },
	{ "e", "see --event" },
	{ "g", "stacks are always recorded" },
	{ "call-graph", "stacks are always recorded" },
	{ "c", "see --frequency" },
	{ "d", "see --seconds" },
	{ "time", "see --seconds" },
	{ "cpuprofile", "see --output" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-record",
	.args = "[--] [COMMAND [ARGUMENT...]]",
	.brief = "run a program and write its profile",
	.opts = opts,
	.groups = groups,
	.hints = hints,
	.stop_at_operand = true,
};

static enum shm_clock
clock_of(const struct cli *cli)
{
	static const char *const words[] = { "cpu", "wall", "perf", NULL };

	return (enum shm_clock)cli_word(cli, "clock", words);
}

static enum shm_interp_mode
interp_of(const struct cli *cli)
{
	static const char *const words[] = { "only", "mixed", "off", NULL };

	return (enum shm_interp_mode)cli_word(cli, "way", words);
}

/* Set how to treat child processes; libsample need not know of files. */
static enum shm_children
children_of(const struct cli *cli, bool *separate)
{
	static const char *const words[] = { "merge", "none", "separate",
					     NULL };
	int word = cli_word(cli, "treatment", words);

	*separate = word == 2;
	return word == 1 ? SHM_CHILDREN_NONE : SHM_CHILDREN_MERGE;
}

/* "PROF", "SIGPROF", "27"; real-time signals by number. */
static int
signal_of(const struct cli *cli)
{
	const char *name = cli->arg;

	if (isdigit((unsigned char)*name))
		return (int)cli_uint(cli, 1, (uint64_t)SIGRTMAX);
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (int sig = 1; sig < SIGRTMIN; sig++) {
		const char *known = sigabbrev_np(sig);

		if (known && !strcmp(known, name))
			return sig;
	}
	die("--signal: unknown signal '%s'", cli->arg);
}

static void
check_signal(int sig)
{
	static const int bad[] = { SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,
				   SIGFPE,  SIGILL,  SIGTRAP, SIGCHLD };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (sig == bad[i])
			die("--signal: SIG%s has another meaning",
			    sigabbrev_np(sig));
}

static enum names_when
names_of(const struct cli *cli)
{
	static const char *const words[] = { "gone", "auto", "yes", "no",
					     NULL };
	enum names_when when =
		cli->arg ? (enum names_when)cli_word(cli, "word", words)
			 : NAMES_ALL;

	if (when == NAMES_ALL && !names_work())
		die("--symbolize: this build has no elfutils");
	return when;
}

/* Handle the options of this command alone. */
static void
take_option(struct run *r, int key, bool *is_session)
{
	const struct cli *cli = r->cli;

	switch (key) {
	case 'F':
		r->config.period_ns = 1000000000 / cli_uint(cli, 1, MAX_HZ);
		r->is_timed = true;
		break;
	case KEY_CLOCK:
		r->config.clock = clock_of(cli);
		r->is_timed = true;
		break;
	case KEY_SIGNAL:
		r->config.signal = signal_of(cli);
		check_signal(r->config.signal);
		break;
	case KEY_SYMBOLIZE:
		r->names = names_of(cli);
		break;
	case KEY_INTERP:
		r->config.interp = interp_of(cli);
		r->launch.no_interp = r->config.interp == SHM_INTERP_OFF;
		break;
	case KEY_JIT:
		r->launch.jit = true;
		break;
	case KEY_WAIT:
		r->launch.wait_all = r->target.wait_all = true;
		break;
	case KEY_SESSION:
		*is_session = true;
		break;
	case KEY_CHILDREN:
		r->config.children = children_of(cli, &r->separate);
		break;
	case KEY_LISTEN:
		r->listen_at = cli->arg;
		break;
	}
}

/* Find the command, and choose the sampler. */
static void
choose_sampler(struct run *r)
{
	const struct drain_config *c = &r->config;
	enum obstacle o = OBSTACLE_NONE;
	struct prof_err err;

	if (access("/proc/self/fd", F_OK) != 0)
		die("there is no /proc, by which processes are found and share "
		    "memory: mount it");
	r->has_command = r->cli->n_operand > 0;
	if (r->launch.jit && record_target_runs(&r->target))
		die("--jit is for a command: a program that runs has its "
		    "environment");
	r->launch.jit |= r->report && r->has_command;
	if (r->has_command &&
	    launch_find(&r->launch, r->cli->operand[0], &o, &err) != PROF_OK)
		die("%s", err.msg);
	/* The clocks from outside are of perf_event, too. */
	r->target.preload_only = c->what || c->clock == SHM_CLOCK_WALL ||
				 c->signal || c->children || r->separate;
	r->sampler = record_target_outside(&r->target, &r->launch, o)
			     ? &run_outside
			     : &run_inside;
	r->obstacle = o;
	if (r->sampler == &run_outside && !record_target_runs(&r->target))
		r->launch.outside =
			r->target.only ? r->target.only : "--sampler=perf";
	if (r->sampler == &run_inside &&
	    (r->target.preload_only || r->target.sampler == SAMPLER_PRELOAD) &&
	    (obstacle_is_total(o) || (o != OBSTACLE_NONE && !c->what)))
		die("%s: %s, %s", r->launch.path, obstacle_name(o),
		    obstacle_advice(o));
}

int
main(int argc, char **argv)
{
	struct run run = { .config = { .period_ns = 10000000 } };
	bool is_session = false;
	unsigned asked = 0;
	struct cli cli;
	int key;

	cli_init(&cli, &cmd, argc, argv);
	run.cli = &cli;
	/* By prof run: it is to find names, too. The program does not get it.
	 */
	run.report = getenv("PROF_REPORT");
	unsetenv("PROF_REPORT");
	if (run.report && names_work())
		run.names = NAMES_ALL;
	record_target_init(&run.target);
	while ((key = cli_option(&cli)) != CLI_DONE)
		if (!memory_option(&cli, key, &run.config, &asked) &&
		    !record_target_option(&cli, key, &run.target))
			take_option(&run, key, &is_session);
	if (is_session)
		return attach_run(&cli);
	record_target_check(&run.target, &cli, run.listen_at);
	choose_sampler(&run);
	if (run.sampler == &run_inside) {
		run.config.labels = run.target.labels;
		run.kind = kind_of_run(&run.config, asked, run.is_timed,
				       run.listen_at);
	}
	return run_record(&run);
}
