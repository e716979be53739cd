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

/* Is fd closed, or without writers? Then SIGINT may end this process: there is
 * nothing to wait for. */
static int
is_over(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 || p.revents & (POLLHUP | POLLNVAL | POLLERR);
}

/* SA_RESETHAND: the next SIGINT has its default effect, as this one has if
 * raised again. SI_KERNEL: it is from the terminal. */
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
	/* Install it once: it must not forget that the first one has come. */
	if (input < 0 && sigaction(SIGINT, NULL, &old) == 0 &&
	    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL) {
		sigemptyset(&act.sa_mask);
		sigaction(SIGINT, &act, NULL);
	}
	input = fd;
}
