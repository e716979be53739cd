/* interrupt.c - see interrupt.h. */
#include "config.h"

#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

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
