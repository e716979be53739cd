/* interrupt.c - see interrupt.h. */
#include "config.h"

#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>

/* The input that was opened last. */
static volatile sig_atomic_t input = -1;

/* Closed, or nobody is left who writes: what is read now is not lost by more
 * reading, and its reader wants to stop. */
static int
is_over(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 || p.revents & (POLLHUP | POLLNVAL | POLLERR);
}

/* The next one has its usual effect (SA_RESETHAND), and so has this one if it
 * is raised again. SI_KERNEL: from the terminal. */
static void
on_interrupt(int sig, siginfo_t *info, void *uc)
{
	int saved = errno;

	(void)uc;
	if (info->si_code != SI_KERNEL || is_over(input))
		raise(sig);
	errno = saved;
}

void
interrupt_outlive(int fd)
{
	struct sigaction act = { .sa_sigaction = on_interrupt,
				 .sa_flags = SA_SIGINFO | SA_RESTART |
					     SA_RESETHAND };
	struct sigaction old;
	struct stat st;

	if (fstat(fd, &st) != 0 ||
	    (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return;
	/* Once: that the first one has come is not forgotten. */
	if (input < 0 && sigaction(SIGINT, NULL, &old) == 0 &&
	    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL) {
		sigemptyset(&act.sa_mask);
		sigaction(SIGINT, &act, NULL);
	}
	input = fd;
}
