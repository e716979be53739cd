/* limit.h - one input must not take long: a hang is a finding. */
#ifndef FUZZ_LIMIT_H
#define FUZZ_LIMIT_H

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static inline void
fuzz_limit_reached(int sig)
{
	(void)sig;
	abort();
}

/*
 * Abort when the process has used so many seconds of CPU time from now on.
 * Call it at the start of each input; 0 ends the limit.
 */
static inline void
fuzz_limit(int seconds)
{
	const struct itimerval limit = { .it_value = { .tv_sec = seconds } };

	signal(SIGPROF, fuzz_limit_reached);
	setitimer(ITIMER_PROF, &limit, NULL);
}

#endif
