/* signals.c - see signals.h. */
#include "config.h"

#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/*
 * Pipes and sockets that are being read, by several threads. Whether they still
 * have a writer is no answer: the signal may come late, and prof-record may
 * have written all and ended by then.
 */
static atomic_int n_input;

/* SA_RESETHAND: the next SIGINT has its default effect, as this one has if
 * raised again. SI_KERNEL: it is from the terminal. */
static void
on_interrupt(int sig, siginfo_t *info, void *uc)
{
	int saved = errno;

	(void)uc;
	if (info->si_code != SI_KERNEL || n_input == 0)
		raise(sig);
	errno = saved;
}

static bool
is_stream(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

void
interrupt_outlive(int fd)
{
	static atomic_flag is_set = ATOMIC_FLAG_INIT;
	struct sigaction act = { .sa_sigaction = on_interrupt,
				 .sa_flags = SA_SIGINFO | SA_RESTART |
					     SA_RESETHAND };
	struct sigaction old;

	if (!is_stream(fd))
		return;
	n_input++;
	/* Install it once: it must not forget that the first one has come. */
	if (!atomic_flag_test_and_set(&is_set) &&
	    sigaction(SIGINT, NULL, &old) == 0 &&
	    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL) {
		sigemptyset(&act.sa_mask);
		sigaction(SIGINT, &act, NULL);
	}
}

void
interrupt_allow(int fd)
{
	if (fd >= 0 && is_stream(fd))
		n_input--;
}

static const char *program;

static void
on_bus_error(int sig, siginfo_t *info, void *context)
{
	static const char text[] =
		": a file was cut, or failed, while it was read\n";

	(void)context;
	/* Another process has sent it. */
	if (info->si_code <= 0) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	(void)!write(STDERR_FILENO, program, strlen(program));
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(CLI_TROUBLE);
}

void
sigbus_catch(const char *name)
{
	struct sigaction act = { .sa_sigaction = on_bus_error,
				 .sa_flags = SA_SIGINFO };

	program = name;
	sigaction(SIGBUS, &act, NULL);
}
