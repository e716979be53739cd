/*
 * unwind-preload.c - preloaded into any program: now and then single-steps
 * its main thread for a while, and compares unwind_walk() with the referees
 * at each instruction. A line of counts is appended to $UNWIND_COUNTS when
 * the program exits.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "libsample/unwind/unwind.h"
#include "tests/programs/unwind-referee.h"

#define TRAP_FLAG 0x100
#define BURST 300
#define EVERY_US 4000
#define MAX_CONTEXTS 100000

static struct referee counts = { .max_shown = 10 };
static struct unwind_stack stack;
static volatile int left;
static pid_t pid;

static void
on_trap(int sig, siginfo_t *si, void *arg)
{
	ucontext_t *uc = arg;
	const uint8_t *code = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)si;
	/* Before sigprocmask: a trap while SIGTRAP is blocked would kill. */
	if (--left <= 0 ||
	    (code[0] == 0x0f && code[1] == 0x05 &&
	     uc->uc_mcontext.gregs[REG_RAX] == SYS_rt_sigprocmask)) {
		left = 0;
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	referee_compare(&counts, uc, &stack, 1);
}

static void
on_timer(int sig, siginfo_t *si, void *arg)
{
	ucontext_t *uc = arg;
	uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];

	(void)sig;
	(void)si;
	if (sp < stack.lo || sp >= stack.hi || getpid() != pid ||
	    counts.n > MAX_CONTEXTS)
		return;
	unwind_refresh();
	left = BURST;
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static __attribute__((constructor)) void
start(void)
{
	struct itimerval every = { { 0, EVERY_US }, { 0, EVERY_US } };
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_RESTART };

	pid = getpid();
	unsetenv("LD_PRELOAD");
	referee_init();
	if (unwind_refresh() != 0 || !unwind_stack_find(&stack, true))
		return;
	sa.sa_sigaction = on_timer;
	sigaction(SIGPROF, &sa, NULL);
	sa.sa_sigaction = on_trap;
	sa.sa_flags |= SA_NODEFER;
	sigaddset(&sa.sa_mask, SIGPROF);
	sigaction(SIGTRAP, &sa, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
}

static __attribute__((destructor)) void
stop(void)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	const char *path = getenv("UNWIND_COUNTS");
	char line[256];
	int fd, n;

	if (getpid() != pid || !path)
		return;
	setitimer(ITIMER_PROF, &never, NULL);
	left = 0;
	n = snprintf(line, sizeof(line), "%s ", program_invocation_short_name);
	n += referee_print(&counts, line + n, sizeof(line) - (size_t)n);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0) {
		if (write(fd, line, (size_t)n) != n)
			_exit(3);
		close(fd);
	}
}
